#include "ui/connect/measurements.h"

#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/measured_panel.h"
#include "ui/rpc/detached_task.h"

namespace strata::ui {

void connectMeasurements(MeasuredPanel* panel, const Services& services, const QString& verb) {
  QObject::connect(services.workspace, &WorkspaceService::runsChanged, panel,
                   [panel](const QVector<RunRow>& runs) {
                     panel->setImported(runs);
                     panel->setRuns(translatingRuns(runs));
                   });
  auto* task = new DetachedTask(services.workspace->root(), {verb, JobKind::kComputation},
                                services.jobs, panel);
  const auto run = [task] { return task->task().run; };
  QObject::connect(panel, &MeasuredPanel::startRequested, task,
                   [=](qint64 id, const QString& name, const QStringList& arguments) {
                     task->start({.name = QStringLiteral("%1: %2").arg(panel->info().title, name),
                                  .run = id,
                                  .arguments = arguments,
                                  .about = {name}});
                   });
  QObject::connect(panel, &MeasuredPanel::cancelRequested, task, &DetachedTask::cancel);
  QObject::connect(task, &DetachedTask::started, panel, [=] { panel->setProgress(run(), 0); });
  QObject::connect(task, &DetachedTask::progressed, panel, [=](const ProgressLine& progress) {
    if (progress.total > 0)
      panel->setProgress(run(), double(progress.done) / double(progress.total));
  });
  QObject::connect(task, &DetachedTask::finished, panel, [=] { panel->setMeasured(run()); });
  QObject::connect(task, &DetachedTask::cancelled, panel, [=] { panel->setCancelled(run()); });
  QObject::connect(task, &DetachedTask::failed, panel, [=](const QString& reason) {
    panel->setError(run(), QStringLiteral("%1: %2").arg(task->task().about.value(0), reason));
  });
  task->resume();
}

}  // namespace strata::ui
