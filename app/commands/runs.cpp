#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <set>

#include "app/commands/listing.h"
#include "app/commands/run_json.h"
#include "app/commands/runs_import.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/key_path.h"
#include "core/report/table.h"
#include "core/run/configuration_group.h"
#include "core/store/imported.h"
#include "core/store/jobs.h"
#include "core/store/kept_config.h"
#include "core/store/run_settings.h"
#include "core/store/runs.h"
#include "core/store/scalars.h"
#include "core/store/waiting.h"
#include "core/sweeps/run_groups.h"

namespace strata {
namespace {

struct RunsOptions {
  std::string run;
  std::vector<std::string> words;  // a new name, or tags
  bool all = false, remove = false, groups = false, acceptEdited = false;
  std::string tag, device;
  std::vector<std::string> settings;  // keys that are listed, too
  double wait = 30;                   // seconds
  std::int64_t updates = 0;           // to which a run goes on; 0: as it is configured
};

std::string duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  return whole >= 3600 ? fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60)
                       : fmt::format("{}m{:02}s", whole / 60, whole % 60);
}

template <typename Row>
Json listJson(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(toJson(row));
  return list;
}

// Of a run whose folder is missing there are none.
std::shared_ptr<const RunSettings::Values> valuesOf(RunSettings& settings, const RunSummary& run) {
  try {
    return settings.of(run).values;
  } catch (const Error&) {
    return RunSettings::Run().values;
  }
}

// The settings of the runs, one list per key; null where a run has no such key. A key that no run
// has is mistyped.
std::vector<std::vector<Json>> settingsOf(const std::vector<RunSummary>& runs,
                                          const std::vector<std::string>& keys) {
  std::vector<std::vector<Json>> columns(keys.size());
  if (keys.empty() || runs.empty()) return columns;
  RunSettings settings;
  std::set<std::string> known;
  for (const RunSummary& run : runs) {
    const auto values = valuesOf(settings, run);
    for (const auto& [key, value] : *values) known.insert(key);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const auto found = values->find(keys[k]);
      columns[k].push_back(found == values->end() ? Json() : found->second);
    }
  }
  for (const std::string& key : keys) {
    if (!known.contains(key))
      throw usageError("no run has the setting '{}'; the nearest is '{}'", key,
                       nearestOf(key, {known.begin(), known.end()}));
  }
  return columns;
}

void listGroups(const GlobalOptions& global, const std::vector<RunSummary>& runs) {
  const auto groups = runGroups(runs);
  if (global.json) return printJson({{"groups", toJson(groups)}});
  fmt::print(
      "{}\nbest, last: means over the runs; low, high: 95 % interval of the mean best "
      "(Student's t)\n",
      textTable(shownTable(groups)));
}

void list(const GlobalOptions& global, const RunsOptions& options) {
  Workspace workspace = openFresh(global);
  const auto runs = listRuns(workspace, {.trashed = options.all, .tag = options.tag});
  if (options.groups && !runs.empty()) return listGroups(global, runs);
  const auto& keys = options.settings;
  const auto settings = settingsOf(runs, keys);
  if (global.json) {
    Json list = listJson(runs);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      for (std::size_t i = 0; i < runs.size(); ++i) list[i]["settings"][keys[k]] = settings[k][i];
    }
    return printJson({{"runs", std::move(list)}});
  }
  if (runs.empty()) {
    fmt::print("no runs in {}: `strata-run demo` creates a first one\n", workspace.root().string());
    return;
  }
  std::size_t width = 4;
  for (const auto& run : runs) width = std::max(width, run.name.size());
  const auto settingsText = [&](const auto& textOf) {
    std::string text;
    for (std::size_t k = 0; k < keys.size(); ++k)
      text += fmt::format("  {:>{}}", textOf(k), keys[k].size());
    return text;
  };
  fmt::print("{:>5}  {:<{}}  {:<11}  {:>8}  {:>10}  {:>8}  {:>8}{}  {}\n", "id", "name", width,
             "status", "step", "best", "tokens/s", "time",
             settingsText([&](std::size_t k) { return keys[k]; }), "metric");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunSummary& run = runs[i];
    const std::string best = run.bestStep < 0 ? "-" : fmt::format("{:.4g}", run.best);
    const std::string status = run.trashed ? "in trash" : std::string(nameOf(run.status));
    fmt::print("{:>5}  {:<{}}  {:<11}  {:>8}  {:>10}  {:>8.0f}  {:>8}{}  {}\n", run.id, run.name,
               width, status, run.step, best, run.tokensPerSecond, duration(run.seconds),
               settingsText([&](std::size_t k) {
                 return settings[k][i].is_null() ? "-" : settingText(settings[k][i]);
               }),
               run.metric);
  }
}

