#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/interventions_panel.h"
#include "ui/rpc/effect_measurements.h"

namespace strata::ui {

Panel* makeInterventions(const Services& services, QWidget* parent) {
  auto* panel = new InterventionsPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel,
                   [panel](const QVector<RunRow>& runs) { panel->setRuns(translatingRuns(runs)); });
  QObject::connect(panel, &InterventionsPanel::runChosen, workspace,
                   &WorkspaceService::loadEffects);
  QObject::connect(workspace, &WorkspaceService::effectsLoaded, panel,
                   &InterventionsPanel::setEffects);
  auto* measurements = new EffectMeasurements(workspace->root(), services.jobs, panel);
  QObject::connect(panel, &InterventionsPanel::startRequested, measurements,
                   [measurements](qint64 run, const QString& name, const QStringList& arguments) {
                     measurements->start({run, name, arguments});
                   });
  QObject::connect(panel, &InterventionsPanel::cancelRequested, measurements,
                   &EffectMeasurements::cancel);
  QObject::connect(measurements, &EffectMeasurements::progressed, panel,
                   &InterventionsPanel::setProgress);
  QObject::connect(measurements, &EffectMeasurements::finished, panel,
                   &InterventionsPanel::setMeasured);
  QObject::connect(measurements, &EffectMeasurements::cancelled, panel,
                   &InterventionsPanel::setCancelled);
  QObject::connect(measurements, &EffectMeasurements::failed, panel, &InterventionsPanel::setError);
  measurements->resume();
  return panel;
}

}  // namespace strata::ui
