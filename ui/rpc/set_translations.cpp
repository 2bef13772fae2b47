#include "ui/rpc/set_translations.h"

#include <memory>

#include "ui/data/job_list.h"

namespace strata::ui {

SetTranslations::SetTranslations(const QString& workspace, JobList* jobs, QObject* parent)
    : QObject(parent),
      jobs_(jobs),
      task_(new DetachedTask(workspace, {QStringLiteral("translate"), JobKind::kTranslation}, jobs,
                             this)) {
  connect(task_, &DetachedTask::started, this, [this] { emit started(name(), set()); });
  connect(task_, &DetachedTask::finished, this, [this] {
    emit finished(name(), set());
    next();
  });
  connect(task_, &DetachedTask::cancelled, this, [this] {
    emit cancelled(name(), set());
    next();
  });
  connect(task_, &DetachedTask::failed, this, [this](const QString& reason) {
    emit failed(tr("%1 did not translate %2: %3").arg(name(), set(), reason));
    next();
  });
}

QString SetTranslations::name() const {
  return task_->task().about.value(0);
}

QString SetTranslations::set() const {
  return task_->task().about.value(1);
}

void SetTranslations::add(const Task& task) {
  // The job's id is known only afterwards.
  const auto job = std::make_shared<qint64>(0);
  *job = jobs_->add({.kind = JobKind::kTranslation,
                     .name = tr("%1 translates %2").arg(task.name, task.set),
                     .run = task.run,
                     .cancel = [this, job] { drop(*job); },
                     .state = JobProgress::kQueued});
  waiting_.enqueue({task, *job});
  next();
}

void SetTranslations::next() {
  if (task_->isRunning() || waiting_.isEmpty()) return;
  const auto [task, job] = waiting_.dequeue();
  task_->start({.name = tr("%1 translates %2").arg(task.name, task.set),
                .run = task.run,
                .arguments = {QStringLiteral("translate"), QStringLiteral("--run"),
                              QStringLiteral("%1@%2").arg(task.run).arg(task.checkpoint),
                              QStringLiteral("--set"), task.set},
                .about = {task.name, task.set}},
               job);
}

// One that waits; the one that has been started is cancelled.
void SetTranslations::drop(qint64 job) {
  if (waiting_.removeIf([job](const Waiting& each) { return each.job == job; }) > 0)
    jobs_->end(job);
  else
    task_->cancel();
}

}  // namespace strata::ui
