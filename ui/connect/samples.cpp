#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/samples_panel.h"

namespace strata::ui {

Panel* makeSamples(const Services& services, QWidget* parent) {
  auto* panel = new SamplesPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &SamplesPanel::setRuns);
  QObject::connect(workspace, &WorkspaceService::samplesChanged, panel, &SamplesPanel::setSamples);
  QObject::connect(panel, &SamplesPanel::runChosen, workspace, &WorkspaceService::watchSamples);
  return panel;
}

}  // namespace strata::ui
