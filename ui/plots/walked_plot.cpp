#include "ui/plots/walked_plot.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <algorithm>

#include "ui/style/plain_text.h"

namespace strata::ui {

WalkedPlot::WalkedPlot(QWidget* parent) : FramedPlot(parent), cursor_(plot_) {
  setFocusPolicy(Qt::StrongFocus);
}

QVector<WalkedPlot::Stop> WalkedPlot::sorted() const {
  QVector<Stop> all = stops();
  std::ranges::stable_sort(all, {}, &Stop::x);
  return all;
}

std::optional<WalkedPlot::Stop> WalkedPlot::stop() const {
  const QVector<Stop> all = sorted();
  return at_ < 0 || at_ >= all.size() ? std::nullopt : std::optional(all[at_]);
}

void WalkedPlot::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  const bool ends = key == Qt::Key_Home || key == Qt::Key_End;
  const int step = (key == Qt::Key_Right) - (key == Qt::Key_Left);
  const QVector<Stop> all = sorted();
  if (all.isEmpty() || (step == 0 && !ends)) return FramedPlot::keyPressEvent(event);
  const qsizetype last = all.size() - 1;
  if (ends)
    at_ = key == Qt::Key_Home ? 0 : last;
  else
    at_ = at_ < 0 ? 0 : std::clamp<qsizetype>(at_ + step, 0, last);
  const Stop& stop = all[at_];
  cursor_.show(plot_->axisRect(), stop.x, stop.y);
  say(stop.text);
  const QPointF place(plot_->xAxis->coordToPixel(stop.x), plot_->yAxis->coordToPixel(stop.y));
  showTip(plot_->mapToGlobal(place.toPoint() + QPoint(12, 8)), stop.text, plot_);
}

void WalkedPlot::focusOutEvent(QFocusEvent* event) {
  FramedPlot::focusOutEvent(event);
  cursor_.hide();
}

}  // namespace strata::ui
