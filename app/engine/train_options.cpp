#include "app/engine/train_options.h"

#include <fmt/format.h>

#include "app/training_setup.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/named_output.h"
#include "core/base/shell.h"
#include "core/run/slurm.h"
#include "core/store/runs.h"
#include "models/presets.h"

namespace strata {
namespace {

// The command of each task: this one without what only concerns the script.
std::vector<std::string> taskCommand(const GlobalOptions& global, const TrainOptions& options) {
  std::vector<std::string> words{fs::canonical("/proc/self/exe").replace_filename("strata-run"),
                                 "--workspace",
                                 fs::absolute(global.workspace),
                                 "train",
                                 "--name",
                                 options.name,
                                 "--continue"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  if (!options.file.empty()) words.push_back(fs::absolute(options.file));
  add("--preset", options.preset);
  add("--data", options.dataset);
  add("--from", options.from);
  add("--device", options.device);
  if (options.threads >= 0) add("--threads", fmt::to_string(options.threads));
  for (const std::string& text : options.overrides) add("--set", text);
  return words;
}

}  // namespace

std::vector<std::string> overridesOf(const TrainOptions& options) {
  auto overrides = options.overrides;
  if (!options.dataset.empty()) overrides.push_back("data.dataset=" + options.dataset);
  if (!options.from.empty()) overrides.push_back("training.from=" + Json(options.from).dump());
  if (!options.device.empty()) overrides.push_back("training.device=" + options.device);
  if (options.threads >= 0)
    overrides.push_back(fmt::format("training.threads={}", options.threads));
  return overrides;
}

Json newConfig(const TrainOptions& options) {
  if (options.file.empty() && options.preset.empty()) {
    throw usageError(
        "Name what to train: a SPEC.yaml, or --preset P --data D (strata-run train --help)");
  }
  return resolveConfig(
      {.file = options.file, .preset = options.preset, .overrides = overridesOf(options)},
      builtInSources());
}

void writeSlurmScript(const GlobalOptions& global, const TrainOptions& options) {
  if (options.name.empty() || !options.resume.empty()) {
    throw usageError(
        "--slurm needs a --name, by which the script also continues the run, and no --resume");
  }
  checkRunName(options.name);
  openTraining(newConfig(options), global.workspace / "datasets");  // all mistakes show now
  const fs::path script =
      fs::absolute(options.output.empty() ? slugOf(options.name) + ".sbatch" : options.output);
  writeNamedOutput(script, slurmTrainingScript({.name = options.name,
                                                .folder = script.parent_path(),
                                                .command = taskCommand(global, options),
                                                .nodes = options.nodes,
                                                .tasksPerNode = options.tasksPerNode,
                                                .lines = options.sbatch}));
  if (outputPlaceOf(script).replaced)
    fs::permissions(script, fs::perms::owner_exec, fs::perm_options::add);
  const int processes = options.nodes * options.tasksPerNode;
  if (global.json) return printJson({{"script", script.string()}, {"processes", processes}});
  fmt::print("{} process{}: sbatch {}\n", processes, processes == 1 ? "" : "es",
             wordForShell(script));
}

}  // namespace strata
