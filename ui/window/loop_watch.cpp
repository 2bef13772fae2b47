#include "ui/window/loop_watch.h"

#include <QEvent>
#include <QMetaEnum>
#include <QScopedValueRollback>
#include <QThread>
#include <algorithm>

namespace strata::ui {
namespace {

double millisecondsBetween(const timespec& from, const timespec& to) {
  return double(to.tv_sec - from.tv_sec) * 1e3 + double(to.tv_nsec - from.tv_nsec) / 1e6;
}

}  // namespace

WatchedApplication::Clock WatchedApplication::Clock::now() {
  Clock clock;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &clock.cpu);
  clock_gettime(CLOCK_MONOTONIC, &clock.wall);
  return clock;
}

void WatchedApplication::watch(double least) {
  least_ = least;
  turns_.clear();
}

QVector<LoopTurn> WatchedApplication::takeTurns() {
  QVector<LoopTurn> turns;
  turns.swap(turns_);
  std::ranges::stable_sort(turns, std::ranges::greater(), &LoopTurn::cpu);
  return turns;
}

// An event that is sent while another one is handled is part of that turn, unless a loop of its own
// sends it, as a dialog's does: then the outer turn goes on anew when that loop has ended.
bool WatchedApplication::notify(QObject* receiver, QEvent* event) {
  if (least_ < 0 || QThread::currentThread() != thread())
    return QApplication::notify(receiver, event);
  const int level = thread()->loopLevel();
  if (level_ >= level) return QApplication::notify(receiver, event);
  const char* name = receiver->metaObject()->className();
  const QString object = receiver->objectName();
  const auto type = event->type();
  bool handled = false;
  {
    const QScopedValueRollback inside(level_, level);
    returned_ = Clock::now();
    handled = QApplication::notify(receiver, event);
  }
  const Clock end = Clock::now();
  const double wall = millisecondsBetween(returned_.wall, end.wall);
  if (wall >= least_) {
    const char* key = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
    turns_ << LoopTurn{
        millisecondsBetween(returned_.cpu, end.cpu), wall,
        QStringLiteral("%1 of %2 %3")
            .arg(QString::fromLatin1(key ? key : "event"), QString::fromLatin1(name), object)};
  }
  returned_ = end;  // of the outer turn, if there is one
  return handled;
}

}  // namespace strata::ui
