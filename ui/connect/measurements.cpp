#include "ui/connect/measurements.h"

#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/measured_panel.h"
#include "ui/rpc/effect_measurements.h"

namespace strata::ui {

void connectMeasurements(MeasuredPanel* panel, const Services& services, const QString& verb) {
  QObject::connect(services.workspace, &WorkspaceService::runsChanged, panel,
                   [panel](const QVector<RunRow>& runs) { panel->setRuns(translatingRuns(runs)); });
  auto* measurements = new EffectMeasurements(services.workspace->root(), verb, panel);
  QObject::connect(panel, &MeasuredPanel::startRequested, measurements,
                   [measurements](qint64 run, const QString& name, const QStringList& arguments) {
                     measurements->start({run, name, arguments});
                   });
  QObject::connect(panel, &MeasuredPanel::cancelRequested, measurements,
                   &EffectMeasurements::cancel);
  QObject::connect(measurements, &EffectMeasurements::progressed, panel,
                   &MeasuredPanel::setProgress);
  QObject::connect(measurements, &EffectMeasurements::finished, panel, &MeasuredPanel::setMeasured);
  QObject::connect(measurements, &EffectMeasurements::cancelled, panel,
                   &MeasuredPanel::setCancelled);
  QObject::connect(measurements, &EffectMeasurements::failed, panel, &MeasuredPanel::setError);
}

}  // namespace strata::ui
