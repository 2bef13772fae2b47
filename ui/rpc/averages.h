#pragma once
#include <QObject>
#include <QQueue>
#include <QVector>

#include "ui/rpc/detached_task.h"

namespace strata::ui {

// Averages checkpoints of runs with `strata-run average`, one average after the other; the model is
// kept in the run's folder (core/run/averaged_models.h).
class Averages : public QObject {
  Q_OBJECT
 public:
  // Lists them as jobs, from where they can be cancelled.
  Averages(const QString& workspace, JobList* jobs, QObject* parent = nullptr);

  // The verb of strata-run and its arguments.
  static QStringList command(qint64 run, const QVector<qint64>& steps);
  void add(qint64 run, const QString& name, const QVector<qint64>& steps);

 signals:
  void finished(qint64 run, const QString& name);  // the run's
  void failed(const QString& message);

 private:
  void next();

  DetachedTask* task_;
  QQueue<DetachedTask::Task> waiting_;
};

}  // namespace strata::ui
