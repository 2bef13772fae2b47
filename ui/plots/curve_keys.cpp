// The keyboard's cursor of a chart of curves.
#include <qcustomplot.h>

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/plot_cursor.h"
#include "ui/style/plain_text.h"

namespace strata::ui {

using CurvePoint = CurveDrawing::Point;

QPointF CurvePlot::pixelOf(const CurvePoint& point) const {
  const Series& series = *curves()[point.curve].series;
  const double y = (series.smoothing() > 0 ? series.smoothed() : series.values())[point.index];
  return {plot_->xAxis->coordToPixel(ranges_.xOf(series).at(point.index)),
          plot_->yAxis->coordToPixel(y)};
}

// The first visible point of a curve; none if it has none.
std::optional<CurvePoint> CurvePlot::firstPoint(int curve) const {
  const Series& series = *curves()[curve].series;
  const std::size_t at = ranges_.xOf(series).lowerBound(xRange().lower);
  if (at >= series.size()) return std::nullopt;
  return CurvePoint{curve, at};
}

// The next visible point that is at least a pixel away.
CurvePoint CurvePlot::stepped(const CurvePoint& from, int direction) const {
  const Series& series = *curves()[from.curve].series;
  const CurveX x = ranges_.xOf(series);
  const double pixel = plot_->xAxis->coordToPixel(x.at(from.index)) + direction;
  const double wanted = plot_->xAxis->pixelToCoord(pixel);
  CurvePoint next = from;
  if (direction > 0) {
    next.index = std::max(from.index + 1, x.lowerBound(wanted));
  } else {
    const std::size_t before = x.upperBound(wanted);
    next.index = std::min(from.index - 1, before > 0 ? before - 1 : 0);
  }
  if (from.index == 0 && direction < 0) return from;
  if (next.index >= series.size() || !xRange().contains(x.at(next.index))) return from;
  return next;
}

// The point of the next curve, in the order of the legend, that is nearest in x.
CurvePoint CurvePlot::onCurve(const CurvePoint& from, int direction) const {
  const double x = ranges_.xOf(*curves()[from.curve].series).at(from.index);
  for (int curve = from.curve + direction; curve >= 0 && curve < curves().size();
       curve += direction) {
    const Series& series = *curves()[curve].series;
    if (series.size() == 0) continue;
    const CurveX xs = ranges_.xOf(series);
    std::size_t at = std::min(xs.lowerBound(x), series.size() - 1);
    if (at > 0 && x - xs.at(at - 1) < xs.at(at) - x) --at;
    return {curve, at};
  }
  return from;
}

CurvePoint CurvePlot::atEnd(const CurvePoint& from, bool last) const {
  const CurveX x = ranges_.xOf(*curves()[from.curve].series);
  const std::size_t begin = x.lowerBound(xRange().lower), end = x.upperBound(xRange().upper);
  if (begin >= end) return from;
  return {from.curve, last ? end - 1 : begin};
}

void CurvePlot::moveCursor(const CurvePoint& point) {
  cursorAt_ = point;
  const Series& series = *curves()[point.curve].series;
  const double y = (series.smoothing() > 0 ? series.smoothed() : series.values())[point.index];
  const double floor = yRange().lower + 0.03 * yRange().size();  // of what is not finite
  cursor_->show(plot_->axisRect(), ranges_.xOf(series).at(point.index),
                std::isfinite(y) ? y : floor);
  const QString text = readout(point);
  if (text == accessibleDescription()) return;
  say(text);
  showTip(plot_->mapToGlobal(pixelOf(point).toPoint() + QPoint(12, 8)), text, plot_);
}

void CurvePlot::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  const bool enter = key == Qt::Key_Return || key == Qt::Key_Enter;
  const bool arrow = key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up ||
                     key == Qt::Key_Down || key == Qt::Key_Home || key == Qt::Key_End;
  if ((!arrow && !enter) || curves().isEmpty()) return PlotChart::keyPressEvent(event);
  if (!cursorAt_ || cursorAt_->index >= curves()[cursorAt_->curve].series->size()) {
    for (int curve = 0; curve < curves().size(); ++curve) {
      if (const auto first = firstPoint(curve)) return moveCursor(*first);
    }
    return PlotChart::keyPressEvent(event);
  }
  const CurvePoint at = *cursorAt_;
  if (enter)
    return emit pointChosen(at.curve, qint64(curves()[at.curve].series->steps()[at.index]));
  if (key == Qt::Key_Home || key == Qt::Key_End) return moveCursor(atEnd(at, key == Qt::Key_End));
  if (key == Qt::Key_Up || key == Qt::Key_Down)
    return moveCursor(onCurve(at, key == Qt::Key_Down ? 1 : -1));
  moveCursor(stepped(at, key == Qt::Key_Right ? 1 : -1));
}

void CurvePlot::focusOutEvent(QFocusEvent* event) {
  PlotChart::focusOutEvent(event);
  cursor_->hide();
}

}  // namespace strata::ui
