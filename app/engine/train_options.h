#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "app/commands/verbs.h"
#include "core/base/json.h"

namespace strata {

// The command line of the verb train.
struct TrainOptions {
  std::string file, preset, dataset, name, resume, from, device;
  std::vector<std::string> overrides;
  int threads = -1;
  bool dryRun = false, continues = false, acceptEdited = false, slurm = false;
  int nodes = 1, tasksPerNode = 1;
  std::string output;
  std::vector<std::string> sbatch;
  std::int64_t job = 0;
};

// The configuration overrides that the options stand for.
std::vector<std::string> overridesOf(const TrainOptions& options);
// The configuration of a new run. A usage error if the options name none.
Json newConfig(const TrainOptions& options);
// Checks everything, then writes a script for sbatch that trains the run.
void writeSlurmScript(const GlobalOptions& global, const TrainOptions& options);

}  // namespace strata
