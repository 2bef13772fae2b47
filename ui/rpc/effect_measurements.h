#pragma once
#include <QObject>
#include <QStringList>

#include "ui/rpc/detached_task.h"

namespace strata::ui {

// Measures effects of interventions with `strata-run effects`, one at a time, in a process that
// outlives the window; its result is in the run's folder.
class EffectMeasurements : public QObject {
  Q_OBJECT
 public:
  struct Task {
    qint64 run = 0;
    QString name;           // of the run
    QStringList arguments;  // of strata-run
  };

  // Lists them as jobs, from where they can be cancelled. `files`: as in DetachedTask.
  EffectMeasurements(const QString& workspace, JobList* jobs, QObject* parent = nullptr,
                     const QString& files = QStringLiteral("effects"));

  void resume() { task_->resume(); }  // follows what an earlier window has started
  void start(const Task& task);       // ignored while one is running
  void cancel() { task_->cancel(); }

 signals:
  void progressed(qint64 run, double share);  // 0 .. 1
  void finished(qint64 run);
  void cancelled(qint64 run);
  void failed(qint64 run, const QString& message);  // what and why

 private:
  qint64 run() const { return task_->task().run; }

  DetachedTask* task_;
};

}  // namespace strata::ui
