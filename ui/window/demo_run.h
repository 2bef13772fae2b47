#pragma once
#include <QObject>
#include <QString>
#include <QTimer>

#include "core/store/process_id.h"
#include "ui/data/values.h"

class QAction;

namespace strata::ui {
class JobList;

// The demo, in a process that outlives the window. Its action starts it and is disabled while it
// runs.
class DemoRun : public QObject {
  Q_OBJECT
 public:
  // Lists it as a job, from where it can be cancelled.
  DemoRun(const QString& workspace, QAction* start, JobList* jobs, QObject* parent = nullptr);

  qint64 process() const { return process_.pid; }  // 0: this window is running no demo
  void setRuns(const QVector<RunRow>& runs);

 signals:
  void started();
  void appeared();  // its run is in the workspace
  void cancelled();
  void failed(const QString& message);

 private:
  void run();
  void watch();
  void cancel();

  QString workspace_;
  QAction* start_;
  JobList* jobs_;
  qint64 job_ = 0;
  bool cancelled_ = false;
  QTimer timer_;
  ProcessId process_;  // pid 0: none
  int runs_ = 0, runsBefore_ = 0;
  bool appeared_ = false;
};

}  // namespace strata::ui
