#pragma once
#include <QObject>
#include <QString>

#include "ui/data/values.h"

class QAction;

namespace strata::ui {
class DetachedTask;
class JobList;

// The demo, in a process that outlives the window. Its action starts it and is disabled while it
// runs.
class DemoRun : public QObject {
  Q_OBJECT
 public:
  // Lists it as a job, from where it can be cancelled.
  DemoRun(const QString& workspace, QAction* start, JobList* jobs, QObject* parent = nullptr);

  void resume();           // follows what an earlier window has started
  qint64 process() const;  // 0: no window of this workspace is running it
  void setRuns(const QVector<RunRow>& runs);

 signals:
  void started();
  void appeared();  // its run is in the workspace
  void cancelled();
  void failed(const QString& message);

 private:
  void run();

  QAction* start_;
  DetachedTask* task_;
  int runs_ = 0, runsBefore_ = 0;
  bool appeared_ = false;
};

}  // namespace strata::ui
