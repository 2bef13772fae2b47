#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/hop_weights_panel.h"

namespace strata::ui {

Panel* makeHopWeights(const Services& services, QWidget* parent) {
  auto* panel = new HopWeightsPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  connectRecordings(panel, workspace);
  QObject::connect(workspace, &WorkspaceService::meansChanged, panel, &HopWeightsPanel::setMeans);
  QObject::connect(panel, &HopWeightsPanel::runChosen, workspace, &WorkspaceService::watchMeans);
  return panel;
}

}  // namespace strata::ui
