#pragma once
#include <QApplication>
#include <QString>
#include <QVector>
#include <ctime>

namespace strata::ui {

// What the GUI thread did between two returns to its event loop: it handled one event, and drew
// what had changed if that was the event. Meanwhile the window answers nothing.
struct LoopTurn {
  double cpu = 0, wall = 0;  // milliseconds
  QString what;              // event and receiver: "UpdateRequest of QWidgetWindow mainWindow"
};

// The application of the window, which can be asked how long its turns take.
class WatchedApplication : public QApplication {
 public:
  WatchedApplication(int& argc, char** argv) : QApplication(argc, argv) {}

  // From now on, turns of at least so many milliseconds (of wall time) are remembered.
  void watch(double least);
  // Those since the last call, the longest CPU time first.
  QVector<LoopTurn> takeTurns();
  qsizetype turnsSoFar() const { return turns_.size(); }

  bool notify(QObject* receiver, QEvent* event) override;

 private:
  struct Clock {
    timespec cpu, wall;
    static Clock now();
  };

  double least_ = -1;    // milliseconds; negative: nothing is watched
  int level_ = -1;       // of the event loop whose event is being handled; -1: none
  Clock returned_ = {};  // when an event loop last began with an event
  QVector<LoopTurn> turns_;
};

}  // namespace strata::ui
