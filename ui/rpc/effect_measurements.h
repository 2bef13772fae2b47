#pragma once
#include <QObject>
#include <QStringList>
#include <QTimer>

#include "core/store/process_id.h"

namespace strata::ui {

// Measures something of a run's model with a verb such as `strata-run effects`, one at a time, in a
// process that outlives the window; its result is in the run's folder.
class EffectMeasurements : public QObject {
  Q_OBJECT
 public:
  struct Task {
    qint64 run = 0;
    QString name;           // of the run
    QStringList arguments;  // of strata-run
  };

  // `verb`: what is measured, which names the files of its output in the workspace's folder `ui`.
  EffectMeasurements(const QString& workspace, const QString& verb, QObject* parent = nullptr);

  void start(const Task& task);  // ignored while one is running
  void cancel();

 signals:
  void progressed(qint64 run, double share);  // 0 .. 1
  void finished(qint64 run);
  void cancelled(qint64 run);
  void failed(qint64 run, const QString& message);  // what and why

 private:
  void look();
  QString file(const QString& name) const;

  QString workspace_, log_, result_;  // `result_`: of the last task
  Task task_;
  ProcessId process_;  // pid 0: none
  bool stopping_ = false;
  qint64 logBefore_ = 0;
  QTimer timer_;
};

}  // namespace strata::ui
