#include "ui/connect/ask.h"
#include "ui/connect/measurements.h"
#include "ui/connect/services.h"
#include "ui/panels/interventions_panel.h"

namespace strata::ui {

Panel* makeInterventions(const Services& services, QWidget* parent) {
  auto* panel = new InterventionsPanel(services.runDemo, parent);
  connectMeasurements(panel, services, QStringLiteral("effects"));
  askOnChoice<EffectsOf>(services.workspace, panel, &MeasuredPanel::runChosen,
                         &InterventionsPanel::setLoaded);
  return panel;
}

}  // namespace strata::ui
