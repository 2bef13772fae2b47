#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/curves_panel.h"

namespace strata::ui {

Panel* makeCurves(const Services& services, QWidget* parent) {
  auto* panel = new CurvesPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &CurvesPanel::setRuns);
  QObject::connect(services.drawn, &DrawnRuns::changed, panel, &CurvesPanel::setDrawn);
  QObject::connect(services.drawn, &DrawnRuns::listedChanged, panel, &CurvesPanel::setRunsListed);
  QObject::connect(workspace, &WorkspaceService::seriesNamesChanged, panel,
                   &CurvesPanel::setSeriesNames);
  QObject::connect(workspace, &WorkspaceService::pointsArrived, panel, &CurvesPanel::addPoints);
  QObject::connect(panel, &CurvesPanel::watchChanged, workspace, &WorkspaceService::watchSeries);
  return panel;
}

}  // namespace strata::ui
