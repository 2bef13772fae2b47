#include "ui/connect/exchange.h"
#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/target_attention_panel.h"

namespace strata::ui {

Panel* makeTargetAttention(const Services& services, QWidget* parent) {
  auto* panel = new TargetAttentionPanel(services.newRun, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(
      workspace, &WorkspaceService::runsChanged, panel, [panel](const QVector<RunRow>& runs) {
        panel->setRuns(
            newestFirst(runs, [](const RunRow& run) { return !run.historySteps.isEmpty(); }));
      });
  QObject::connect(workspace, &WorkspaceService::recordingsLoaded, panel,
                   &TargetAttentionPanel::setRecordings);
  QObject::connect(panel, &TargetAttentionPanel::recordingsRequested, workspace,
                   &WorkspaceService::loadRecordings);
  QObject::connect(services.exchange, &Exchange::translated, panel,
                   &TargetAttentionPanel::setHypotheses);
  return panel;
}

}  // namespace strata::ui
