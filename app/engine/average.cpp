#include <fmt/format.h>

#include <algorithm>

#include <memory>

#include "app/engine/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/run/config.h"
#include "core/store/runs.h"
#include "core/train/average.h"
#include "core/train/checkpoint.h"

namespace strata {
namespace {

struct AverageOptions {
  std::string run;
  int last = 0, best = 0;
  fs::path output;
};

// The newest `last` or best `best` checkpoints of a run; each is checked for damage.
std::vector<CheckpointInfo> chosen(const RunSummary& run, const AverageOptions& options) {
  const std::string metric = configAt(runConfig(run), "checkpoint.metric").get<std::string>();
  auto all = options.best > 0 ? rankedCheckpoints(run.folder, metric) : listCheckpoints(run.folder);
  if (options.last > 0) std::reverse(all.begin(), all.end());
  const auto count = static_cast<std::size_t>(options.best > 0 ? options.best : options.last);
  if (all.size() < count) {
    throw usageError(
        "Run {} has {} such checkpoints, not {}; raise checkpoint.keep_{} when training", run.name,
        all.size(), count, options.best > 0 ? "best" : "last");
  }
  all.resize(count);
  for (const auto& info : all) {
    if (const std::string damage = damageOf(info.folder); !damage.empty())
      throw Error("{}", damage);
  }
  return all;
}

void average(const GlobalOptions& global, const AverageOptions& options) {
  if ((options.last > 0) == (options.best > 0))
    throw usageError("Give either --last N or --best N, N > 0");
  Workspace workspace(global.workspace);
  const RunSummary run = findRun(workspace, options.run);
  std::vector<fs::path> folders;
  Json steps = Json::array();
  for (const auto& info : chosen(run, options)) {
    folders.push_back(info.folder);
    steps.push_back(info.step);
  }
  averageModels(folders, options.output);
  const fs::path text = run.folder / "text";
  if (fs::exists(text)) fs::copy(text, options.output / "text", fs::copy_options::recursive);
  if (global.json) {
    return printJson({{"run", run.name}, {"steps", steps}, {"model", options.output.string()}});
  }
  fmt::print("averaged steps {} of run {} into {}\n", steps.dump(), run.name,
             options.output.string());
}

}  // namespace

void addAverageCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<AverageOptions>();
  auto* verb = app.add_subcommand("average", "Average the parameters of a run's checkpoints");
  verb->add_option("--run", options->run, "Run, by id or name")->required();
  verb->add_option("--last", options->last, "Average the newest N checkpoints");
  verb->add_option("--best", options->best,
                   "Average the best N checkpoints by the run's checkpoint.metric");
  verb->add_option("--output", options->output, "Folder to write the new model to")->required();
  verb->footer("Example:\n  strata-run average --run first --last 5 --output first-average");
  verb->callback([options, &global] { average(global, *options); });
}

}  // namespace strata
