#include "ui/rpc/preparation.h"

#include "ui/data/text.h"

namespace strata::ui {

Preparation::Preparation(const QString& workspace, JobList* jobs, QObject* parent)
    : QObject(parent),
      task_(new DetachedTask(workspace, {QStringLiteral("prepare"), JobKind::kPreparing}, jobs,
                             this)) {
  connect(task_, &DetachedTask::started, this, [this] { emit started(name()); });
  connect(task_, &DetachedTask::progressed, this, [this](const ProgressLine& progress) {
    emit progressed(qs(progress.what), progress.done, progress.total);
  });
  connect(task_, &DetachedTask::finished, this, [this](const Json& result) {
    emit finished(name(), result.is_object() && result.value("unchanged", false));
  });
  connect(task_, &DetachedTask::cancelled, this, [this] { emit cancelled(name()); });
  connect(task_, &DetachedTask::failed, this, &Preparation::failed);
}

QString Preparation::name() const {
  return task_->task().about.value(0);
}

void Preparation::start(const QString& name, const QStringList& arguments) {
  task_->start({.name = tr("Dataset %1").arg(name), .arguments = arguments, .about = {name}});
}

}  // namespace strata::ui