std::string trainedText(const Json& start) {
  const auto count = [&](const char* key) { return start[key].get<std::int64_t>(); };
  return textOf(TrainedPairs{.pairs = count("pairs"),
                             .leftOut = count("left_out"),
                             .longest = count("longest_pair"),
                             .dropped = count("dropped_units")});
}

void printDetails(const RunSummary& run, const Json& details) {
  fmt::print("{} (run {}): {}{}\n", run.name, run.id, nameOf(run.status),
             run.message.empty() ? "" : ", " + run.message);
  fmt::print("preset {}, dataset {}, seed {}, step {}, {} of training\n",
             run.preset.empty() ? "-" : run.preset, run.dataset, run.seed, run.step,
             duration(run.seconds));
  fmt::print("folder {}\n", run.folder.string());
  if (!run.tags.empty()) fmt::print("tags {}\n", fmt::join(run.tags, ", "));
  if (!run.note.empty()) fmt::print("note {}\n", run.note);
  if (run.bestStep >= 0)
    fmt::print("{}: best {:.5g} at step {}, last {:.5g} at step {}\n", run.metric, run.best,
               run.bestStep, run.last, run.lastStep);
  else if (run.lastStep >= 0)
    fmt::print("{}: last {:.5g} at step {}; no best{}\n", run.metric, run.last, run.lastStep,
               importedFrom(run).empty() ? ""
                                         : ": `runs import --update` takes --higher-is-better and "
                                           "--lower-is-better where the name does not say it");
  if (const std::string tool = importedFrom(run); !tool.empty()) {
    const std::string source =
        details["config"].value("imported", Json::object()).value("source", std::string());
    fmt::print("imported from {}: {}; it has curves and no model\n{} series\n", titleOfTool(tool),
               source, details["series"].size());
    return;
  }
  for (const auto& start : details["starts"]) {
    const auto processes = start["processes"].get<std::int64_t>();
    fmt::print("started {} from step {}: {} with libtorch {} on {} ({}, {}{} threads{})\n",
               dateText(start["time"].get<double>()), start["from_step"].dump(),
               start["program"].get<std::string>(), start["libtorch"].get<std::string>(),
               start["host"].get<std::string>(), start["device"].get<std::string>(),
               processes > 1 ? fmt::format("{} processes of ", processes) : "",
               start["threads"].dump(), start["mkl_fast"].get<bool>() ? "" : ", STRATA_MKL_FAST=0");
    const std::string trained = trainedText(start);
    if (!trained.empty()) fmt::print("  trained on {}\n", trained);
  }
  for (const auto& checkpoint : details["checkpoints"])
    fmt::print("checkpoint at step {}{}\n", checkpoint["step"].dump(),
               checkpoint["best"].get<bool>() ? " (best when it was taken)" : "");
  fmt::print("{} series; test sets were scored {} times\n", details["series"].size(), run.looks);
}

void show(const GlobalOptions& global, Workspace& workspace, const RunSummary& run) {
  auto checkpoints = listCheckpointRows(workspace, run.id);
  std::erase_if(checkpoints, [](const StoredCheckpoint& each) { return !each.present; });
  Json details = toJson(run);
  details["starts"] = listJson(runStarts(workspace, run.id));
  details["series"] = listJson(listSeries(workspace, run.id));
  details["checkpoints"] = listJson(checkpoints);
  details["looks"] = listJson(listTestLooks(workspace, run.id));
  details["config"] = runConfig(run);
  if (global.json) return printJson(details);
  printDetails(run, details);
}

