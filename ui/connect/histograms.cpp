#include <functional>

#include "ui/connect/exchange.h"
#include "ui/connect/services.h"
#include "ui/data/histogram_watch.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/histograms_panel.h"

namespace strata::ui {

Panel* makeHistograms(const Services& services, QWidget* parent) {
  auto* panel = new HistogramsPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &HistogramsPanel::setRuns);
  QObject::connect(panel, &HistogramsPanel::histogramsWanted, panel,
                   [=](const HistogramChoice& choice) {
                     workspace->watch(HistogramWatch(choice), panel,
                                      std::bind_front(&HistogramsPanel::setHistograms, panel));
                   });
  QObject::connect(panel, &HistogramsPanel::settingWanted, services.exchange,
                   &Exchange::settingWanted);
  return panel;
}

}  // namespace strata::ui
