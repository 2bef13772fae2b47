#include <memory>

#include "ui/connect/services.h"
#include "ui/data/job_list.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/papers_panel.h"
#include "ui/rpc/detached_task.h"
#include "ui/rpc/runner_call.h"

namespace strata::ui {
namespace {

// A verb of `strata-run paper` on the window's workspace. What is asked for later replaces it.
RunnerCall* callFor(PapersPanel* panel, const Services& services) {
  return new RunnerCall(services.workspace->root(), panel);
}

void connectReading(PapersPanel* panel, const Services& services) {
  RunnerCall* list = callFor(panel, services);
  QObject::connect(panel, &PapersPanel::listRequested, list, &RunnerCall::start);
  QObject::connect(list, &RunnerCall::finished, panel, &PapersPanel::setItems);
  QObject::connect(list, &RunnerCall::failed, panel, &PapersPanel::setError);
  RunnerCall* show = callFor(panel, services);
  QObject::connect(panel, &PapersPanel::resultRequested, show, &RunnerCall::start);
  QObject::connect(show, &RunnerCall::finished, panel, &PapersPanel::setResult);
  QObject::connect(show, &RunnerCall::failed, panel, &PapersPanel::setError);
}

// Each export has a process of its own: a later one does not end it.
void exportTo(PapersPanel* panel, const Services& services, const QStringList& arguments,
              const QString& path) {
  RunnerCall* call = callFor(panel, services);
  QObject::connect(call, &RunnerCall::finished, panel,
                   [panel, path] { emit panel->notice(PapersPanel::tr("Written: %1").arg(path)); });
  QObject::connect(call, &RunnerCall::failed, panel, &PapersPanel::failed);
  const auto end = [call] { call->deleteLater(); };
  JobList* jobs = services.jobs;
  const qint64 job = jobs->add({.kind = JobKind::kExport, .name = path, .cancel = end});
  const auto broken = std::make_shared<bool>(false);
  QObject::connect(call, &RunnerCall::failed, services.jobs, [=](const QString& reason) {
    *broken = true;
    jobs->fail(job, reason);
  });
  QObject::connect(call, &QObject::destroyed, services.jobs, [=] {
    if (!*broken) jobs->end(job);
  });
  QObject::connect(call, &RunnerCall::finished, call, end);
  QObject::connect(call, &RunnerCall::failed, call, end);
  call->start(arguments);
}

void connectExports(PapersPanel* panel, const Services& services) {
  QObject::connect(panel, &PapersPanel::exportRequested, panel,
                   [panel, all = services](const QStringList& arguments, const QString& path) {
                     exportTo(panel, all, arguments, path);
                   });
}

void connectWork(PapersPanel* panel, const Services& services) {
  const QString root = services.workspace->root();
  RunnerCall* queue = callFor(panel, services);
  QObject::connect(panel, &PapersPanel::queueRequested, queue, &RunnerCall::start);
  QObject::connect(queue, &RunnerCall::finished, panel, [panel, root](const QByteArray& printed) {
    panel->setQueued(printed);
    startWorker(panel, root);
  });
  QObject::connect(queue, &RunnerCall::failed, panel, &PapersPanel::failed);
}

// Scoring takes as long as translating: it goes on when the window is closed.
void connectScoring(PapersPanel* panel, const Services& services) {
  auto* score =
      new DetachedTask(services.workspace->root(), {QStringLiteral("score"), JobKind::kComputation},
                       services.jobs, panel);
  QObject::connect(panel, &PapersPanel::scoreRequested, score,
                   [score](const QString& id, const QStringList& arguments) {
                     score->start({.name = PapersPanel::tr("Scores of %1").arg(id),
                                   .arguments = arguments,
                                   .about = {id}});
                   });
  QObject::connect(panel, &PapersPanel::scoreCancelled, score, &DetachedTask::cancel);
  QObject::connect(score, &DetachedTask::started, panel, [panel] { panel->setScoring(true); });
  QObject::connect(score, &DetachedTask::progressed, panel, [panel](const ProgressLine& progress) {
    panel->showScoring(progress.done, progress.total);
  });
  QObject::connect(score, &DetachedTask::finished, panel,
                   [panel, score] { panel->setScored(score->task().about.value(0)); });
  QObject::connect(score, &DetachedTask::cancelled, panel, [panel] { panel->setScoring(false); });
  QObject::connect(score, &DetachedTask::failed, panel, &PapersPanel::setScoringError);
  score->resume();
}

}  // namespace

Panel* makePapers(const Services& services, QWidget* parent) {
  auto* panel = new PapersPanel(parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &PapersPanel::setRuns);
  QObject::connect(workspace, &WorkspaceService::datasetsChanged, panel, &PapersPanel::setDatasets);
  connectReading(panel, services);
  connectExports(panel, services);
  connectWork(panel, services);
  connectScoring(panel, services);
  return panel;
}

}  // namespace strata::ui
