#include "ui/rpc/effect_measurements.h"

namespace strata::ui {

EffectMeasurements::EffectMeasurements(const QString& workspace, JobList* jobs, QObject* parent,
                                       const QString& files)
    : QObject(parent),
      task_(new DetachedTask(workspace, {files, JobKind::kComputation}, jobs, this)) {
  connect(task_, &DetachedTask::started, this, [this] { emit progressed(run(), 0); });
  connect(task_, &DetachedTask::progressed, this, [this](const ProgressLine& progress) {
    if (progress.total > 0) emit progressed(run(), double(progress.done) / double(progress.total));
  });
  connect(task_, &DetachedTask::finished, this, [this] { emit finished(run()); });
  connect(task_, &DetachedTask::cancelled, this, [this] { emit cancelled(run()); });
  connect(task_, &DetachedTask::failed, this, [this](const QString& reason) {
    emit failed(run(), tr("%1: %2").arg(task_->task().about.value(0), reason));
  });
}

void EffectMeasurements::start(const Task& task) {
  task_->start({.name = tr("Effects in %1").arg(task.name),
                .run = task.run,
                .arguments = task.arguments,
                .about = {task.name}});
}

}  // namespace strata::ui
