#include "ui/connect/measurements.h"
#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/layers_panel.h"

namespace strata::ui {

Panel* makeLayers(const Services& services, QWidget* parent) {
  auto* panel = new LayersPanel(services.runDemo, parent);
  connectMeasurements(panel, services, QStringLiteral("layers"));
  QObject::connect(panel, &MeasuredPanel::runChosen, services.workspace,
                   &WorkspaceService::loadLayers);
  QObject::connect(services.workspace, &WorkspaceService::layersLoaded, panel,
                   &LayersPanel::setLoaded);
  return panel;
}

}  // namespace strata::ui
