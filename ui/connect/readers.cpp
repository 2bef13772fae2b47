#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/readers_panel.h"
#include "ui/rpc/effect_measurements.h"

namespace strata::ui {

Panel* makeReaders(const Services& services, QWidget* parent) {
  auto* panel = new ReadersPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel,
                   [panel](const QVector<RunRow>& runs) { panel->setRuns(translatingRuns(runs)); });
  QObject::connect(panel, &ReadersPanel::runChosen, workspace, &WorkspaceService::loadEffects);
  QObject::connect(workspace, &WorkspaceService::effectsLoaded, panel, &ReadersPanel::setMeasured);
  auto* measurements = new EffectMeasurements(workspace->root(), QStringLiteral("readers"), panel);
  QObject::connect(panel, &ReadersPanel::startRequested, measurements,
                   [measurements](qint64 run, const QString& name, const QStringList& arguments) {
                     measurements->start({run, name, arguments});
                   });
  QObject::connect(panel, &ReadersPanel::cancelRequested, measurements,
                   &EffectMeasurements::cancel);
  QObject::connect(measurements, &EffectMeasurements::progressed, panel,
                   &ReadersPanel::setProgress);
  QObject::connect(measurements, &EffectMeasurements::finished, panel, &ReadersPanel::setFinished);
  QObject::connect(measurements, &EffectMeasurements::cancelled, panel,
                   &ReadersPanel::setCancelled);
  QObject::connect(measurements, &EffectMeasurements::failed, panel, &ReadersPanel::setError);
  return panel;
}

}  // namespace strata::ui
