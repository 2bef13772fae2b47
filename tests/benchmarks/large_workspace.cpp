// Makes a large workspace through the store's own functions, lets runs grow as training does, and
// measures what a person waits for in it. See README.md next to it.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "core/base/files.h"
#include "core/run/checkpoint_files.h"
#include "core/run/config.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/jobs.h"
#include "core/store/run_session.h"
#include "core/store/scalars.h"

namespace strata {
namespace {

struct MakeOptions {
  std::string folder;
  std::int64_t runs = 10000, series = 10, points = 801, longRuns = 2, longPoints = 1000000,
               perRecord = 1;
};

struct GrowOptions {
  std::string folder;
  std::int64_t runs = 100, series = 10;
  double seconds = 40;
};

struct CreateOptions {
  std::string folder;
  std::int64_t runs = 2000;
};

struct MeasureOptions {
  std::string folder;
  int curves = 50;
};

constexpr int kRunsPerTransaction = 100;
constexpr std::int64_t kRecordsPerAppend = 10000;
constexpr double kBegin = 1.7e9;  // of the first run, seconds since the Unix epoch

const char* const kNames[] = {"train/nll",
                              "train/tokens_per_second",
                              "train/learning_rate",
                              "train/grad_norm",
                              "valid/nll",
                              "memory/resident_mib",
                              "grad_norm/encoder.layers.0",
                              "grad_norm/encoder.layers.1",
                              "grad_norm/decoder.layers.0",
                              "grad_norm/decoder.layers.1"};

std::string seriesName(std::int64_t index) {
  const auto known = static_cast<std::int64_t>(std::size(kNames));
  return index < known ? kNames[index] : fmt::format("grad_norm/layers.{}", index);
}

// A curve that falls and is never smooth; its values need all 64 bits.
double valueAt(std::int64_t run, std::int64_t series, std::int64_t step) {
  const auto noise = static_cast<std::uint64_t>(run * 7919 + series * 104729 + step) * 2654435761u;
  return 8.0 / std::sqrt(1.0 + 0.1 * double(step)) + 0.1 * double(noise % 1009) / 1009.0;
}

// What one log point of a run emits: a value of each series.
void addLogPoint(std::int64_t run, std::int64_t series, std::int64_t step, double time,
                 std::vector<ScalarEvent>& events) {
  for (std::int64_t i = 0; i < series; ++i)
    events.push_back({run, seriesName(i), step, valueAt(run, i, step), time});
}

NewRun newRun(std::int64_t number) {
  Json config = withNewKeys({{"preset", number % 2 == 0 ? "mlrf/base" : "dhea/gate-stable"},
                             {"seed", number % 5 + 1},
                             {"data", {{"dataset", "toy"}}},
                             {"model", {{"family", "transformer"}}},
                             {"checkpoint", {{"metric", "valid/nll"}}}});
  config["training"]["dropout"] = 0.1 * double(number % 4);
  return {.name = fmt::format("run-{:05}", number), .config = std::move(config), .preset = {}};
}

// What training leaves in a run's folder, in small: two checkpoints, a recording, its own text.
void addFiles(const fs::path& run, const fs::path& text, std::int64_t lastStep) {
  for (const std::int64_t step : {lastStep / 2, lastStep}) {
    const fs::path folder = checkpointsFolder(run) / checkpointName(step);
    fs::create_directories(folder);
    std::ofstream(folder / kConfigFile) << "{}";
    std::ofstream(folder / kModelFile) << std::string(1000, 'm');
    std::ofstream(folder / kTrainingFile) << std::string(2000, 't');
    writeCheckpointManifest(folder, {.step = step, .scores = {{"valid/nll", 1.0 / double(step)}}});
  }
  const fs::path recording = run / "recordings" / fmt::format("step-{}", lastStep);
  fs::create_directories(recording);
  std::ofstream(recording / "index.json") << "[]";
  std::ofstream(run / "log.jsonl") << R"({"time":1,"level":"info","text":"trains"})"
                                   << "\n";
  for (const auto& name : namesIn(text)) linkOrCopy(text / name, run / "text" / name);
}

// With one log point per record as a run writes that logs once a second or less often.
void appendLog(const fs::path& log, std::int64_t run, std::int64_t points,
               const MakeOptions& options) {
  const double begun = kBegin + 3600.0 * double(run);
  std::vector<LogRecord> records{eventRecord({{"type", "started"},
                                              {"time", begun},
                                              {"from_step", 0},
                                              {"program", "benchmark"},
                                              {"device", "cpu"},
                                              {"host", "elsewhere"}})};
  std::uint64_t end = fs::file_size(log);
  std::vector<ScalarEvent> waiting;
  for (std::int64_t point = 1; point <= points; ++point) {
    addLogPoint(run, options.series, point * 50, begun + double(point), waiting);
    if (point % options.perRecord != 0 && point != points) continue;
    records.push_back({RecordKind::kScalars, packScalars(std::exchange(waiting, {}))});
    if (std::ssize(records) < kRecordsPerAppend) continue;
    end = appendRecords(log, records, {.knownGood = end});
    records.clear();
  }
  for (const std::int64_t step : {points * 25, points * 50})
    records.push_back(eventRecord({{"type", "checkpoint"},
                                   {"time", begun + double(points)},
                                   {"step", step},
                                   {"folder", "checkpoints/" + checkpointName(step)}}));
  records.push_back(eventRecord({{"type", "ended"},
                                 {"time", begun + double(points)},
                                 {"outcome", run % 10 == 0 ? "failed" : "finished"},
                                 {"step", points * 50}}));
  appendRecords(log, records, {.knownGood = end});
}

void make(const MakeOptions& options) {
  Workspace workspace(options.folder);
  const fs::path text = workspace.datasetsFolder() / "toy" / "text";
  fs::create_directories(text);
  for (const char* name : {"pipeline.yaml", "vocabulary.source", "vocabulary.target"})
    std::ofstream(text / name) << std::string(50000, 'v');
  std::int64_t points = 0;
  for (std::int64_t number = 1; number <= options.runs;) {
    workspace.database().write([&] {
      for (int i = 0; i < kRunsPerTransaction && number <= options.runs; ++i, ++number) {
        const RunSummary run = createRun(workspace, newRun(number));
        const auto length = number <= options.longRuns ? options.longPoints : options.points;
        addFiles(run.folder, text, length * 50);
        appendLog(eventLogOf(run.folder), run.id, length, options);
        indexRun(workspace, {run.id, "runs/" + run.folder.filename().string()});
        points += length * options.series;
      }
    });
    if (number % 1000 == 1) fmt::print(stderr, "{} runs\n", number - 1);
  }
  fmt::print("{} runs, {} series, {} points in {}\n", options.runs, options.runs * options.series,
             points, options.folder);
}

// Runs that train at once: each emits one log point per second.
void grow(const GrowOptions& options) {
  Workspace workspace(options.folder);
  std::vector<std::unique_ptr<RunSession>> sessions;
  for (std::int64_t i = 1; i <= options.runs; ++i) {
    NewRun wanted = newRun(i);
    wanted.name = freeRunName(workspace, fmt::format("growing-{}", i));
    const RunSummary run = createRun(workspace, wanted);
    sessions.push_back(std::make_unique<RunSession>(workspace, run.id, RunStart{.device = "cpu"}));
  }
  fmt::print(stderr, "{} runs grow\n", sessions.size());
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  for (std::int64_t point = 1; double(point) <= options.seconds; ++point) {
    for (auto& session : sessions) {
      std::vector<ScalarEvent> events;
      addLogPoint(session->run(), options.series, point * 50, nowSeconds(), events);
      session->scalars(events);
    }
    std::this_thread::sleep_until(begun + std::chrono::seconds(point));
  }
  for (auto& session : sessions)
    session->end({.runId = session->run(),
                  .step = static_cast<std::int64_t>(options.seconds) * 50,
                  .message = {}});
}

double secondsOf(const std::function<void()>& work) {
  const auto begun = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

// Runs of one preset without names of their own, queued one by one.
void create(const CreateOptions& options) {
  Workspace workspace(options.folder);
  constexpr std::int64_t kPart = 500;
  NewRun run = newRun(0);
  run.name.clear();
  for (std::int64_t made = 0; made < options.runs; made += kPart) {
    const std::clock_t before = std::clock();
    const double seconds = secondsOf([&] {
      for (std::int64_t i = made; i < std::min(options.runs, made + kPart); ++i)
        enqueueRun(workspace, run);
    });
    const double cpu = double(std::clock() - before) / CLOCKS_PER_SEC;
    fmt::print("queue runs {} to {}: {:.2f} s, {:.2f} s of processor time\n", made + 1,
               std::min(options.runs, made + kPart), seconds, cpu);
  }
}

// Turns the index into one of an older version, which kept the points of runs that have ended as
// rows. The values of its points are not those of the logs.
void age(const std::string& folder) {
  Workspace workspace(folder);
  workspace.database().execute(
      "CREATE TEMP TABLE n AS WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE "
      "i < 4095) SELECT i FROM c; BEGIN; "
      "INSERT INTO points SELECT s.id, s.sealed / 4096 * 4096 + n.i, n.i, 0, random() / 1e18 FROM "
      "series s CROSS JOIN n WHERE n.i < s.sealed % 4096; "
      "DELETE FROM chunks WHERE position >= (SELECT s.sealed / 4096 * 4096 FROM series s WHERE "
      "s.id "
      "= chunks.series) AND count < 4096; "
      "UPDATE series SET sealed = sealed / 4096 * 4096; PRAGMA user_version = 5; COMMIT");
}

// The index's pages leave the operating system's cache, as after a long time.
void forgetPages(const fs::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY);
  if (fd < 0) return;
  ::fdatasync(fd);
  (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  ::close(fd);
}

void print(const char* what, std::vector<double> seconds) {
  std::ranges::sort(seconds);
  fmt::print("{:<48} median {:8.2f} ms, longest {:8.2f} ms, of {}\n", what,
             1e3 * seconds[seconds.size() / 2], 1e3 * seconds.back(), seconds.size());
}

void measureCurves(const MeasureOptions& options, const std::vector<RunSummary>& runs) {
  const fs::path index = fs::path(options.folder) / "workspace.db";
  for (const bool isLong : {false, true}) {
    std::vector<double> cold, warm;
    std::size_t points = 0;
    for (int i = 0; i < (isLong ? 5 : options.curves); ++i) {
      const auto at =
          isLong ? 0 : runs.size() - 1 - runs.size() * std::size_t(i) / 97 % runs.size();
      const std::string name = seriesName(i % 5);
      forgetPages(index);
      Workspace workspace(options.folder, {.access = Access::kRead});  // nothing mapped yet
      const auto open = [&] { points = readSeries(workspace, runs[at].id, name).size(); };
      cold.push_back(secondsOf(open));
      warm.push_back(secondsOf(open));
    }
    print(fmt::format("open a curve of {} points, cold", points).c_str(), cold);
    print(fmt::format("open a curve of {} points, warm", points).c_str(), warm);
  }
}

void measure(const MeasureOptions& options) {
  std::vector<RunSummary> runs;
  std::vector<double> refresh, list;
  for (int i = 0; i < 5; ++i) {
    Workspace workspace(options.folder);
    refresh.push_back(secondsOf([&] { refreshWorkspace(workspace); }));
    list.push_back(secondsOf([&] { runs = listRuns(workspace); }));
  }
  print("refresh the index from the folders", refresh);
  print(fmt::format("list {} runs", runs.size()).c_str(), list);
  if (!runs.empty()) measureCurves(options, runs);
}

}  // namespace
}  // namespace strata

int main(int argc, char** argv) {
  using namespace strata;
  CLI::App app("Makes, grows and measures large workspaces");
  app.require_subcommand(1);
  MakeOptions made;
  auto* make = app.add_subcommand("make", "Make a workspace of many runs that have ended");
  make->add_option("DIR", made.folder, "The workspace")->required();
  make->add_option("--runs", made.runs, "Runs")->capture_default_str();
  make->add_option("--series", made.series, "Series of each")->capture_default_str();
  make->add_option("--points", made.points, "Points of each series")->capture_default_str();
  make->add_option("--long-runs", made.longRuns, "Of the runs, those with long series")
      ->capture_default_str();
  make->add_option("--long-points", made.longPoints, "Points of each of their series")
      ->capture_default_str();
  make->add_option("--points-per-record", made.perRecord,
                   "Points of each series in one record of the log: how many a second a run logs")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  make->callback([&] { strata::make(made); });
  GrowOptions grown;
  auto* grow = app.add_subcommand("grow", "Runs that log once per second, all in one process");
  grow->add_option("DIR", grown.folder, "The workspace")->required();
  grow->add_option("--runs", grown.runs, "Runs")->capture_default_str();
  grow->add_option("--series", grown.series, "Series of each")->capture_default_str();
  grow->add_option("--seconds", grown.seconds, "How long")->capture_default_str();
  grow->callback([&] { strata::grow(grown); });
  CreateOptions created;
  auto* create = app.add_subcommand("create", "Times of queuing runs that get names like others'");
  create->add_option("DIR", created.folder, "The workspace")->required();
  create->add_option("--runs", created.runs, "Runs")->capture_default_str();
  create->callback([&] { strata::create(created); });
  std::string aged;
  auto* age = app.add_subcommand("age", "Give a workspace an index as older versions wrote it");
  age->add_option("DIR", aged, "The workspace")->required();
  age->callback([&] { strata::age(aged); });
  MeasureOptions measured;
  auto* measure = app.add_subcommand("measure", "Times of listing runs and opening curves");
  measure->add_option("DIR", measured.folder, "The workspace")->required();
  measure->callback([&] { strata::measure(measured); });
  try {
    CLI11_PARSE(app, argc, argv);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
