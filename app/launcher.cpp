#include "app/launcher.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "core/base/error.h"

namespace strata {
namespace {

// Each launcher's variable for the number of processes that it started together. Of Slurm only that
// of a step will do: a batch script or an allocation of four tasks has SLURM_NTASKS=4 as well, and
// starts the program once.
constexpr const char* kSlurmStep = "SLURM_STEP_NUM_TASKS";
constexpr const char* kProcesses[] = {"WORLD_SIZE", kSlurmStep, "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

// The number that a variable holds; 0 where it is absent or none.
int numberIn(const char* name) {
  const char* value = std::getenv(name);
  const std::string_view text = value != nullptr ? value : "";
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// A job that is submitted from within a step inherits the variable of that step. Its own number of
// tasks tells.
bool isInherited(std::string_view name) {
  return name == kSlurmStep && numberIn("SLURM_NTASKS") == 1;
}

}  // namespace

void requireSingleProcess() {
  for (const char* name : kProcesses) {
    const int processes = numberIn(name);
    if (processes <= 1 || isInherited(name)) continue;
    throw usageError(
        "{0} is {1}: a launcher started this program {1} times, and each would train a run of its "
        "own; training on several processes is not supported. Start it once, without torchrun, "
        "mpirun or srun -n (or unset {0} where it is left over)",
        name, processes);
  }
}

}  // namespace strata
