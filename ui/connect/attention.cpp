#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/attention_panel.h"

namespace strata::ui {

Panel* makeAttention(const Services& services, QWidget* parent) {
  auto* panel = new AttentionPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &AttentionPanel::setAllRuns);
  connectRecordings(panel, workspace);
  QObject::connect(workspace, &WorkspaceService::recordingsLoaded, panel,
                   &AttentionPanel::setOther);
  return panel;
}

}  // namespace strata::ui
