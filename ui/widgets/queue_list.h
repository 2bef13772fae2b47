#pragma once
#include <QTreeWidget>
#include <vector>

#include "core/store/run_activity.h"

namespace strata::ui {

// What is being trained, and what waits for it in the order of the queue. A waiting run is dragged
// to another place, or moved by Alt+Up and Alt+Down. The list itself changes when the workspace
// says so.
class QueueList : public QTreeWidget {
  Q_OBJECT
 public:
  enum Column { kPlace, kName, kProgress, kDevice, kColumns };

  explicit QueueList(QWidget* parent = nullptr);

  void setActivity(const std::vector<RunActivity>& runs);
  // Moves the current run by so many places; -1: one earlier.
  void moveBy(int places);
  bool canMoveBy(int places) const;

 signals:
  void moved(qint64 run, qint64 before);  // directly before another one; 0: behind all
  void runChosen(qint64 run);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void fill(QTreeWidgetItem* item, const RunActivity& run);
  int placeOf(QTreeWidgetItem* item) const;  // among those that wait; -1: it does not
  qint64 waitingAt(int place) const;         // 0: there is none
  void moveTo(qint64 run, int place);        // of the list without it

  std::vector<RunActivity> activity_;
};

}  // namespace strata::ui
