#pragma once
#include <QObject>
#include <QQueue>
#include <QString>

#include "ui/rpc/detached_task.h"

namespace strata::ui {

// Translates evaluation sets with runs, one after the other, by `strata-run translate --set` in
// processes that outlive the window; tasks not yet started when it closes are dropped.
class SetTranslations : public QObject {
  Q_OBJECT
 public:
  struct Task {
    qint64 run = 0;
    QString name;        // of the run
    QString set;         // of its dataset
    QString checkpoint;  // "best" or "last"
  };

  // Lists them as jobs, from where they can be cancelled.
  SetTranslations(const QString& workspace, JobList* jobs, QObject* parent = nullptr);

  void resume() { task_->resume(); }  // follows what an earlier window has started
  void add(const Task& task);

 signals:
  void started(const QString& name, const QString& set);
  void finished(const QString& name, const QString& set);
  void cancelled(const QString& name, const QString& set);
  void failed(const QString& message);  // what, where, and where to read more

 private:
  struct Waiting {
    Task task;
    qint64 job = 0;
  };

  void next();
  void drop(qint64 job);
  QString name() const;  // of the run that translates
  QString set() const;

  JobList* jobs_;
  DetachedTask* task_;
  QQueue<Waiting> waiting_;
};

}  // namespace strata::ui
