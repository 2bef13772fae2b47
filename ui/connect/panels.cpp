#include "ui/connect/services.h"
#include "ui/panels/panel.h"

namespace strata::ui {

// One function per panel, in a file of the panel's name.
using MakePanel = Panel*(const Services& services, QWidget* parent);
MakePanel makeLaunch, makeRuns, makeCurves, makeGradientFlow, makeHopWeights, makeTargetAttention,
    makeTranslate, makeCompare, makeLog;

QVector<Panel*> makePanels(const Services& services, QWidget* parent) {
  QVector<Panel*> panels;
  for (MakePanel* make : {makeLaunch, makeRuns, makeCurves, makeGradientFlow, makeHopWeights,
                          makeTargetAttention, makeTranslate, makeCompare, makeLog})
    panels << make(services, parent);
  return panels;
}

}  // namespace strata::ui
