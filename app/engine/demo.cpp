// strata-run demo: generates a corpus, trains a small system of each paper on it, translates,
// scores, measures what is inside, and writes a report page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "app/demo_report.h"
#include "app/demo_results.h"
#include "app/demo_systems.h"
#include "app/engine/child_tasks.h"
#include "app/engine/paper_engine.h"
#include "app/engine/verbs.h"
#include "app/timing.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/progress.h"
#include "core/base/text_limits.h"
#include "core/base/threads.h"
#include "core/data/generator/dataset.h"
#include "core/inside/effect_kinds.h"
#include "core/inside/readers.h"
#include "core/run/experiment.h"
#include "core/store/scalars.h"

namespace strata {
namespace {

constexpr std::int64_t kMeasuredSentences = 200;

struct DemoOptions {
  DemoChoice choice;
  std::int64_t pairs = 20000;
  std::uint64_t seed = 1;
  bool reportOnly = false;
};

// A small grammar, which small models learn in half a minute.
generator::GeneratorOptions corpusOf(const DemoOptions& options) {
  return {.size = options.pairs,
          .seed = options.seed,
          .minLength = 3,
          .maxLength = 12,
          .depth = 1,
          .ambiguity = 0,
          .words = {.nouns = 72, .verbs = 62, .adjectives = 42},
          .merges = 1200};
}

class Demo {
 public:
  Demo(const GlobalOptions& global, const DemoOptions& options)
      : global_(global),
        options_(options),
        workspace_(global.workspace),
        folder_(workspace_.reportsFolder() / "demo") {}

  // Everything that the report shows is in the workspace afterwards. What an earlier call has done
  // is not done again.
  void run(const PaperEngine& engine) {
    fs::create_directories(folder_);
    generator::generateDataset(workspace_.datasetsFolder(), options_.choice.dataset,
                               corpusOf(options_), false, terminalProgress());
    const DemoSystems systems(engine, workspace_, options_.choice);
    train(systems, engine);
    measure(systems);
  }

 private:
  ChildTask task(std::string name, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--workspace", fs::absolute(global_.workspace).string()});
    arguments.insert(arguments.end(), {"--threads", "1"});
    return {name, std::move(arguments), folder_ / (name + ".log")};
  }

  // An interrupted run goes on where it was saved.
  void train(const DemoSystems& systems, const PaperEngine& engine) {
    const auto plans = systems.runs();
    restoreTrashed(plans);
    const RunsByName runs(workspace_);
    std::vector<ChildTask> tasks;
    double epochs = 0;
    for (const PlannedRun& plan : plans) {
      const RunSummary* run = runs.find(plan.name);
      if (run != nullptr && run->status == RunStatus::kFinished) continue;
      std::vector<std::string> arguments{"train",    "--continue", "--name", plan.name,
                                         "--preset", plan.preset,  "--data", plan.dataset};
      for (const std::string& text : plan.overrides)
        arguments.insert(arguments.end(), {"--set", text});
      tasks.push_back(task(plan.name, std::move(arguments)));
      epochs += epochsOf(parseExperiment(configOf(plan, engine.sources)));
    }
    if (tasks.empty()) return;
    orderTasks(tasks, systems.system("MLRF"));
    terminalProgress().begin(fmt::format("training {} models", tasks.size()),
                             static_cast<std::int64_t>(std::ceil(epochs)), "epochs");
    runTasks(tasks, availableCores(), [&](std::size_t) {
      terminalProgress().advance(static_cast<std::int64_t>(epochsDone(tasks)));
    });
    terminalProgress().end();
  }

  // Those of the last rows are the slowest: they begin, so that none of them is alone at the end.
  // First of all, and last, comes the fused model: a window shows the first run while the demo goes
  // on, and the newest when it is opened afterwards.
  static void orderTasks(std::vector<ChildTask>& tasks, const DemoSystem& fused) {
    std::reverse(tasks.begin(), tasks.end());
    std::ranges::stable_sort(tasks, {}, [&](const ChildTask& task) {
      return task.name == fused.runs.front().name ? 0 : task.name == fused.runs.back().name ? 2 : 1;
    });
  }

  void restoreTrashed(const std::vector<PlannedRun>& plans) {
    for (const RunSummary& run : listRuns(workspace_, {.trashed = true})) {
      if (run.trashed && std::ranges::find(plans, run.name, &PlannedRun::name) != plans.end())
        restoreRun(workspace_, run.id);
    }
  }

  // 0 of a run that ends after some updates, which are few.
  static double epochsOf(const ExperimentSpec& spec) {
    if (spec.training.maxUpdates > 0) return 0;
    double epochs = 0;
    for (const PhaseSpec& phase : spec.training.phases) epochs += static_cast<double>(phase.epochs);
    return epochs;
  }