// Sends a command and waits until the run's process has acknowledged it.
std::string command(Command what, Workspace& workspace, const RunSummary& run,
                    const RunsOptions& options) {
  const std::int64_t id = sendCommand(workspace, run.id, what);
  const CommandState state = awaitAcknowledgement(workspace, id, {.seconds = options.wait});
  if (state.acknowledged == 0) {
    throw Error("the run '{}' has not acknowledged {} within {:g} s; it will when its step ends",
                run.name, nameOf(what), options.wait);
  }
  return fmt::format("{}: {}", run.name, state.outcome);
}

std::string resume(Workspace& workspace, const RunSummary& run, const RunsOptions& options) {
  std::string edits;
  if (options.acceptEdited) {
    for (const std::string& edit : acceptConfig(workspace, run))
      edits += fmt::format("\nedited: {}", edit);
  }
  const Job job = options.updates > 0
                      ? enqueueUpdates(workspace, run.id, options.updates, options.device)
                      : enqueueResume(workspace, run.id, {}, options.device);
  return fmt::format("{} is queued as job {}: `strata-run work` runs it{}", run.name, job.id,
                     edits);
}

std::string first(Workspace& workspace, const RunSummary& run, const RunsOptions&) {
  queueFirst(workspace, run.id);
  return run.name + " is the next to be trained";
}

std::string rename(Workspace& workspace, const RunSummary& run, const RunsOptions& options) {
  renameRun(workspace, run.id, options.words.at(0));
  return fmt::format("{} is now {}", run.name, options.words.at(0));
}

std::string tag(Workspace& workspace, const RunSummary& run, const RunsOptions& options) {
  std::vector<std::string> tags = run.tags;
  for (const auto& word : options.words) {
    std::erase(tags, word);
    if (!options.remove) tags.push_back(word);
  }
  setTags(workspace, run.id, tags);
  return fmt::format("{}: {}", run.name, fmt::join(tags, ", "));
}

std::string discard(Workspace& workspace, const RunSummary& run, const RunsOptions&) {
  trashRun(workspace, run.id);
  return run.name + " is in the trash";
}

std::string restore(Workspace& workspace, const RunSummary& run, const RunsOptions&) {
  restoreRun(workspace, run.id);
  return run.name + " is back";
}

// Per sentence its source, its reference and what the run made of it at each validation.
void showSamples(const GlobalOptions& global, Workspace& workspace, const RunSummary& run) {
  const auto sentences = sampledSentences(workspace, run.id);
  if (sentences.empty())
    throw Error(
        "the run '{}' has no samples: it translates some sentences at each validation if "
        "validation.samples is above 0",
        run.name);
  if (global.json) {
    return printJson({{"sentences", jsonList(sentences, [](const SampledSentence& each) {
                         return Json{
                             {"set", each.set},
                             {"sentence", each.sentence},
                             {"source", each.source},
                             {"reference", each.reference},
                             {"translations", jsonList(each.translations, [](const auto& t) {
                                return Json{{"step", t.step}, {"text", t.text}};
                              })}};
                       })}});
  }
  for (const SampledSentence& each : sentences) {
    fmt::print("{} {}\n{:>10}  {}\n{:>10}  {}\n", each.set, each.sentence + 1, "source",
               each.source, "reference", each.reference);
    for (const auto& translation : each.translations)
      fmt::print("{:>10}  {}\n", translation.step, translation.text);
    fmt::print("\n");
  }
}

// Adds the verbs that take a run.
struct RunVerbs {
  using Act = std::function<void(Workspace& workspace, const RunSummary& run)>;
  // Returns what it has done, for people; with --json the changed run is printed instead.
  using Change = std::function<std::string(Workspace& workspace, const RunSummary& run,
                                           const RunsOptions& options)>;

  CLI::App* runs;
  const GlobalOptions& global;
  std::shared_ptr<RunsOptions> options;

  CLI::App* add(const char* name, const char* help, const Act& act) const {
    auto* verb = runs->add_subcommand(name, help);
    verb->add_option("RUN", options->run, "Number or name of the run")->required();
    verb->callback([act, &global = global, options = options] {
      Workspace workspace = openFresh(global);
      act(workspace, findRun(workspace, options->run));
    });
    return verb;
  }

