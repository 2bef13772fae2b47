#include "ui/connect/services.h"
#include "ui/data/workspace_service.h"
#include "ui/panels/attention_panel.h"

namespace strata::ui {

Panel* makeAttention(const Services& services, QWidget* parent) {
  auto* panel = new AttentionPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &AttentionPanel::setAllRuns);
  connectRecordings(panel, workspace);
  auto* other = new QObject(panel);  // who asks is not who asks for the panel's own
  QObject::connect(panel, &AttentionPanel::otherRequested, other, [=](qint64 run, qint64 step) {
    workspace->read(
        RecordingsOf{run, step}, other,
        [panel](const SharedRecordings& recordings) { panel->setOther(recordings); },
        [panel](const QString& error) {
          if (!error.isEmpty()) emit panel->failed(error);
        });
  });
  return panel;
}

}  // namespace strata::ui
