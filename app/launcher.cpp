#include "app/launcher.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "core/base/error.h"

namespace strata {
namespace {

// Each launcher's variable for the number of processes that it started together. For Slurm it must
// be that of a job step: SLURM_NTASKS=4 is also set in a batch script or allocation of four tasks,
// which starts the program once.
constexpr const char* kSlurmStep = "SLURM_STEP_NUM_TASKS";
constexpr const char* kProcesses[] = {"WORLD_SIZE", kSlurmStep, "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

// The variable's value; 0 if it is absent or not a number.
int numberIn(const char* name) {
  const char* value = std::getenv(name);
  const std::string_view text = value != nullptr ? value : "";
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// A job submitted from within a step inherits the variable of that step, so check the job's own
// number of tasks.
bool isInherited(std::string_view name) {
  return name == kSlurmStep && numberIn("SLURM_NTASKS") == 1;
}

}  // namespace

void requireSingleProcess() {
  for (const char* name : kProcesses) {
    const int processes = numberIn(name);
    if (processes <= 1 || isInherited(name)) continue;
    throw usageError(
        "{0} is {1}: a launcher started this program {1} times, and each process would train its "
        "own run; multi-process training is not supported. Start it once, without torchrun, "
        "mpirun or srun -n (or unset {0} if it is left over)",
        name, processes);
  }
}

}  // namespace strata
