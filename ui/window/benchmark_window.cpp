#include "ui/window/benchmark_window.h"

#include <QElapsedTimer>
#include <QThread>
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "ui/data/text.h"
#include "ui/window/usable.h"

namespace strata::ui {
namespace {
constexpr int kStillMs = 150, kDoneMs = 60'000;
constexpr double kLongTurn = 1, kTurnLimit = 50;  // milliseconds
constexpr QSize kSize(1920, 1080);
}  // namespace

BenchmarkWindow::BenchmarkWindow(WatchedApplication& application, const QString& workspace)
    : application_(application), window_({.workspace = workspace, .keepSession = false}) {
  application_.watch(0);
  begin("open");
  window_.resize(kSize);
  window_.show();
  wait([this] { return isUsable(window_); });
  settle();
}

BenchmarkWindow::~BenchmarkWindow() {
  application_.watch(-1);
}

void BenchmarkWindow::begin(const std::string& part) {
  collectTurns();
  parts_.push_back({part, {}});
}

double BenchmarkWindow::collectTurns() {
  double sum = 0;
  for (const LoopTurn& turn : application_.takeTurns()) {
    sum += turn.wall;
    if (!parts_.empty() && turn.wall > parts_.back().longest.wall) parts_.back().longest = turn;
  }
  return sum;
}

void BenchmarkWindow::draw() {
  QEvent request(QEvent::UpdateRequest);
  QCoreApplication::sendEvent(&window_, &request);
}

void BenchmarkWindow::wait(const std::function<bool()>& isDone) {
  QElapsedTimer clock;
  clock.start();
  while (!isDone()) {
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    if (clock.elapsed() > kDoneMs)
      throw Error("the window was not done with \"{}\" in a minute", parts_.back().name);
  }
}

BenchmarkWindow::Took BenchmarkWindow::act(const std::function<void()>& action,
                                           const std::function<bool()>& isDone) {
  collectTurns();
  QElapsedTimer clock;
  clock.start();
  bool begun = false;
  QMetaObject::invokeMethod(
      &window_,
      [&] {
        action();
        begun = true;
      },
      Qt::QueuedConnection);
  wait([&] { return begun && isDone(); });
  draw();
  const double wall = double(clock.nsecsElapsed()) / 1e6;
  return {wall, collectTurns()};
}

void BenchmarkWindow::settle() {
  QElapsedTimer clock, still;
  clock.start();
  still.start();
  while (still.elapsed() < kStillMs && clock.elapsed() < kDoneMs) {
    QCoreApplication::processEvents();
    QThread::msleep(kStillMs / 30);
    if (collectTurns() > kLongTurn) still.restart();
  }
}

Json BenchmarkWindow::turns() {
  collectTurns();
  Json parts = Json::object();
  for (const Part& part : parts_) parts[part.name] = part.longest.wall;
  const auto& [name, turn] =
      *std::ranges::max_element(parts_, {}, [](const Part& part) { return part.longest.wall; });
  return {{"what", "longest turn of the event loop: the window answers nothing meanwhile"},
          {"max", turn.wall},
          {"cpu", turn.cpu},
          {"event", toStd(turn.what)},
          {"during", name},
          {"limit", kTurnLimit},
          {"kept", turn.wall <= kTurnLimit},
          {"parts", parts}};
}

}  // namespace strata::ui
