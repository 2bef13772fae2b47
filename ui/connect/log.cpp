#include "ui/connect/services.h"
#include "ui/data/log_watch.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/log_panel.h"

namespace strata::ui {

Panel* makeLog(const Services& services, QWidget* parent) {
  auto* panel = new LogPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &LogPanel::setRuns);
  QObject::connect(panel, &LogPanel::runChosen, panel, [=](qint64 run) {
    workspace->watch(LogWatch(run), panel, [panel](const LogWatch::News& news) {
      panel->addLines(news.run, news.lines);
    });
  });
  return panel;
}

}  // namespace strata::ui
