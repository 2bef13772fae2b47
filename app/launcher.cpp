#include "app/launcher.h"

#include <cstdlib>
#include <string_view>

#include "core/base/error.h"
#include "core/base/parse_number.h"

namespace strata {
namespace {

// Slurm's number of tasks must be that of a job step: SLURM_NTASKS=4 is also set in a batch script
// or allocation of four tasks, which starts the program once.
constexpr const char* kSlurmTasks = "SLURM_STEP_NUM_TASKS";

std::string textIn(const Environment& environment, const char* name) {
  const char* value = environment(name);
  return value != nullptr ? value : "";
}

// The variable's value; null if it is absent or empty.
std::optional<int> numberIn(const Environment& environment, const char* name) {
  const std::string text = textIn(environment, name);
  if (text.empty()) return {};
  const auto number = parseNumber<int>(text);
  if (!number || *number < 0) throw usageError("{} is '{}', not a number", name, text);
  return number;
}

// `because`: the variable that says that there are several processes.
Error missing(const Environment& environment, const char* name, const char* because) {
  return usageError(
      "{0} is {1}: several processes were started, but {2} is not set. Start them with torchrun or "
      "srun, which set it, or unset {0} if it is left over",
      because, textIn(environment, because), name);
}

int requiredIn(const Environment& environment, const char* name, const char* because) {
  if (const auto number = numberIn(environment, name)) return *number;
  throw missing(environment, name, because);
}

void checkPlace(const Launch& launch, const char* rank, const char* size) {
  if (launch.size < 1 || launch.rank >= launch.size)
    throw usageError("{} is {} and {} is {}: expected a number below it", rank, launch.rank, size,
                     launch.size);
  if (launch.port < 1 || launch.port > 65535)
    throw usageError("MASTER_PORT is {}: expected 1 to 65535", launch.port);
}

Launch byTorchrun(const Environment& environment) {
  constexpr const char* kSize = "WORLD_SIZE";
  Launch launch;
  launch.size = *numberIn(environment, kSize);
  if (launch.size == 1) return launch;
  launch.rank = requiredIn(environment, "RANK", kSize);
  launch.address = textIn(environment, "MASTER_ADDR");
  if (launch.address.empty()) throw missing(environment, "MASTER_ADDR", kSize);
  launch.port = requiredIn(environment, "MASTER_PORT", kSize);
  launch.storeIsElsewhere = textIn(environment, "TORCHELASTIC_USE_AGENT_STORE") == "True";
  launch.attempt = textIn(environment, "TORCHELASTIC_RESTART_COUNT");
  checkPlace(launch, "RANK", kSize);
  return launch;
}

// The same port in all tasks of a step, and different ones for neighbouring jobs and steps.
int portOf(const Environment& environment) {
  if (const auto port = numberIn(environment, "MASTER_PORT")) return *port;
  const int job = numberIn(environment, "SLURM_JOB_ID").value_or(0);
  const int step = numberIn(environment, "SLURM_STEP_ID").value_or(0);
  return 20000 + (job * 17 + step) % 12000;  // below the ports that Linux gives to clients
}

Launch bySlurm(const Environment& environment) {
  Launch launch;
  launch.size = *numberIn(environment, kSlurmTasks);
  launch.rank = requiredIn(environment, "SLURM_PROCID", kSlurmTasks);
  launch.address = textIn(environment, "MASTER_ADDR");
  for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
    if (launch.address.empty()) launch.address = firstHost(textIn(environment, name));
  }
  if (launch.address.empty()) throw missing(environment, "SLURM_STEP_NODELIST", kSlurmTasks);
  launch.port = portOf(environment);
  // A requeued job has the same step ids again.
  launch.attempt =
      textIn(environment, "SLURM_RESTART_COUNT") + "." + textIn(environment, "SLURM_STEP_ID");
  checkPlace(launch, "SLURM_PROCID", kSlurmTasks);
  return launch;
}

}  // namespace

std::string firstHost(const std::string& nodes) {
  const auto end = nodes.find_first_of("[,");
  std::string host = nodes.substr(0, end);
  if (end == std::string::npos || nodes[end] == ',') return host;
  const auto close = nodes.find(']', end);
  const std::string_view range = std::string_view(nodes).substr(end + 1, close - end - 1);
  host += range.substr(0, range.find_first_of("-,"));
  if (close != std::string::npos)  // "rack[1-2]n[01-08]": names with several numbers
    host += firstHost(nodes.substr(close + 1));
  return host;
}

std::optional<Launch> launchOf(const Environment& environment) {
  const auto worldSize = numberIn(environment, "WORLD_SIZE");
  if (worldSize == 0) {
    throw usageError(
        "WORLD_SIZE is 0: expected the number of processes; unset it to train with one");
  }
  if (worldSize) return byTorchrun(environment);
  // A job submitted from within a step inherits the variables of that step, so check the job's own
  // number of tasks.
  if (numberIn(environment, kSlurmTasks).value_or(0) > 1 &&
      numberIn(environment, "SLURM_NTASKS").value_or(0) != 1)
    return bySlurm(environment);
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const int processes = numberIn(environment, name).value_or(0);
    if (processes <= 1) continue;
    throw usageError(
        "{0} is {1}: mpirun started this program {1} times, and each process would train its own "
        "run. Start them with torchrun or srun, or one alone (or unset {0} if it is left over)",
        name, processes);
  }
  return {};
}

std::optional<Launch> launchOfProcess() {
  return launchOf([](const char* name) { return std::getenv(name); });
}

}  // namespace strata
