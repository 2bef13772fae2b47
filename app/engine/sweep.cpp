// strata-run sweep: a grid of configurations times seeds, queued here or as a Slurm array.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "app/engine/verbs.h"
#include "app/training_setup.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/named_output.h"
#include "core/base/shell.h"
#include "core/base/text_limits.h"
#include "core/data/dataset.h"
#include "core/report/table.h"
#include "core/run/sweep.h"
#include "core/store/planned_runs.h"
#include "core/store/runs.h"
#include "models/presets.h"

namespace strata {
namespace {

constexpr std::size_t kDefaultArray = 1001;  // Slurm's default MaxArraySize

struct SweepRequest {
  std::string file, output;
  // Instead of a file:
  std::string name, preset, dataset, seeds = "1";
  std::vector<std::string> overrides, grid;
  bool slurm = false, retry = false;
};

std::vector<PlannedRun> plannedRuns(const Sweep& sweep, const std::vector<SweepRun>& runs) {
  std::vector<PlannedRun> planned;
  for (const SweepRun& run : runs)
    planned.push_back({.name = run.name,
                       .preset = sweep.preset,
                       .dataset = sweep.dataset,
                       .seed = run.seed,
                       .overrides = run.overrides});
  return planned;
}

// Nothing is queued or written if one of the runs would fail at its start.
void requireStarts(const std::vector<PlannedRun>& runs, const Dataset& dataset) {
  for (const PlannedRun& run : runs) {
    const std::string problem = startProblem(configOf(run, builtInSources()), dataset);
    if (!problem.empty()) throw usageError("the run '{}' cannot start: {}", run.name, problem);
  }
}

void queueHere(const GlobalOptions& global, const SweepRequest& request, const Sweep& sweep,
               const std::vector<PlannedRun>& runs) {
  Workspace workspace(global.workspace);
  const auto queued = queueRuns(workspace, runs, builtInSources(), request.retry);
  Json list = Json::array();
  Table table{.columns = {{"run"}, {"outcome"}}};
  for (const QueuedRun& run : queued) {
    list.push_back({{"name", run.plan.name}, {"seed", run.plan.seed}, {"outcome", run.text()}});
    table.rows.push_back({run.plan.name, run.text()});
  }
  if (global.json) return printJson({{"sweep", sweep.name}, {"runs", list}});
  fmt::print("{}\nstrata-run work --once trains the queued runs\n", textTable(table));
}

void writeSlurm(const GlobalOptions& global, const SweepRequest& request, const Sweep& sweep,
                const std::vector<PlannedRun>& planned, const std::vector<SweepRun>& runs) {
  const fs::path folder =
      fs::absolute(request.output.empty() ? fs::path(sweep.name) : fs::path(request.output));
  // Check everything before writing anything.
  std::vector<std::string> specs;
  for (const PlannedRun& run : planned) {
    checkRunName(run.name);
    specs.push_back(toYaml(configOf(run, builtInSources())));
  }
  const std::string text =
      slurmScript(sweep, runs,
                  {.program = fs::canonical("/proc/self/exe").string(),
                   .folder = folder.string(),
                   .datasets = fs::absolute(global.workspace / "datasets").string()});
  for (std::size_t i = 0; i < specs.size(); ++i)
    writeNamedOutput(folder / "specs" / fmt::format("{:04}.yaml", i), specs[i]);
  const fs::path script = folder / "array.sbatch";
  writeNamedOutput(script, text);
  fs::permissions(script, fs::perms::owner_exec, fs::perm_options::add);
  if (runs.size() > kDefaultArray)
    spdlog::warn("{} tasks: Slurm refuses the array if MaxArraySize is {}, the default",
                 runs.size(), kDefaultArray);
  if (global.json) {
    return printJson({{"sweep", sweep.name},
                      {"tasks", runs.size()},
                      {"script", script.string()},
                      {"folder", folder.string()}});
  }
  fmt::print(
      "{} tasks: sbatch {}\nimport the runs, even while they train: strata-run runs merge {} "
      "--follow\n",
      runs.size(), wordForShell(script), wordForShell(folder));
}

Sweep sweepOf(const SweepRequest& request) {
  const bool options = !request.name.empty() || !request.preset.empty() ||
                       !request.dataset.empty() || !request.overrides.empty() ||
                       !request.grid.empty();
  if (!request.file.empty()) {
    if (options)
      throw usageError("give a file, or --name, --preset, --data, --grid, --set: not both");
    return parseSweep(readBounded(request.file, kYamlLimits.bytes), request.file);
  }
  if (request.name.empty() || request.preset.empty() || request.dataset.empty())
    throw usageError("give a file, or --name, --preset and --data");
  Sweep sweep;
  sweep.name = request.name;
  sweep.preset = request.preset;
  sweep.dataset = request.dataset;
  sweep.overrides = request.overrides;
  sweep.seeds = parseSeeds(request.seeds);
  for (const std::string& text : request.grid) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw usageError("--grid {}: expected KEY=VALUE, VALUE", text);
    const std::string key = text.substr(0, equals);
    sweep.grid.emplace_back(key, parseGridValues(key, text.substr(equals + 1)));
  }
  return sweep;
}

void sweepVerb(const GlobalOptions& global, const SweepRequest& request) {
  const Sweep sweep = sweepOf(request);
  const auto runs = expandSweep(sweep);
  const auto planned = plannedRuns(sweep, runs);
  requireStarts(planned, Dataset::open(global.workspace / "datasets", sweep.dataset));
  if (request.slurm) {
    writeSlurm(global, request, sweep, planned, runs);
  } else {
    queueHere(global, request, sweep, planned);
  }
}

}  // namespace

