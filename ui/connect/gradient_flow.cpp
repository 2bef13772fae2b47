#include "ui/data/gradient_flow.h"

#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/gradient_flow_panel.h"

namespace strata::ui {

Panel* makeGradientFlow(const Services& services, QWidget* parent) {
  auto* panel = new GradientFlowPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &GradientFlowPanel::setRuns);
  QObject::connect(panel, &GradientFlowPanel::seriesRequested, workspace,
                   [workspace](qint64 run) { workspace->loadSeries(run, kGradientPrefix); });
  QObject::connect(workspace, &WorkspaceService::seriesLoaded, panel,
                   [panel](qint64 run, const QString& prefix, const QVector<SeriesPoints>& series) {
                     if (prefix == kGradientPrefix) panel->setSeries(run, series);
                   });
  return panel;
}

}  // namespace strata::ui
