#include "ui/connect/exchange.h"
#include "ui/connect/services.h"
#include "ui/panels/target_attention_panel.h"

namespace strata::ui {

Panel* makeTargetAttention(const Services& services, QWidget* parent) {
  auto* panel = new TargetAttentionPanel(services.newRun, parent);
  connectRecordings(panel, services.workspace);
  QObject::connect(services.exchange, &Exchange::translated, panel,
                   &TargetAttentionPanel::setHypotheses);
  return panel;
}

}  // namespace strata::ui
