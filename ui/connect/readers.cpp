#include "ui/connect/ask.h"
#include "ui/connect/measurements.h"
#include "ui/connect/services.h"
#include "ui/panels/readers_panel.h"

namespace strata::ui {

Panel* makeReaders(const Services& services, QWidget* parent) {
  auto* panel = new ReadersPanel(services.runDemo, parent);
  connectMeasurements(panel, services, QStringLiteral("readers"));
  askOnChoice<ReadersOf>(services.workspace, panel, &MeasuredPanel::runChosen,
                         &ReadersPanel::setLoaded);
  return panel;
}

}  // namespace strata::ui
