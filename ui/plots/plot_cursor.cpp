#include "ui/plots/plot_cursor.h"

#include <qcustomplot.h>

#include "ui/style/theme.h"

namespace strata::ui {
namespace {
constexpr double kRing = 13, kEdge = 17;  // diameters in pixels
}

void PlotCursor::show(QCPAxisRect* rect, double x, double y) {
  const auto place = [&](QPointer<QCPItemTracer>& item, double size, const QPen& pen) {
    if (!item) item = new QCPItemTracer(plot_);
    item->setStyle(QCPItemTracer::tsCircle);
    item->setSize(size);
    item->setPen(pen);
    item->setBrush(Qt::NoBrush);
    item->setSelectable(false);
    item->position->setAxisRect(rect);
    item->position->setAxes(rect->axis(QCPAxis::atBottom), rect->axis(QCPAxis::atLeft));
    item->position->setCoords(x, y);
    item->setClipAxisRect(rect);
    item->setVisible(true);
  };
  // Light around dark, or dark around light: one of them differs from whatever is below.
  place(edge_, kEdge, QPen(theme().surface, 2));
  place(ring_, kRing, QPen(theme().text, 2));
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void PlotCursor::hide() {
  if (!isShown()) return;
  ring_->setVisible(false);
  edge_->setVisible(false);
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

bool PlotCursor::isShown() const {
  return ring_ && ring_->visible();
}

}  // namespace strata::ui
