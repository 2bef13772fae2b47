#pragma once
#include <QObject>
#include <QString>
#include <QStringList>

#include "ui/rpc/detached_task.h"

namespace strata::ui {

// A dataset that is prepared by `strata-run data prepare` in a process that outlives the window:
// one at a time. The next window of the workspace goes on following it.
class Preparation : public QObject {
  Q_OBJECT
 public:
  // Lists it as a job, from where it can be cancelled.
  Preparation(const QString& workspace, JobList* jobs, QObject* parent = nullptr);

  void resume() { task_->resume(); }  // follows a process that an earlier window has started
  // `arguments` of strata-run, as prepareArguments() makes them.
  void start(const QString& name, const QStringList& arguments);
  void cancel() { task_->cancel(); }

 signals:
  void started(const QString& name);
  // What it does now; total 0: unknown.
  void progressed(const QString& what, qint64 done, qint64 total);
  void finished(const QString& name, bool unchanged);
  void cancelled(const QString& name);
  void failed(const QString& message);  // why, as the process has said it

 private:
  QString name() const;

  DetachedTask* task_;
};

}  // namespace strata::ui
