#pragma once
#include <string>
#include <utility>
#include <vector>

namespace strata {

// A script for sbatch that trains one run with all tasks of a job. Two minutes before the job's
// limit the run is saved and the job requeued, where the same command continues it; a cancelled job
// saves, too, and continues when the script is submitted again.
struct SlurmTraining {
  std::string name;                  // of the job
  std::string folder;                // absolute: of Slurm's output
  std::vector<std::string> command;  // of every task: it continues the run that it has started
  int nodes = 1, tasksPerNode = 1;
  std::vector<std::string> lines;  // more options of sbatch: "--time=24:00:00"
};
std::string slurmTrainingScript(const SlurmTraining& job);

// Parts of such scripts.
// The first lines; options without a value are left out. A value with a control character, such as
// a line end, is a usage error.
std::string sbatchHeader(const std::vector<std::pair<std::string, std::string>>& options,
                         const std::vector<std::string>& lines);
// A word of a command in a script, quoted; text with control characters is a usage error.
std::string wordOfScript(const std::string& text);
// Where Slurm writes the output: `name` may have its '%' patterns, the folder is taken as it is.
std::string slurmOutput(const std::string& folder, const std::string& name);
// Traps for the signals near the time limit and at the end, and the functions that pass them to the
// process $child.
std::string slurmSignals();
// Waits until $child has ended; its status is in $status.
std::string slurmWaiting();

}  // namespace strata
