#include "ui/connect/services.h"
#include "ui/data/means_watch.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/hop_weights_panel.h"

namespace strata::ui {

Panel* makeHopWeights(const Services& services, QWidget* parent) {
  auto* panel = new HopWeightsPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  connectRecordings(panel, workspace);
  QObject::connect(panel, &HopWeightsPanel::runChosen, panel, [=](qint64 run) {
    workspace->watch(MeansWatch(run), panel, [panel](const MeansWatch::News& news) {
      for (std::size_t side = 0; side < news.means.size(); ++side)
        panel->setMeans(news.run, QString::fromLatin1(MeansWatch::kSides[side]), news.means[side]);
    });
  });
  return panel;
}

}  // namespace strata::ui
