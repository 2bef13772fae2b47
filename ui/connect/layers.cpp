#include "ui/connect/ask.h"
#include "ui/connect/measurements.h"
#include "ui/connect/services.h"
#include "ui/panels/layers_panel.h"

namespace strata::ui {

Panel* makeLayers(const Services& services, QWidget* parent) {
  auto* panel = new LayersPanel(services.runDemo, parent);
  connectMeasurements(panel, services, QStringLiteral("layers"));
  askOnChoice<LayersOf>(services.workspace, panel, &MeasuredPanel::runChosen,
                        &LayersPanel::setLoaded);
  return panel;
}

}  // namespace strata::ui
