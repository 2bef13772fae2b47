#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/hop_weights_panel.h"

namespace strata::ui {

Panel* makeHopWeights(const Services& services, QWidget* parent) {
  auto* panel = new HopWeightsPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(
      workspace, &WorkspaceService::runsChanged, panel, [panel](const QVector<RunRow>& runs) {
        panel->setRuns(
            newestFirst(runs, [](const RunRow& run) { return !run.fusionSteps.isEmpty(); }));
      });
  QObject::connect(workspace, &WorkspaceService::recordingsLoaded, panel,
                   &HopWeightsPanel::setRecordings);
  QObject::connect(workspace, &WorkspaceService::meansChanged, panel, &HopWeightsPanel::setMeans);
  QObject::connect(panel, &HopWeightsPanel::runChosen, workspace, &WorkspaceService::watchMeans);
  QObject::connect(panel, &HopWeightsPanel::recordingsRequested, workspace,
                   &WorkspaceService::loadRecordings);
  return panel;
}

}  // namespace strata::ui
