#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/layers_panel.h"
#include "ui/rpc/effect_measurements.h"

namespace strata::ui {

Panel* makeLayers(const Services& services, QWidget* parent) {
  auto* panel = new LayersPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel,
                   [panel](const QVector<RunRow>& runs) { panel->setRuns(translatingRuns(runs)); });
  QObject::connect(panel, &LayersPanel::runChosen, workspace, &WorkspaceService::loadLayers);
  QObject::connect(workspace, &WorkspaceService::layersLoaded, panel, &LayersPanel::setLayers);
  auto* measurements = new EffectMeasurements(workspace->root(), QStringLiteral("layers"), panel);
  QObject::connect(panel, &LayersPanel::startRequested, measurements,
                   [measurements](qint64 run, const QString& name, const QStringList& arguments) {
                     measurements->start({run, name, arguments});
                   });
  QObject::connect(panel, &LayersPanel::cancelRequested, measurements, &EffectMeasurements::cancel);
  QObject::connect(measurements, &EffectMeasurements::progressed, panel, &LayersPanel::setProgress);
  QObject::connect(measurements, &EffectMeasurements::finished, panel, &LayersPanel::setMeasured);
  QObject::connect(measurements, &EffectMeasurements::cancelled, panel, &LayersPanel::setCancelled);
  QObject::connect(measurements, &EffectMeasurements::failed, panel, &LayersPanel::setError);
  return panel;
}

}  // namespace strata::ui
