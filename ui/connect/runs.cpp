#include "ui/panels/runs_panel.h"

#include "ui/connect/ask.h"
#include "ui/connect/exchange.h"
#include "ui/connect/run_commands.h"
#include "ui/connect/services.h"

namespace strata::ui {

Panel* makeRuns(const Services& services, QWidget* parent) {
  auto* panel = new RunsPanel(services.runDemo, services.newRun, parent);
  RunCommands* commands = services.commands;
  QObject::connect(services.workspace, &WorkspaceService::runsChanged, panel, &RunsPanel::setRuns);
  QObject::connect(panel, &RunsPanel::settingsRequested, panel,
                   [panel, workspace = services.workspace](const QStringList& keys) {
                     ask(workspace, panel, SettingsOf{keys}, &RunsPanel::setSettings);
                   });
  QObject::connect(panel, &RunsPanel::commandRequested, services.workspace,
                   &WorkspaceService::command);
  QObject::connect(
      panel, &RunsPanel::copyRequested, services.exchange,
      [exchange = services.exchange](qint64 run) { emit exchange->copyWanted(run, QString()); });
  QObject::connect(panel, &RunsPanel::continueRequested, services.workspace,
                   &WorkspaceService::continueRun);
  QObject::connect(panel, &RunsPanel::renameRequested, commands, &RunCommands::rename);
  QObject::connect(panel, &RunsPanel::tagRequested, commands, &RunCommands::toggleTag);
  QObject::connect(panel, &RunsPanel::trashRequested, commands, &RunCommands::setTrashed);
  QObject::connect(panel, &RunsPanel::openFolderRequested, commands, &RunCommands::openFolder);
  return panel;
}

}  // namespace strata::ui
