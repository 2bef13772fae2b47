#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/engine/verbs.h"
#include "core/base/copy_tree.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/growing_folder.h"
#include "core/run/averaged_models.h"
#include "core/run/config.h"
#include "core/store/imported.h"
#include "core/store/runs.h"
#include "core/train/average.h"
#include "core/train/checkpoint.h"

namespace strata {
namespace {

struct AverageOptions {
  std::string run;
  int last = 0, best = 0;
  std::vector<std::int64_t> steps;
  fs::path output;  // empty: in the run's folder
};

// The checkpoints of these steps.
std::vector<CheckpointInfo> ofSteps(const RunSummary& run, const std::vector<std::int64_t>& steps) {
  const auto all = listCheckpoints(run.folder);
  std::vector<CheckpointInfo> found;
  for (const std::int64_t step : steps) {
    const auto at = std::ranges::find(all, step, &CheckpointInfo::step);
    if (at == all.end()) throw usageError("Run {} has no checkpoint of step {}", run.name, step);
    found.push_back(*at);
  }
  return found;
}

// The newest `last`, best `best` or named checkpoints of a run.
std::vector<CheckpointInfo> chosen(const RunSummary& run, const AverageOptions& options) {
  if (!options.steps.empty()) return ofSteps(run, options.steps);
  const std::string metric = configAt(runConfig(run), "checkpoint.metric").get<std::string>();
  auto all = listCheckpoints(run.folder);
  if (options.best > 0) {
    warnOfDamaged(all);
    all = rankedCheckpoints(std::move(all), metric);
  }
  if (options.last > 0) std::reverse(all.begin(), all.end());
  const auto count = static_cast<std::size_t>(options.best > 0 ? options.best : options.last);
  if (all.size() < count) {
    throw usageError(
        "Run {} has {} such checkpoints, not {}; raise checkpoint.keep_{} when training", run.name,
        all.size(), count, options.best > 0 ? "best" : "last");
  }
  all.resize(count);
  return all;
}

void average(const GlobalOptions& global, const AverageOptions& options) {
  if ((options.last > 0) + (options.best > 0) + !options.steps.empty() != 1)
    throw usageError("Give one of --last N, --best N (N > 0) and --steps A,B");
  Workspace workspace(global.workspace);
  const RunSummary run = findRun(workspace, options.run);
  requireModel(run);
  std::vector<fs::path> folders;
  std::vector<std::int64_t> steps;
  for (const auto& info : chosen(run, options)) {
    if (const std::string damage = damageOf(info.folder); !damage.empty())
      throw Error("{}", damage);
    folders.push_back(info.folder);
    steps.push_back(info.step);
  }
  std::vector<std::int64_t> ascending = steps;  // `steps` keeps the order: best or newest first
  std::ranges::sort(ascending);
  const fs::path output =
      options.output.empty() ? averagedModelFolder(run.folder, ascending) : options.output;
  fs::path place = fs::absolute(output).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();
  if (fs::exists(output) && !fs::is_empty(output)) {
    removeDeadFolders(place.parent_path());
    throw usageError("{} is not empty", output.string());
  }
  const GrowingFolder grown(place.parent_path(), place.filename().string());
  averageModels(folders, grown.path());
  if (const fs::path text = run.folder / "text"; fs::exists(text))
    copyTree(text, grown.path() / "text");
  writeAverageSteps(grown.path(), ascending);
  moveDurably(grown.path(), place);
  if (global.json)
    return printJson({{"run", run.name}, {"steps", steps}, {"model", output.string()}});
  fmt::print("averaged steps {} of run {} into {}\n", Json(steps).dump(), run.name,
             output.string());
}

}  // namespace

void addAverageCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<AverageOptions>();
  auto* verb = app.add_subcommand("average", "Average the parameters of a run's checkpoints");
  verb->add_option("--run", options->run, "Run, by id or name")->required();
  verb->add_option("--last", options->last, "Average the newest N checkpoints");
  verb->add_option("--best", options->best,
                   "Average the best N checkpoints by the run's checkpoint.metric");
  verb->add_option("--steps", options->steps, "Average the checkpoints of these steps: A,B,C")
      ->delimiter(',')
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--output", options->output,
                   "Folder to write the new model to (default: averages/ in the run's folder)");
  verb->footer(
      "Examples:\n"
      "  strata-run average --run first --last 5 --output first-average\n"
      "  strata-run average --run first --steps 4000,6000\n");
  verb->callback([options, &global] { average(global, *options); });
}

}  // namespace strata
