#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/sweeps_panel.h"

namespace strata::ui {

Panel* makeSweeps(const Services& services, QWidget* parent) {
  auto* panel = new SweepsPanel(services.newRun, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &SweepsPanel::setRuns);
  QObject::connect(panel, &SweepsPanel::sweepRequested, panel, [=](const QString& filter) {
    workspace->read(
        SweepOf{filter}, panel, [=](const SweptRuns& runs) { panel->setSweep(filter, runs); },
        [=](const QString& error) { panel->setSweepError(error); });
  });
  return panel;
}

}  // namespace strata::ui
