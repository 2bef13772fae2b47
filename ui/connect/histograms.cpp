#include "ui/connect/exchange.h"
#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/histograms_panel.h"

namespace strata::ui {

Panel* makeHistograms(const Services& services, QWidget* parent) {
  auto* panel = new HistogramsPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &HistogramsPanel::setRuns);
  QObject::connect(workspace, &WorkspaceService::histogramsChanged, panel,
                   &HistogramsPanel::setHistograms);
  QObject::connect(panel, &HistogramsPanel::histogramsWanted, workspace,
                   &WorkspaceService::watchHistograms);
  QObject::connect(panel, &HistogramsPanel::settingWanted, services.exchange,
                   &Exchange::settingWanted);
  return panel;
}

}  // namespace strata::ui
