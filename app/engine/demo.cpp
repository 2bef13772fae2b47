// strata-run demo: generates a corpus, trains a model with and without layer fusion, translates,
// scores, and writes a report page.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include "app/child_process.h"
#include "app/demo_report.h"
#include "app/engine/verbs.h"
#include "app/timing.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/progress.h"
#include "core/base/threads.h"
#include "core/data/generator/dataset.h"
#include "core/data/lines.h"
#include "core/metrics/bleu_metric.h"
#include "core/report/table.h"
#include "core/store/runs.h"
#include "models/presets.h"

namespace strata {
namespace {

constexpr int kExamples = 8;

struct DemoOptions {
  std::string dataset = "demo";
  std::int64_t pairs = 20000;
  std::uint64_t seed = 1;
  bool reportOnly = false;
};

volatile std::sig_atomic_t stopped = 0;
void onStop(int number) {
  stopped = number;
}

// One of the two models trained in parallel.
struct Contestant {
  std::string preset, name;
  std::int64_t updates = 0;  // from its preset
  std::unique_ptr<ChildProcess> process;
};

class Demo {
 public:
  Demo(const GlobalOptions& global, const DemoOptions& options)
      : global_(global),
        options_(options),
        workspace_(global.workspace),
        folder_(workspace_.reportsFolder() / "demo") {}

  DemoResults run() {
    const auto start = BenchClock::now();
    fs::create_directories(folder_);
    const Dataset dataset =
        generator::generateDataset(workspace_.datasetsFolder(), options_.dataset,
                                   {.size = options_.pairs, .seed = options_.seed}, false,
                                   terminalProgress())
            .dataset;
    results_.dataset = dataset.name();
    const Json& types = dataset.manifest().at("recipe").at("generator").at("types");
    results_.sourceTypes = types.at("de");
    results_.targetTypes = types.at("en");
    std::array<Contestant, 2> models{contestant("demo/mlrf"), contestant("demo/base")};
    results_.fused = models[0].name;
    results_.plain = models[1].name;
    train(models, dataset);
    score(models, dataset);
    results_.seconds = secondsSince(start);
    writeFileAtomic(folder_ / "results.json", toJson(results_).dump(2) + "\n");
    return results_;
  }

 private:
  Contestant contestant(const std::string& preset) {
    const Json config =
        resolveConfig({.file = "", .preset = preset, .overrides = {}}, builtInSources());
    std::string name = preset;
    std::replace(name.begin(), name.end(), '/', '-');
    return {.preset = preset,
            .name = freeRunName(workspace_, name),
            .updates = config.at("training").at("max_updates"),
            .process = nullptr};
  }

  std::unique_ptr<ChildProcess> start(std::vector<std::string> arguments,
                                      const std::string& name) const {
    arguments.insert(arguments.begin(), {"--workspace", fs::absolute(global_.workspace).string()});
    const ChildStreams streams{.errorFile = folder_ / (name + ".log")};
    return std::make_unique<ChildProcess>(arguments, streams);
  }

  // Waits until all processes have ended; a signal is forwarded to them and then ends the demo.
  template <typename Watch>
  void waitForAll(std::array<Contestant, 2>& models, Watch watch) {
    int passed = 0;
    for (bool running = true; running;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      running = false;
      for (auto& model : models) {
        if (stopped != 0 && passed == 0) model.process->signal(SIGTERM);
        if (!model.process->poll()) running = true;
      }
      passed = stopped;
      watch();
    }
    if (stopped != 0) throw CLI::RuntimeError(kTerminated);
    for (auto& model : models) {
      const int status = *model.process->poll();
      if (status != 0) {
        throw Error("{}: its process {} (see {})", model.name,
                    ChildProcess::describe(status, model.process->lastErrorLine()),
                    (folder_ / (model.name + ".log")).string());
      }
    }
  }

  // Two processes share the cores.
  static std::string threadsOfOne() { return std::to_string(std::max(1, availableCores() / 2)); }

  void train(std::array<Contestant, 2>& models, const Dataset& dataset) {
    for (auto& model : models) {
      model.process =
          start({"train", "--preset", model.preset, "--data", dataset.name(), "--name", model.name,
                 "--threads", threadsOfOne(), "--set", fmt::format("seed={}", options_.seed)},
                model.name);
    }
    const std::int64_t total = models[0].updates + models[1].updates;
    terminalProgress().begin(fmt::format("training {} and {}", models[0].name, models[1].name),
                             total, "updates");
    waitForAll(models, [&] {
      std::int64_t done = 0;
      for (const auto& run : listRuns(workspace_)) {
        if (run.name == models[0].name || run.name == models[1].name) done += run.step;
      }
      terminalProgress().advance(done);
    });
    terminalProgress().end();
  }

