#include "ui/connect/measurements.h"
#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/interventions_panel.h"

namespace strata::ui {

Panel* makeInterventions(const Services& services, QWidget* parent) {
  auto* panel = new InterventionsPanel(services.runDemo, parent);
  connectMeasurements(panel, services, QStringLiteral("effects"));
  QObject::connect(panel, &MeasuredPanel::runChosen, services.workspace,
                   &WorkspaceService::loadEffects);
  QObject::connect(services.workspace, &WorkspaceService::effectsLoaded, panel,
                   &InterventionsPanel::setLoaded);
  return panel;
}

}  // namespace strata::ui
