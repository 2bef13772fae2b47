#include "ui/data/gradient_flow.h"

#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/gradient_flow_panel.h"

namespace strata::ui {

Panel* makeGradientFlow(const Services& services, QWidget* parent) {
  auto* panel = new GradientFlowPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &GradientFlowPanel::setRuns);
  QObject::connect(panel, &GradientFlowPanel::seriesRequested, panel, [=](qint64 run) {
    workspace->read(
        SeriesOf{run, kGradientPrefix}, panel,
        [=](const QVector<SeriesPoints>& series) { panel->setSeries(run, series); },
        [=](const QString& error) {
          panel->setSeries(run, {});
          if (!error.isEmpty()) emit panel->failed(error);
        });
  });
  return panel;
}

}  // namespace strata::ui
