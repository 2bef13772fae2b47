#include "ui/window/demo_run.h"

#include <QAction>
#include <utility>

#include "ui/rpc/detached_task.h"

namespace strata::ui {

DemoRun::DemoRun(const QString& workspace, QAction* start, JobList* jobs, QObject* parent)
    : QObject(parent),
      start_(start),
      task_(new DetachedTask(workspace, {QStringLiteral("demo"), JobKind::kDemo}, jobs, this)) {
  connect(start_, &QAction::triggered, this, &DemoRun::run);
  connect(task_, &DetachedTask::started, this, [this] { start_->setEnabled(false); });
  connect(task_, &DetachedTask::finished, this, [this] { start_->setEnabled(true); });
  connect(task_, &DetachedTask::cancelled, this, [this] {
    start_->setEnabled(true);
    emit cancelled();
  });
  connect(task_, &DetachedTask::failed, this, [this](const QString& reason) {
    start_->setEnabled(true);
    // Once there is a run, its state says what has happened.
    if (!appeared_) emit failed(tr("The demo ended without a run: %1").arg(reason));
  });
}

qint64 DemoRun::process() const {
  return task_->process();
}

void DemoRun::setRuns(const QVector<RunRow>& runs) {
  runs_ = int(runs.size());
  if (task_->isRunning() && runs_ > runsBefore_ && !std::exchange(appeared_, true)) emit appeared();
}

void DemoRun::resume() {
  appeared_ = true;  // at the latest now the window lists it
  task_->resume();
}

// A signal to it is forwarded to its runs, which save.
void DemoRun::run() {
  if (task_->isRunning()) return;
  runsBefore_ = runs_;
  appeared_ = false;
  task_->start({.name = tr("Demo: corpus, a model of each paper, scores"),
                .arguments = {QStringLiteral("demo")}});
  if (task_->isRunning()) emit started();
}

}  // namespace strata::ui
