#include "ui/connect/services.h"
#include "ui/data/samples_watch.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/samples_panel.h"

namespace strata::ui {

Panel* makeSamples(const Services& services, QWidget* parent) {
  auto* panel = new SamplesPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &SamplesPanel::setRuns);
  QObject::connect(panel, &SamplesPanel::runChosen, panel, [=](qint64 run) {
    workspace->watch(SamplesWatch(run), panel, [panel](const SamplesWatch::News& news) {
      panel->setSamples(news.run, news.sentences);
    });
  });
  return panel;
}

}  // namespace strata::ui
