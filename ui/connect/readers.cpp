#include "ui/connect/measurements.h"
#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/readers_panel.h"

namespace strata::ui {

Panel* makeReaders(const Services& services, QWidget* parent) {
  auto* panel = new ReadersPanel(services.runDemo, parent);
  connectMeasurements(panel, services, QStringLiteral("readers"));
  QObject::connect(panel, &MeasuredPanel::runChosen, services.workspace,
                   &WorkspaceService::loadReaders);
  QObject::connect(services.workspace, &WorkspaceService::readersLoaded, panel,
                   &ReadersPanel::setLoaded);
  return panel;
}

}  // namespace strata::ui
