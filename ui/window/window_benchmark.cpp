#include "ui/window/window_benchmark.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QTemporaryDir>
#include <algorithm>
#include <functional>
#include <utility>

#include "core/store/run_session.h"
#include "core/store/workspace.h"
#include "ui/data/text.h"
#include "ui/window/loop_watch.h"
#include "ui/window/main_window.h"

namespace strata::ui {
namespace {
constexpr int kRuns = 1000, kSeeds = 5, kPoints = 100;  // of each run's series
constexpr int kStillMs = 150, kPatienceMs = 30000;

Json configOf(int number) {
  return {{"seed", number % kSeeds + 1},
          {"data", {{"dataset", "benchmark"}}},
          {"model", {{"family", "transformer"}}},
          {"training", {{"lr", 1e-4 * (number / kSeeds + 1)}}},
          {"checkpoint", {{"metric", "valid/nll"}}}};
}

// Runs that have ended, as trainers leave them.
void addRuns(Workspace& workspace) {
  for (int number = 0; number < kRuns; ++number) {
    const RunSummary run =
        createRun(workspace, {"run-" + std::to_string(number), configOf(number), "mlrf/base"});
    RunStart start;
    start.device = "cpu";
    RunSession session(workspace, run.id, start);
    std::vector<ScalarEvent> events;
    for (int step = 1; step <= kPoints; ++step) {
      for (const char* name : {"train/nll", "valid/nll"})
        events.push_back({run.id, name, step, 5 - 0.01 * step - 1e-4 * number, 1.7e9 + step});
    }
    session.scalars(events);
    session.end(
        {.runId = run.id, .step = kPoints, .outcome = RunOutcome::kFinished, .message = ""});
  }
}

// Until it is done and nothing has happened for a while.
void processUntil(WatchedApplication& application, const std::function<bool()>& isDone) {
  QElapsedTimer clock, still;
  clock.start();
  still.start();
  for (auto turns = application.turnsSoFar(); clock.elapsed() < kPatienceMs;) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, kStillMs / 10);
    if (std::exchange(turns, application.turnsSoFar()) != application.turnsSoFar() || !isDone())
      still.restart();
    if (still.elapsed() > kStillMs) return;
  }
}

// In memory if there is such a place: writing 1,000 runs to a disk takes a minute.
QString placeOfRuns() {
  const QString memory = QStringLiteral("/dev/shm");
  return (QFileInfo(memory).isWritable() ? memory : QDir::tempPath()) +
         QStringLiteral("/strata-XXXXXX");
}

}  // namespace

Json benchmarkWindow(WatchedApplication& application) {
  const QTemporaryDir folder(placeOfRuns());
  {
    Workspace workspace(toStd(folder.path()));
    addRuns(workspace);
  }
  application.watch(1);
  QElapsedTimer clock;
  clock.start();
  MainWindow window({.workspace = folder.path(), .keepSession = false});
  window.show();
  while (!window.isOpened()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
  Json result{{"runs", kRuns}, {"open", clock.elapsed()}};
  processUntil(application, [] { return true; });
  application.takeTurns();
  LoopTurn longest;
  for (const Panel* panel : window.panels()->all()) {
    QMetaObject::invokeMethod(
        &window, [&] { window.bringUp(panel->name()); }, Qt::QueuedConnection);
    processUntil(application, [panel] { return panel->isUpToDate(); });
    double wall = 0;
    for (const LoopTurn& turn : application.takeTurns()) {
      wall = std::max(wall, turn.wall);
      if (turn.wall > longest.wall) longest = turn;
    }
    result["panels"][toStd(panel->name())] = wall;
  }
  result["longest_turn"] = {
      {"wall", longest.wall}, {"cpu", longest.cpu}, {"event", toStd(longest.what)}};
  return result;
}

}  // namespace strata::ui
