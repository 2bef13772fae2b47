#include "ui/connect/services.h"
#include "ui/data/series_watch.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/curves_panel.h"

namespace strata::ui {

Panel* makeCurves(const Services& services, QWidget* parent) {
  auto* panel = new CurvesPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &CurvesPanel::setRuns);
  QObject::connect(services.drawn, &DrawnRuns::changed, panel, &CurvesPanel::setDrawn);
  QObject::connect(services.drawn, &DrawnRuns::listedChanged, panel, &CurvesPanel::setRunsListed);
  const auto show = [panel](const SeriesWatch::News& news) {
    for (const auto& [run, names] : news.names) panel->setSeriesNames(run, names);
    if (!news.points.isEmpty()) panel->addPoints(news.points);
  };
  QObject::connect(panel, &CurvesPanel::watchChanged, panel, [=](const QVector<SeriesKey>& keys) {
    workspace->watch(SeriesWatch(keys), panel, show);
  });
  return panel;
}

}  // namespace strata::ui