void addSweepCommand(CLI::App& app, const GlobalOptions& global) {
  auto request = std::make_shared<SweepRequest>();
  auto* verb = app.add_subcommand("sweep", "Queue a grid of settings times seeds");
  verb->add_option("SWEEP", request->file,
                   "YAML file: sweep, preset, data, set, grid, seeds, slurm; or give its parts by "
                   "the options");
  verb->add_option("--name", request->name, "Name of the sweep, with which its runs' names begin");
  verb->add_option("--preset", request->preset, "Preset of all runs");
  verb->add_option("--data", request->dataset, "Dataset of all runs");
  verb->add_option("--grid", request->grid, "KEY=VALUE, VALUE: values of a setting")
      ->allow_extra_args(false);
  verb->add_option("--set", request->overrides, "KEY=VALUE for all runs")->allow_extra_args(false);
  verb->add_option("--seeds", request->seeds, "3: 1 to 3; or 4-6; or 1,5")->capture_default_str();
  auto* slurm = verb->add_flag("--slurm", request->slurm,
                               "Write a script for sbatch instead of queueing here");
  verb->add_option("--output", request->output, "Folder for the script (default: the sweep's name)")
      ->needs(slurm);
  verb->add_flag("--retry", request->retry, "Also queue failed, stopped and paused runs again");
  verb->footer(
      "Example of a file:\n"
      "  sweep: tuning\n"
      "  preset: mlrf/base\n"
      "  data: multi30k\n"
      "  grid: {training.dropout: [0.1, 0.2, 0.3], training.optimizer.lr: [5.0e-4, 1.0e-3]}\n"
      "  seeds: 3\n"
      "  slurm: {time: \"12:00:00\", account: nmt, gres: \"gpu:1\", cpus: 4, memory: 16G}\n"
      "Keys of slurm: time, partition, account, qos, gres, memory, cpus, at_once (tasks at the\n"
      "same time), lines (more options of sbatch), before (shell lines before training).\n"
      "Examples:\n  strata-run sweep tuning.yaml\n  strata-run sweep tuning.yaml --slurm --output "
      "/shared/tuning\n"
      "  strata-run sweep --name tuning --preset mlrf/base --data multi30k --grid "
      "'training.dropout=0.1, 0.2' --seeds 3");
  verb->callback([&global, request] { sweepVerb(global, *request); });
}

}  // namespace strata
