#include <fmt/format.h>
#include <torch/version.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <set>

#include "app/commands/standard_output.h"
#include "app/companions.h"
#include "app/engine/train_options.h"
#include "app/engine/verbs.h"
#include "app/launcher.h"
#include "app/mkl_vendor.h"
#include "app/run_control.h"
#include "app/starting_point.h"
#include "app/training_setup.h"
#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/error_message.h"
#include "core/base/files.h"
#include "core/base/key_path.h"
#include "core/base/log.h"
#include "core/base/version.h"
#include "core/store/began_with.h"
#include "core/store/imported.h"
#include "core/store/jobs.h"
#include "core/store/kept_config.h"
#include "core/store/looks.h"
#include "core/store/run_session.h"
#include "core/store/runs.h"
#include "core/train/checkpoint.h"
#include "core/train/device.h"
#include "core/train/memory.h"
#include "core/train/trainer.h"
#include "models/presets.h"

namespace strata {
namespace {

// The run to train and its configuration.
struct Task {
  RunSummary run;
  Json config;
  bool resume = false;
  std::int64_t job = 0;
  bool reconfigures = false;  // `config` replaces the one in the run's folder
  std::shared_ptr<TranslationModel> model = nullptr;  // if its starting point has already been read
};

void checkOrAccept(Workspace& workspace, const RunSummary& run, const TrainOptions& options) {
  if (!options.acceptEdited) return checkConfig(workspace, run);
  for (const std::string& edit : acceptConfig(workspace, run))
    spdlog::info("run={} edited: {}", run.name, edit);
}

// The run of the command's name, to continue it; null: there is none.
std::optional<Task> continuedTask(Workspace& workspace, const TrainOptions& options) {
  if (options.name.empty()) {
    throw usageError(
        "Give the run a --name: by it the same command continues the run when it is started again");
  }
  const auto runs = listRuns(workspace, {.trashed = true});
  const auto run = std::ranges::find(runs, options.name, &RunSummary::name);
  if (run == runs.end()) return {};
  requireModel(*run);
  checkOrAccept(workspace, *run, options);
  const Json before = runConfig(*run);
  Task task{.run = *run, .config = {}, .resume = true};
  task.config = resolveContinued(before, newConfig(options), builtInSources());
  task.reconfigures = task.config != before;
  return task;
}

Task taskOf(Workspace& workspace, const TrainOptions& options) {
  if (options.job > 0) {
    const Job job = jobById(workspace, options.job);
    Task task{.run = runById(workspace, job.run),
              .config = job.config,
              .resume = job.resume,
              .job = job.id};
    checkConfig(workspace, task.run);
    // The worker decides the device; the run's start event records it.
    if (!options.device.empty()) task.config["training"]["device"] = options.device;
    if (options.threads >= 0) task.config["training"]["threads"] = options.threads;
    return task;
  }
  if (!options.resume.empty()) {
    if (!options.file.empty() || !options.preset.empty() || !options.from.empty() ||
        !options.dataset.empty()) {
      throw usageError(
          "--resume continues a run unchanged; for other data, another preset or model start a new "
          "run with --from CHECKPOINT");
    }
    Task task{.run = findRun(workspace, options.resume), .config = {}, .resume = true};
    requireModel(task.run);
    checkOrAccept(workspace, task.run, options);
    const Json before = runConfig(task.run);
    task.config = resolveResume(before, overridesOf(options), builtInSources());
    task.reconfigures = task.config != before;
    return task;
  }
  if (options.continues) {
    if (auto task = continuedTask(workspace, options)) return *task;
  }
  const Json asked = newConfig(options);
  // Data, device and model are checked before the run is created.
  const TrainingSetup setup = openTraining(asked, workspace.datasetsFolder());
  const Json config = withScorer(asked, *setup.text);
  const torch::Device device = selectDevice(setup.spec.training.device);
  std::shared_ptr<TranslationModel> model;
  std::optional<fs::path> from;
  if (!setup.spec.training.from.empty()) {
    model = makeModel(setup, device);
    from = readStartingPoint(setup, workspace, *model);
  }
  const std::string preset = options.preset.empty() ? config.value("preset", "") : options.preset;
  const RunSummary run =
      createRun(workspace, {.name = options.name, .config = config, .preset = preset});
  if (from) recordBeginning(workspace, run.folder, *from);
  return {.run = run, .config = config, .model = model};
}

// Gives the run its own text pipeline by hard links, so that a model translates even when its
// dataset is gone. Existing files that differ from the dataset's, which have been verified, are
// damaged and replaced.
void keepText(const Dataset& dataset, const fs::path& runFolder) {
  const fs::path kept = runFolder / "text";
  for (const auto& file : TextPipeline::files(dataset.textFolder())) {
    const fs::path from = dataset.textFolder() / file, to = kept / file;
    if (fs::exists(to)) {
      if (fs::equivalent(from, to) || readFile(from) == readFile(to)) continue;
      spdlog::warn("{} is damaged; it is replaced by the dataset's copy", to.string());
      fs::remove(to);
    }
    fs::create_directories(to.parent_path());
    linkOrCopy(from, to);
  }
  TextPipeline::seal(kept);
}

std::string commandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::replace(text.begin(), text.end(), '\0', ' ');
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

TrainedPairs trainedPairs(const TrainingSetup& setup, const PhaseSpec& phase) {
  const BatchOptions options = batchOptionsOf(setup.spec, phase);
  const std::int64_t all = (options.bidirectional ? 2 : 1) * setup.train->pairs(),
                     leftOut = pairsLeftOut(*setup.train, options);
  return {.pairs = all - leftOut,
          .leftOut = leftOut,
          .longest = longestTrained(options),
          .dropped = setup.dataset.droppedUnits()};
}

// `at`: the state that it goes on from.
RunStart startOf(const TrainingSetup& setup, const Task& task, const TrainingState& at,
                 const torch::Device& device, const Companions& companions) {
  const auto& phases = setup.spec.training.phases;
  const PhaseSpec& phase =
      phases.at(std::min(static_cast<std::size_t>(at.phase), phases.size() - 1));
  RunStart start;
  start.time = countedSeconds();
  start.fromStep = at.step;
  start.job = task.job;
  start.program = programVersion();
  start.libtorch = TORCH_VERSION;
  start.device = device.str();
  start.threads = at::get_num_threads();
  start.processes = companions.size();
  start.mklFast = mklFast();
  start.command = commandLine();
  start.datasetDigest = setup.dataset.digest();
  start.sourceVocabularyDigest = digestOf(setup.text->vocabulary(Side::kSource).toText());
  start.targetVocabularyDigest = digestOf(setup.text->vocabulary(Side::kTarget).toText());
  start.targetVocabulary = setup.text->vocabulary(Side::kTarget).size();
  start.trained = trainedPairs(setup, phase);
  return start;
}

void printResult(const GlobalOptions& global, const RunSummary& run, const RunEndEvent& end,
                 const ConsoleSink& console) {
  Json scores = Json::object();
  for (const auto& [name, event] : console.newest()) scores[name] = event.value;
  if (global.json) {
    return printOut(Json{{"run", run.id},
                         {"name", run.name},
                         {"folder", run.folder.string()},
                         {"outcome", outcomeName(end.outcome)},
                         {"step", end.step},
                         {"reason", end.message},
                         {"values", scores}}
                        .dump(2) +
                    "\n");
  }
  std::string text = fmt::format("run {} ({}) {} at step {}: {}\n", run.id, run.name,
                                 outcomeName(end.outcome), end.step, end.message);
  for (const auto& [name, value] : scores.items()) {
    if (name.starts_with("valid/")) text += fmt::format("  {} {:.4f}\n", name, value.get<double>());
  }
  printOut(text +
           fmt::format("results: {}\ntranslate with it: strata-run translate --run {}@best\n",
                       run.folder.string(), run.name));
}

// The run's file gets the configuration that it goes on with. `text`: of a run that has not been
// started before, which gets the scorer of its text; else null.
void configure(Workspace& workspace, const Task& task, const TextPipeline* text) {
  const Json kept = task.reconfigures ? task.config : runConfig(task.run);
  const Json config = text != nullptr ? withScorer(kept, *text) : kept;
  if (task.reconfigures || config != kept) replaceConfig(workspace, task.run.id, config);
}

RunEndEvent trainRun(const GlobalOptions& global, Workspace& workspace, const Task& task,
                     Companions& companions) {
  RunLock lock = takeRun(workspace, task.run.id);
  const RunLog log(task.run.folder);
  const auto starts = runStarts(workspace, task.run.id);
  const std::string digest = task.resume && !starts.empty() ? starts.front().datasetDigest : "";
  const TrainingSetup setup = openTraining(task.config, workspace.datasetsFolder(), digest);
  keepText(setup.dataset, task.run.folder);
  companions.begin({.config = task.config, .datasetDigest = setup.dataset.digest()});
  companions.useThreads(setup.spec.training);
  const torch::Device device = companions.useDevice(setup.spec.training);
  setDeterministic(setup.spec.training.deterministic, device);
  const auto model = task.model ? task.model : makeModel(setup, device);
  std::optional<CheckpointInfo> from;
  if (task.resume && !listCheckpoints(task.run.folder).empty())
    from = lastGoodCheckpoint(task.run.folder);
  if (!from && !task.model) {
    if (const auto start = readStartingPoint(setup, workspace, *model))
      recordBeginning(workspace, task.run.folder, *start);
  }
  const TrainingState before = from ? readTrainingState(from->folder) : TrainingState();
  const std::int64_t fromStep = before.step;
  const RunStart start = startOf(setup, task, before, device, companions);
  RunSession session(workspace, task.run.id, start, std::move(lock));
  ExperimentSpec planned = setup.spec;
  planned.training.accumulate *= from ? before.processes : companions.size();
  ConsoleSink console(plannedUpdates(planned, *setup.train), fromStep);
  RunSink sink(workspace, session, console, setup);
  RunControl control(session, console);
  try {
    Trainer trainer(setup.spec, {.model = model,
                                 .train = setup.train,
                                 .sets = setup.sets,
                                 .text = idTextOf(setup.text),
                                 .runFolder = task.run.folder,
                                 .device = device,
                                 .sink = sink,
                                 .control = control,
                                 .runId = task.run.id,
                                 .group = companions.group()});
    if (from) trainer.resume(from->folder);
    // All checks have passed.
    configure(workspace, task, starts.empty() ? setup.text.get() : nullptr);
    spdlog::info(
        "run={} parameters={} device={} processes={} threads={} batches={} padding={:.1f}%",
        task.run.name, model->parameterCount(), device.str(), companions.size(),
        at::get_num_threads(), trainer.batches().batches, 100 * trainer.batches().paddingWaste());
    spdlog::info("run={} trains on {}", task.run.name, textOf(start.trained));
    const RunEndEvent end = trainer.run();
    printResult(global, task.run, end, console);
    return end;
  } catch (const std::exception& error) {
    if (!session.ended())
      sink.ended({.runId = task.run.id,
                  .step = fromStep,
                  .outcome = RunOutcome::kFailed,
                  .message = messageOf(error)});
    throw;
  }
}

std::string durationText(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * 3600) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

void printDryRun(const GlobalOptions& global, const Json& report) {
  if (global.json) return printJson(report);
  fmt::print("{}", toYaml(report.at("config")));
  fmt::print("# data:       {} version {}, {} pairs ({} left out), padding {:.1f} %\n",
             report["dataset"]["name"].get<std::string>(),
             report["dataset"]["version"].get<std::int64_t>(),
             report["sentences"].get<std::int64_t>(), report["left_out"].get<std::int64_t>(),
             100 * report["padding"].get<double>());
  fmt::print("# parameters: {}\n", report["parameters"].get<std::int64_t>());
  fmt::print("# memory:     {} MiB at the peak on {}\n",
             report["memory_bytes"].get<std::int64_t>() >> 20, report["device"].get<std::string>());
  fmt::print("# rate:       {:.0f} target tokens/s, {} updates and {} an epoch\n",
             report["tokens_per_second"].get<double>(),
             report["updates_per_epoch"].get<std::int64_t>(),
             durationText(report["seconds_per_epoch"].get<double>()));
  if (report["seconds"].is_null()) {
    fmt::print(
        "# time:       unlimited: only early stopping, a time limit or a stop request ends this "
        "run\n");
  } else {
    const std::string from = durationText(report["seconds_range"][0].get<double>()),
                      to = durationText(report["seconds_range"][1].get<double>());
    fmt::print("# time:       {} for {} updates, validation not counted ({})\n",
               from == to ? from : from + " to " + to, report["updates"].get<std::int64_t>(),
               textOf(TimeBasis::read(report["basis"])));
  }
}

// Runs of the workspace that train now.
int runningRuns(const GlobalOptions& global) {
  if (!fs::exists(global.workspace / "workspace.db")) return 0;
  Workspace workspace(global.workspace, {.access = Access::kRead, .networkFileSystem = {}});
  const auto runs = listRuns(workspace);
  return static_cast<int>(std::ranges::count(runs, RunStatus::kRunning, &RunSummary::status));
}

// Without a dataset only the configuration can be shown.
void dryRunVerb(const GlobalOptions& global, const TrainOptions& options) {
  const Json config = newConfig(options);
  const ExperimentSpec spec = parseExperiment(config);
  if (spec.data.dataset.empty()) {
    fmt::print("{}", global.json ? Json{{"config", config}}.dump(2) + "\n" : toYaml(config));
    return;
  }
  setThreads(spec.training.threads);
  const TrainingSetup setup = openTraining(config, global.workspace / "datasets");
  printDryRun(global, dryRun(setup, runningRuns(global)));
}

// What all processes of a training are asked alike; each may have a device and threads of its own.
Companions::Asked askedOf(const TrainOptions& options) {
  Companions::Asked asked{.request = {{"name", options.name},
                                      {"resume", options.resume},
                                      {"from", options.from},
                                      {"set", options.overrides}}};
  if (options.file.empty() && options.preset.empty()) return asked;
  Json config = newConfig(options);
  asked.timeout = parseExperiment(config).training.peerTimeout;
  for (const char* own : {"training.device", "training.threads"}) eraseAt(config, own);
  asked.request.erase("set");
  asked.request["config"] = std::move(config);
  return asked;
}

void train(const GlobalOptions& global, const TrainOptions& options) {
  if (options.slurm) return writeSlurmScript(global, options);
  keepFreedMemory();
  // A job is taken by a single process.
  const auto launch = options.job == 0 ? launchOfProcess() : std::nullopt;
  if (options.dryRun) {
    if (!launch || launch->rank == 0) dryRunVerb(global, options);
    return;
  }
  std::signal(SIGPIPE, SIG_IGN);  // training continues if the reader of the output has gone
  const SignalGuard signals;
  Companions companions(launch, launch ? askedOf(options) : Companions::Asked{});
  companions.run(
      [&] {
        Workspace workspace(global.workspace);
        TrainOptions own = options;
        own.continues = own.continues || (launch && own.resume.empty());
        const Task task = taskOf(workspace, own);
        trainRun(global, workspace, task, companions);
      },
      global.workspace / "datasets");
  if (stopSignal() != 0) throw CLI::RuntimeError(128 + stopSignal());
}

}  // namespace

void addTrainCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<TrainOptions>();
  auto* verb = app.add_subcommand("train", "Train a model, or continue a run");
  verb->add_option("spec", options->file,
                   "Configuration as YAML (all keys: train --preset P --dry-run)");
  verb->add_option("--preset", options->preset, "Built-in configuration: mlrf/both-fnn-sa4, ...");
  verb->add_option("--data", options->dataset, "Dataset of the workspace to train on");
  verb->add_option("--name", options->name, "Name of the run (default: derived from the preset)");
  verb->add_option("--set", options->overrides,
                   "KEY=VALUE overrides a key; the last value of a key wins")
      ->allow_extra_args(false);
  verb->add_option("--resume", options->resume,
                   "Continue this run (id or name) from its last good checkpoint");
  verb->add_flag("--continue", options->continues,
                 "Continue the run of this --name if there is one, else start it; processes of "
                 "torchrun and srun always do");
  verb->add_flag(
      "--accept-edited", options->acceptEdited,
      "Continue although the run's config.effective.yaml was edited, with what it says now");
  auto* slurm = verb->add_flag("--slurm", options->slurm,
                               "Write a script for sbatch that trains the run and requeues itself");
  verb->add_option("--nodes", options->nodes, "Of the script: computers")
      ->check(CLI::PositiveNumber)
      ->needs(slurm);
  verb->add_option("--tasks-per-node", options->tasksPerNode,
                   "Of the script: processes on each computer, such as one per GPU")
      ->check(CLI::PositiveNumber)
      ->needs(slurm);
  verb->add_option("--sbatch", options->sbatch,
                   "Of the script: an option of sbatch, --time=24:00:00")
      ->allow_extra_args(false)
      ->needs(slurm);
  verb->add_option("--output", options->output, "The script (default: NAME.sbatch here)")
      ->needs(slurm);
  verb->add_option("--from", options->from,
                   "Start a new run from the parameters of a run (NAME, NAME@best), a checkpoint's "
                   "or a model's folder");
  verb->add_flag(
      "--dry-run", options->dryRun,
      "Check the data and print configuration, parameter count, and estimated memory and time");
  verb->add_option("--threads", options->threads, "Threads; 0: all cores");
  verb->add_option("--device", options->device, "auto, cpu, cuda or cuda:N");
  verb->add_option("--job", options->job, "Train job ID of the queue (set by the worker)");
  verb->footer(
      "Examples:\n"
      "  strata-run train --preset mlrf/both-fnn-sa4 --data multi30k --name first --set "
      "training.max_epochs=12\n"
      "  strata-run train experiment.yaml --device cuda\n"
      "  strata-run train --resume first --set training.max_epochs=20\n"
      "  strata-run train --preset mlrf/base --data multi30k --dry-run\n"
      "  torchrun --no-python --nproc-per-node 2 strata-run train --preset mlrf/base --data "
      "multi30k --name two\n"
      "  srun --nodes 2 --ntasks-per-node 8 strata-run train --preset mlrf/base --data multi30k "
      "--name many\n"
      "Processes of torchrun and srun train one model together, each with a part of every update's "
      "batches.\n"
      "SIGINT (Ctrl+C), SIGTERM and SIGHUP (a lost connection; not under nohup) save and end the\n"
      "run with status 128 + their number; a second Ctrl+C or SIGTERM exits without saving.\n"
      "Training continues if the reader of the output exits (... | head).");
  verb->callback([options, &global] { train(global, *options); });
}

}  // namespace strata