  double epochsDone(const std::vector<ChildTask>& tasks) {
    double done = 0;
    for (const RunSummary& run : listRuns(workspace_)) {
      if (std::ranges::find(tasks, run.name, &ChildTask::name) == tasks.end()) continue;
      const auto last = readLastPoints(workspace_, run.id, "train/epoch", 1);
      if (!last.empty()) done += last.back().value;
    }
    return done;
  }

  // Translations and scores of all runs; effects, readers and layers of one of each system.
  void measure(const DemoSystems& systems) {
    const RunsByName runs(workspace_);
    std::vector<ChildTask> tasks;
    for (const DemoSystem& system : systems.systems()) {
      tasks.push_back(
          task("score-" + system.name,
               {"paper", "score", systems.table().id, "--rows", system.name, "--data",
                options_.choice.dataset, "--seeds", std::to_string(options_.choice.seeds)}));
      const std::string& name = system.shown().name;
      const Json model = runConfig(*runs.find(name)).at("model");
      const auto add = [&](const char* verb) {
        tasks.push_back(
            task(fmt::format("{}-{}", verb, name),
                 {verb, name + "@best", "--limit", std::to_string(kMeasuredSentences)}));
      };
      if (hasEffectUnits(model)) add("effects");
      if (readersLackOf(model).empty()) add("readers");
      add("layers");
    }
    tasks.push_back(task(
        "record-arcs", {"paper", "score", DemoSystems::kArcs, "--data", options_.choice.dataset}));
    terminalProgress().begin("translating and measuring", std::ssize(tasks), "tasks");
    runTasks(tasks, availableCores(), [](std::size_t ended) {
      terminalProgress().advance(static_cast<std::int64_t>(ended));
    });
    terminalProgress().end();
  }

  const GlobalOptions& global_;
  const DemoOptions& options_;
  Workspace workspace_;
  fs::path folder_;
};

void print(const DemoResults& results, const fs::path& page) {
  fmt::print(
      "\nGenerated corpus: {} German and {} English word types; {} held-out sentences with unseen "
      "clause frames\n\n{}\n{}\n{}\n",
      results.sourceTypes, results.targetTypes, results.sentences, textTable(systemsTable(results)),
      verdict(results), learning(results));
  fmt::print("\nThe demo took {:.0f} s. Report: {}\n", results.seconds, page.string());
}

// What a report is written of anew.
struct Stored {
  DemoChoice choice;
  double seconds = 0;
};

Stored storedIn(const fs::path& file) {
  if (!fs::exists(file))
    throw usageError("{} does not exist: run `strata-run demo` first", file.string());
  const Json json = readJson(file);
  if (!json.contains("systems"))
    throw usageError("{} is of an older demo: run `strata-run demo` again", file.string());
  return {{json.at("dataset"), json.at("seeds")}, json.at("seconds")};
}

void demo(const GlobalOptions& global, const DemoOptions& options) {
  catchStops();
  const auto start = BenchClock::now();
  const fs::path folder = global.workspace / "reports" / "demo";
  const PaperEngine engine = presetsOnly();
  Stored stored{options.choice};
  if (options.reportOnly) {
    stored = storedIn(folder / "results.json");
  } else {
    Demo(global, options).run(engine);
  }
  Workspace workspace(global.workspace);
  const DemoSystems systems(engine, workspace, stored.choice);
  DemoResults results = demoResults(workspace, systems, stored.seconds);
  if (!options.reportOnly) {
    results.seconds = secondsSince(start);
    writeFileAtomic(folder / "results.json", toJson(results).dump(2) + "\n");
  }
  const fs::path page = writeDemoReport(workspace, systems, results);
  if (global.json) return printJson(toJson(results));
  if (!options.reportOnly) print(results, page);
}

}  // namespace

void addDemoCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<DemoOptions>();
  auto* verb = app.add_subcommand(
      "demo",
      "Generate a corpus, train a small system of each paper, translate, score, look inside");
  verb->add_option("--dataset", options->choice.dataset, "Name of the generated dataset")
      ->capture_default_str();
  verb->add_option("--pairs", options->pairs, "Training pairs to generate")->capture_default_str();
  verb->add_option("--seed", options->seed, "Seed of the corpus")->capture_default_str();
  verb->add_option("--seeds", options->choice.seeds,
                   "Runs of MLRF and of the Transformer that it is compared with, with seeds 1, 2, "
                   "...; the other systems have one")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  verb->add_flag("--report-only", options->reportOnly,
                 "Rewrite the page of the last demo (with screenshots of the window)");
  verb->footer(
      "Example:\n  strata-run demo\n"
      "The page is written to reports/demo/index.html of the workspace. What an interrupted demo "
      "has\ndone is not done again: the same command goes on. The systems are the rows of\n"
      "`strata-run paper show demo/systems`.");
  verb->callback([options, &global] { demo(global, *options); });
}

}  // namespace strata
