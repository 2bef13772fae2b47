#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/log_panel.h"

namespace strata::ui {

Panel* makeLog(const Services& services, QWidget* parent) {
  auto* panel = new LogPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &LogPanel::setRuns);
  QObject::connect(workspace, &WorkspaceService::logArrived, panel, &LogPanel::addLines);
  QObject::connect(panel, &LogPanel::runChosen, workspace, &WorkspaceService::watchLog);
  return panel;
}

}  // namespace strata::ui