  fs::path outputOf(const Contestant& model) const {
    return folder_ / (model.name + ".translations.txt");
  }

  void score(std::array<Contestant, 2>& models, const Dataset& dataset) {
    const EvaluationSet& test = dataset.set("test");
    for (auto& model : models) {
      model.process = start({"translate", "--run", model.name + "@best", "--set", test.name,
                             "--output", outputOf(model).string(), "--threads", threadsOfOne()},
                            model.name);
    }
    waitForAll(models, [] {});
    dataset.requireIntact(test);
    const auto source = readLines(test.rawSource()), reference = readLines(test.rawReference()),
               fused = readLines(outputOf(models[0])), plain = readLines(outputOf(models[1]));
    const BleuOptions bleu{.tokenizer = BleuTokenizer::kNone};
    const BleuMetric metric({reference}, bleu);
    const Resamples resamples(reference.size());
    const auto scoresOf = [&](const std::vector<std::string>& lines) {
      return resampleScores(metric, compareAll(metric, lines), resamples);
    };
    results_.sentences = static_cast<std::int64_t>(source.size());
    results_.comparison = pairedBootstrap(scoresOf(plain), scoresOf(fused));
    const generator::WordForWord lexicon(dataset.folder() / "gold" / "lexicon.tsv");
    std::vector<std::string> wordForWord;
    for (const auto& line : source) wordForWord.push_back(lexicon.translate(line));
    results_.wordForWord = corpusBleu(wordForWord, {reference}, bleu).score;
    for (std::size_t i = 0; i < source.size() && i < kExamples; ++i) {
      results_.examples.push_back({source[i], reference[i], fused[i], plain[i]});
    }
  }

  const GlobalOptions& global_;
  const DemoOptions& options_;
  Workspace workspace_;
  fs::path folder_;
  DemoResults results_;
};

void print(const DemoResults& results, const fs::path& page) {
  fmt::print(
      "\nGenerated corpus: {} German and {} English word types; {} held-out sentences with unseen "
      "clause frames\n\n",
      results.sourceTypes, results.targetTypes, results.sentences);
  const Table table{
      .columns = {{"system"}, {"BLEU", Align::kRight}},
      .rows = {
          {"word for word, by the gold lexicon", Cell::number(results.wordForWord, kDemoScore)},
          {results.plain + " (no fusion)", Cell::number(results.comparison.baseline, kDemoScore)},
          {results.fused + " (layers fused)",
           Cell::number(results.comparison.system, kDemoScore)}}};
  fmt::print("{}\n{}\n", textTable(table), verdict(results));
  for (std::size_t i = 0; i < results.examples.size() && i < 3; ++i) {
    fmt::print("\n  {}\n  {}\n", results.examples[i].source, results.examples[i].fused);
  }
  fmt::print("\nThe demo took {:.0f} s. Report: {}\n", results.seconds, page.string());
}

void demo(const GlobalOptions& global, const DemoOptions& options) {
  std::signal(SIGINT, onStop);
  std::signal(SIGTERM, onStop);
  const fs::path folder = global.workspace / "reports" / "demo";
  if (options.reportOnly && !fs::exists(folder / "results.json")) {
    throw usageError("{} has no results: run `strata-run demo` first", folder.string());
  }
  const DemoResults results =
      options.reportOnly
          ? demoResultsFrom(parseJson(readFile(folder / "results.json"), "results.json"))
          : Demo(global, options).run();
  Workspace workspace(global.workspace);
  const fs::path page = writeDemoReport(workspace, results, folder / "pictures");
  if (global.json) return printJson(toJson(results));
  if (!options.reportOnly) print(results, page);
}

}  // namespace

void addDemoCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<DemoOptions>();
  auto* verb = app.add_subcommand(
      "demo", "Generate a corpus, train a model with and without layer fusion, translate, score");
  verb->add_option("--dataset", options->dataset, "Name of the generated dataset")
      ->capture_default_str();
  verb->add_option("--pairs", options->pairs, "Training pairs to generate")->capture_default_str();
  verb->add_option("--seed", options->seed, "Seed of the corpus and of both models")
      ->capture_default_str();
  verb->add_flag("--report-only", options->reportOnly,
                 "Rewrite the page of the last demo (with screenshots of the window)");
  verb->footer(
      "Example:\n  strata-run demo\nThe page is written to reports/demo/index.html of the "
      "workspace.");
  verb->callback([options, &global] { demo(global, *options); });
}

}  // namespace strata
