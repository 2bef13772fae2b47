#include "ui/connect/ask.h"
#include "ui/connect/services.h"
#include "ui/panels/attention_panel.h"

namespace strata::ui {

Panel* makeAttention(const Services& services, QWidget* parent) {
  auto* panel = new AttentionPanel(services.runDemo, parent);
  WorkspaceService* workspace = services.workspace;
  QObject::connect(workspace, &WorkspaceService::runsChanged, panel, &AttentionPanel::setAllRuns);
  connectRecordings(panel, workspace);
  auto* other = new QObject(panel);  // not who asks for the panel's own
  QObject::connect(panel, &AttentionPanel::otherRequested, other, [=](qint64 run, qint64 step) {
    ask(workspace, panel, RecordingsOf{run, step}, &AttentionPanel::setOther, other);
  });
  return panel;
}

}  // namespace strata::ui
