#include <QElapsedTimer>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/store/run_session.h"
#include "core/store/workspace.h"
#include "ui/data/text.h"
#include "ui/panels/curves_panel.h"
#include "ui/window/benchmark_curves.h"
#include "ui/window/benchmark_window.h"

namespace strata::ui {
namespace {
using Clock = std::chrono::steady_clock;

// A run's process writes once per second, the window looks five times per second.
constexpr double kBehindLimit = 2000;  // milliseconds
constexpr auto kTick = std::chrono::milliseconds(100);

// Trains the runs on, in a thread: points of each, ten times per second.
class LiveRuns {
 public:
  LiveRuns(const QString& folder, const BenchmarkRuns& runs, const BenchmarkSizes& sizes)
      : workspace_(toStd(folder)),
        from_(sizes.points),
        each_(std::max(1, int(sizes.pointsPerSecond / 10 / std::max(1, int(runs.curves.size()))))),
        ticks_(std::max(1, int(sizes.seconds * 10))) {
    RunStart start;
    start.device = "cpu";
    start.fromStep = from_;
    for (const qint64 run : runs.curves)
      sessions_.push_back(std::make_unique<RunSession>(workspace_, run, start));
  }
  ~LiveRuns() {
    if (thread_.joinable()) thread_.join();
    for (auto& session : sessions_)
      session->end({.runId = session->run(),
                    .step = from_ + written_,
                    .outcome = RunOutcome::kFinished,
                    .message = ""});
  }

  void start() {
    thread_ = std::thread([this] { write(); });
  }
  int pointsOfEach() const { return each_ * ticks_; }
  // The times at which so many points of each run, and fewer, were written, since the last call.
  std::vector<Clock::time_point> takeTimes(int points) {
    const std::scoped_lock lock(mutex_);
    std::vector<Clock::time_point> times;
    for (; taken_ < std::ssize(times_) && each_ * (taken_ + 1) <= points; ++taken_)
      times.push_back(times_[std::size_t(taken_)]);
    return times;
  }

 private:
  void write() {
    const auto begun = Clock::now();
    for (int tick = 0; tick < ticks_; ++tick) {
      {
        const std::scoped_lock lock(mutex_);
        times_.push_back(Clock::now());
      }
      for (auto& session : sessions_) {
        std::vector<ScalarEvent> events;
        for (int i = 1; i <= each_; ++i) {
          const qint64 step = from_ + written_ + i;
          events.push_back({session->run(), kBenchmarkSeries, step,
                            benchmarkLoss(session->run(), step), nowSeconds()});
        }
        session->scalars(events);
      }
      written_ += each_;
      std::this_thread::sleep_until(begun + (tick + 1) * kTick);
    }
  }

  Workspace workspace_;
  const int from_, each_, ticks_;
  std::vector<std::unique_ptr<RunSession>> sessions_;
  std::thread thread_;
  std::mutex mutex_;
  std::vector<Clock::time_point> times_;  // guarded by mutex_
  int taken_ = 0, written_ = 0;           // of times_; points of each run, the thread's
};

}  // namespace

BenchmarkFigure benchmarkLive(BenchmarkWindow& used, const BenchmarkRuns& runs,
                              const BenchmarkSizes& sizes, const QString& workspace) {
  auto* panel = used.window().panel<CurvesPanel>();
  const CurvePlot* chart = panel->chart(QLatin1String(kBenchmarkSeries));
  auto live = std::make_unique<LiveRuns>(workspace, runs, sizes);
  used.settle();
  used.begin("live");
  BenchmarkFigure figure{"live", "how far the chart is behind points that runs have logged",
                         kBehindLimit};
  QElapsedTimer clock;
  clock.start();
  live->start();
  int drawn = 0;
  used.wait([&] {
    if (!chart->isUpToDate()) return false;
    std::size_t least = std::size_t(sizes.points + live->pointsOfEach());
    for (const qint64 run : runs.curves)
      least = std::min(least, panel->series({run, QLatin1String(kBenchmarkSeries)})->size());
    drawn = int(least) - sizes.points;
    for (const Clock::time_point written : live->takeTimes(drawn))
      figure.times.push_back(
          std::chrono::duration<double, std::milli>(Clock::now() - written).count());
    return drawn == live->pointsOfEach();
  });
  const double seconds = double(clock.elapsed()) / 1e3;
  const double points = double(live->pointsOfEach()) * double(runs.curves.size());
  figure.details = {{"points", points}, {"seconds", seconds}};
  used.begin("live_end");
  live.reset();  // all runs end at once
  used.settle();
  return figure;
}

}  // namespace strata::ui
