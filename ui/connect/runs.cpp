#include "ui/panels/runs_panel.h"

#include "ui/connect/run_commands.h"
#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"

namespace strata::ui {

Panel* makeRuns(const Services& services, QWidget* parent) {
  auto* panel = new RunsPanel(services.runDemo, services.newRun, parent);
  RunCommands* commands = services.commands;
  QObject::connect(services.workspace, &WorkspaceService::runsChanged, panel, &RunsPanel::setRuns);
  QObject::connect(panel, &RunsPanel::settingsRequested, services.workspace,
                   &WorkspaceService::loadSettings);
  QObject::connect(services.workspace, &WorkspaceService::settingsLoaded, panel,
                   &RunsPanel::setSettings);
  QObject::connect(panel, &RunsPanel::commandRequested, services.workspace,
                   &WorkspaceService::command);
  QObject::connect(
      panel, &RunsPanel::copyRequested, services.workspace,
      [workspace = services.workspace](qint64 run) { workspace->loadConfiguration(run); });
  QObject::connect(panel, &RunsPanel::continueRequested, services.workspace,
                   &WorkspaceService::continueRun);
  QObject::connect(panel, &RunsPanel::renameRequested, commands, &RunCommands::rename);
  QObject::connect(panel, &RunsPanel::tagRequested, commands, &RunCommands::toggleTag);
  QObject::connect(panel, &RunsPanel::trashRequested, commands, &RunCommands::setTrashed);
  QObject::connect(panel, &RunsPanel::openFolderRequested, commands, &RunCommands::openFolder);
  return panel;
}

}  // namespace strata::ui
