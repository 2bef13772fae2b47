#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/papers_panel.h"
#include "ui/rpc/runner.h"
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
void connectExports(PapersPanel* panel, const Services& services) {
  const Services all = services;
  QObject::connect(panel, &PapersPanel::exportRequested, panel,
                   [panel, all](const QStringList& arguments, const QString& path) {
                     RunnerCall* call = callFor(panel, all);
                     QObject::connect(call, &RunnerCall::finished, panel, [panel, path] {
                       emit panel->notice(PapersPanel::tr("Written: %1").arg(path));
                     });
                     QObject::connect(call, &RunnerCall::failed, panel, &PapersPanel::failed);
                     QObject::connect(call, &RunnerCall::finished, call, &QObject::deleteLater);
                     QObject::connect(call, &RunnerCall::failed, call, &QObject::deleteLater);
                     call->start(arguments);
                   });
}

void startWorker(PapersPanel* panel, const QString& workspace) {
  try {
    ensureWorker(workspace);
  } catch (const std::exception& error) {
    emit panel->failed(QString::fromUtf8(error.what()));
  }
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
  RunnerCall* score = callFor(panel, services);
  QObject::connect(panel, &PapersPanel::scoreRequested, score, &RunnerCall::start);
  QObject::connect(panel, &PapersPanel::scoreCancelled, score, &RunnerCall::cancel);
  QObject::connect(score, &RunnerCall::line, panel, &PapersPanel::showScoring);
  QObject::connect(score, &RunnerCall::finished, panel, &PapersPanel::setScored);
  QObject::connect(score, &RunnerCall::failed, panel, &PapersPanel::endWork);
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
  return panel;
}

}  // namespace strata::ui