  CLI::App* addChange(const char* name, const char* help, const Change& change) const {
    return add(
        name, help,
        [change, &global = global, options = options](Workspace& workspace, const RunSummary& run) {
          const std::string done = change(workspace, run, *options);
          printDone(global, toJson(runById(workspace, run.id)), done);
        });
  }
};

void addCommands(const RunVerbs& verbs) {
  const auto add = [&](const char* name, const char* help, Command what) {
    auto* verb = verbs.addChange(name, help, std::bind_front(command, what));
    verb->add_option("--wait", verbs.options->wait, "Seconds to wait for the run's acknowledgement")
        ->capture_default_str();
  };
  add("stop", "Save and end a running run, or take it off the queue", Command::kStop);
  add("pause", "Save and end a run to continue it later", Command::kPause);
  add("checkpoint", "Save a running run now without stopping it", Command::kCheckpoint);
  auto* again = verbs.addChange("resume", "Queue a run to continue from its checkpoint", resume);
  again->add_option("--device", verbs.options->device, "Only a worker of this device may take it");
  again
      ->add_option(
          "--updates", verbs.options->updates,
          "Go on until it has made so many updates: its other limits and early stopping are "
          "lifted")
      ->check(CLI::PositiveNumber);
  again->add_flag("--accept-edited", verbs.options->acceptEdited,
                  "Although its config.effective.yaml was edited, with what it says now");
  verbs.addChange("first", "Put a queued run before all that wait", first);
}

void addChanges(const RunVerbs& verbs) {
  verbs.addChange("rename", "Rename a run", rename)
      ->add_option("NAME", verbs.options->words, "The new name")
      ->required()
      ->expected(1);
  auto* tags = verbs.addChange("tag", "Add tags to a run, or remove them", tag);
  tags->add_option("TAG", verbs.options->words, "The tags")->required();
  tags->add_flag("--remove", verbs.options->remove, "Remove them");
  verbs.addChange("trash", "Move a run's folder to the trash of the workspace", discard);
  verbs.addChange("restore", "Restore a run from the trash", restore);
}

}  // namespace

void addRunsCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<RunsOptions>();
  auto* runs = app.add_subcommand("runs", "List, show, control and export runs");
  runs->require_subcommand(1);
  runs->footer(
      "Examples:\n  strata-run runs list\n  strata-run runs show base\n  strata-run runs stop "
      "base\n"
      "  strata-run runs resume base && strata-run work --once\n"
      "  strata-run runs export base mlrf --output both.csv\n"
      "  strata-run runs import logs/tensorboard --dry-run\n"
      "  strata-run runs samples base\n"
      "  strata-run runs active\n  strata-run runs alerts --validations 5\n"
      "  strata-run runs wait base mlrf --timeout 8h\n"
      "  strata-run runs inside base --step 4000\n"
      "  strata-run runs prune --keep-last 1 --keep-best 1");
  auto* all = runs->add_subcommand("list", "List the runs as a table");
  all->add_flag("--all", options->all, "Include trashed runs");
  all->add_option("--tag", options->tag, "Only runs with this tag");
  all->add_option("--setting", options->settings, "A column of this setting: training.dropout")
      ->expected(1)
      ->take_all();
  all->add_flag("--groups", options->groups,
                "Runs that differ only in their seed as one line: mean, std and interval")
      ->excludes("--setting");
  all->callback([&global, options] { list(global, *options); });
  const RunVerbs verbs{runs, global, options};
  verbs.add(
      "show", "Show all details of a run",
      [&global](Workspace& workspace, const RunSummary& run) { show(global, workspace, run); });
  verbs.add("samples", "Show how translations of sample sentences changed over training",
            [&global](Workspace& workspace, const RunSummary& run) {
              showSamples(global, workspace, run);
            });
  addCommands(verbs);
  addChanges(verbs);
  addExportCommand(*runs, global);
  addImportCommand(*runs, global);
  addInsideCommand(*runs, global);
  addHistogramsCommand(*runs, global);
  addCheckpointCommands(*runs, global);
  addDiffCommand(*runs, global);
  addRunsSweepCommand(*runs, global);
  addWatchCommands(*runs, global);
  addQueueCommands(*runs, global);
  addWaitCommand(*runs, global);
  addMergeCommand(*runs, global);
  addPruneCommand(*runs, global);
}

}  // namespace strata
