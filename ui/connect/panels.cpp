#include "ui/connect/ask.h"
#include "ui/connect/services.h"
#include "ui/panels/recordings_panel.h"
#include "ui/rpc/runner.h"

namespace strata::ui {

// One function per panel, in a file of the panel's name.
using MakePanel = Panel*(const Services& services, QWidget* parent);
MakePanel makeData, makeLaunch, makeRuns, makeCurves, makeGradientFlow, makeHistograms,
    makeHopWeights, makeTargetAttention, makeTranslate, makeCompare, makeLog, makeSamples,
    makeSweeps, makePapers, makeInterventions, makeAttention, makeReaders, makeLayers, makeMonitor;

QVector<Panel*> makePanels(const Services& services, QWidget* parent) {
  QVector<Panel*> panels;
  for (MakePanel* make : {makeData, makeLaunch, makeRuns, makeCurves, makeGradientFlow,
                          makeHistograms, makeHopWeights, makeTargetAttention, makeTranslate,
                          makeCompare, makeLog, makeSamples, makeSweeps, makePapers,
                          makeInterventions, makeAttention, makeReaders, makeLayers, makeMonitor})
    panels << make(services, parent);
  return panels;
}

void connectRecordings(RecordingsPanel* panel, WorkspaceService* workspace) {
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &RecordingsPanel::setRuns);
  QObject::connect(
      panel, &RecordingsPanel::recordingsRequested, panel, [=](qint64 run, qint64 step) {
        ask(workspace, panel, RecordingsOf{run, step}, &RecordingsPanel::setRecordings);
      });
}

void startWorker(Panel* panel, const QString& workspace) {
  try {
    ensureWorker(workspace);
  } catch (const std::exception& error) {
    emit panel->failed(QString::fromUtf8(error.what()));
  }
}

QVector<RunRow> translatingRuns(const QVector<RunRow>& runs) {
  QVector<RunRow> found = newestFirst(runs);
  found.removeIf([](const RunRow& run) { return !run.hasCheckpoint; });
  return found;
}

}  // namespace strata::ui
