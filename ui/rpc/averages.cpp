#include "ui/rpc/averages.h"

#include <utility>

namespace strata::ui {

Averages::Averages(const QString& workspace, JobList* jobs, QObject* parent)
    : QObject(parent),
      task_(new DetachedTask(workspace, {QStringLiteral("average"), JobKind::kComputation}, jobs,
                             this)) {
  connect(task_, &DetachedTask::finished, this, [this] {
    emit finished(task_->task().run, task_->task().about.value(0));
    next();
  });
  connect(task_, &DetachedTask::cancelled, this, &Averages::next);
  connect(task_, &DetachedTask::failed, this, [this](const QString& reason) {
    emit failed(tr("The checkpoints of %1 were not averaged: %2")
                    .arg(task_->task().about.value(0), reason));
    next();
  });
}

QStringList Averages::command(qint64 run, const QVector<qint64>& steps) {
  QStringList numbers;
  for (const qint64 step : steps) numbers << QString::number(step);
  return {QStringLiteral("average"), QStringLiteral("--run"), QString::number(run),
          QStringLiteral("--steps"), numbers.join(QLatin1Char(','))};
}

void Averages::add(qint64 run, const QString& name, const QVector<qint64>& steps) {
  waiting_.enqueue(
      {.name = tr("Average of %n checkpoint(s) of %1", nullptr, int(steps.size())).arg(name),
       .run = run,
       .arguments = command(run, steps),
       .about = {name}});
  next();
}

void Averages::next() {
  if (!task_->isRunning() && !waiting_.isEmpty()) task_->start(waiting_.dequeue());
}

}  // namespace strata::ui
