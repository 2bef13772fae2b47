#include "ui/window/benchmark_workspace.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/run/recording.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/run_session.h"
#include "core/store/runs.h"
#include "core/store/workspace.h"

namespace strata::ui {
namespace {
constexpr int kSeeds = 5, kShortPoints = 100;
constexpr int kLayers = 4;               // with attention
constexpr int kPointsPerRecord = 1000;   // of the log
constexpr int kRunsPerTransaction = 50;  // of the index
constexpr double kBegin = 1.7e9;         // of the first run, seconds since the Unix epoch

NewRun newRun(const std::string& name, int number) {
  const Json config{{"seed", number % kSeeds + 1},
                    {"data", {{"dataset", "benchmark"}}},
                    {"model", {{"family", "transformer"}}},
                    {"training", {{"lr", 1e-5 * (number / kSeeds + 1)}}},
                    {"checkpoint", {{"metric", "valid/nll"}}}};
  return {name, config, "mlrf/base"};
}

void writeLog(const RunSummary& run, const std::vector<std::string>& series, int points) {
  const double begun = kBegin + 3600.0 * double(run.id);
  std::vector<LogRecord> records{eventRecord({{"type", "started"},
                                              {"time", begun},
                                              {"from_step", 0},
                                              {"program", "benchmark"},
                                              {"device", "cpu"},
                                              {"host", "elsewhere"}})};
  std::vector<ScalarEvent> events;
  for (int step = 1; step <= points; ++step) {
    for (const std::string& name : series)
      events.push_back({run.id, name, step, benchmarkLoss(run.id, step), begun + 0.2 * step});
    if (step % kPointsPerRecord == 0 || step == points)
      records.push_back({RecordKind::kScalars, packScalars(std::exchange(events, {}))});
  }
  records.push_back(eventRecord({{"type", "ended"},
                                 {"time", begun + 0.2 * points},
                                 {"outcome", "finished"},
                                 {"step", points}}));
  appendRecords(eventLogOf(run.folder), records);
}

// Weights of a softmax that fall on both sides of the diagonal; every layer has its own slope.
Recording attentionOf(int layer, int words) {
  Recording attention;
  attention.info = {"decoder.layers." + std::to_string(layer) + ".source_attn",
                    "attention",
                    "decoder",
                    layer,
                    {"target", "source"}};
  attention.shape = {words, words};
  for (int target = 0; target < words; ++target) {
    std::vector<double> weights;
    double sum = 0;
    for (int source = 0; source < words; ++source) {
      weights.push_back(std::exp(-0.1 * (layer + 1) * std::abs(source - target)));
      sum += weights.back();
    }
    for (const double weight : weights) attention.values.push_back(float(weight / sum));
  }
  return attention;
}

qint64 recordSentence(Workspace& workspace, int words) {
  const RunSummary run = createRun(workspace, newRun("sentence", 0));
  RunStart start;
  start.device = "cpu";
  RunSession session(workspace, run.id, start);
  SentenceRecordings sentence;
  for (int i = 0; i + 1 < words; ++i) sentence.source.push_back("word" + std::to_string(i));
  sentence.source.emplace_back("</s>");
  sentence.target = sentence.source;
  for (int layer = 0; layer < kLayers; ++layer)
    sentence.recordings.push_back(attentionOf(layer, words));
  const std::string folder = "recordings/step-1";
  writeRecordings(session.folder() / folder, {sentence});
  session.scalars({{run.id, "train/nll", 1, 5, kBegin}});
  session.recording({run.id, 1, folder});
  session.end({.runId = run.id, .step = 1, .outcome = RunOutcome::kFinished, .message = ""});
  return run.id;
}

}  // namespace

BenchmarkSizes BenchmarkSizes::scaled(double factor) const {
  const auto least = [factor](int number, int atLeast) {
    return std::max(atLeast, int(std::lround(number * factor)));
  };
  BenchmarkSizes small = *this;
  small.runs = least(runs, 5);
  small.curves = std::min(least(curves, 2), small.runs - 2);
  small.points = least(points, 100);
  small.words = least(words, 4);
  small.pointsPerSecond = least(pointsPerSecond, 20);
  small.seconds = std::max(1.0, seconds * factor);
  small.repeats = least(repeats, 3);
  return small;
}

double benchmarkLoss(qint64 run, qint64 step) {
  const auto mixed = std::uint64_t(run * 7919 + step) * 0x9E3779B97F4A7C15u;
  const double noise = double(mixed >> 40) / double(1u << 24) - 0.5;
  return 2 + 6 * std::exp(-double(step) / 2e4) + 0.02 * double(run) + 0.6 * noise;
}

// The long ones first: the window begins with the newest run.
BenchmarkRuns makeBenchmarkRuns(Workspace& workspace, const BenchmarkSizes& sizes) {
  BenchmarkRuns made;
  made.sentence = recordSentence(workspace, sizes.words);
  for (int number = 1; number < sizes.runs;) {
    workspace.database().write([&] {
      for (int i = 0; i < kRunsPerTransaction && number < sizes.runs; ++i, ++number) {
        const bool isLong = number <= sizes.curves;
        const RunSummary run = createRun(
            workspace, newRun((isLong ? "long-" : "run-") + std::to_string(number), number));
        if (isLong) {
          made.curves << run.id;
          writeLog(run, {kBenchmarkSeries}, sizes.points);
        } else {
          writeLog(run, {"train/nll", "valid/nll"}, std::min(sizes.points, kShortPoints));
        }
        indexRun(workspace, {run.id, "runs/" + run.folder.filename().string()});
      }
    });
  }
  return made;
}

}  // namespace strata::ui
