#include "ui/plots/plot_gestures.h"

#include <cmath>

namespace strata::ui {
namespace {
constexpr double kZoomFactor = 0.8;  // of a notch of the wheel
constexpr double kNotch = 120;       // eighths of a degree
}  // namespace

PlotGestures::PlotGestures(QCustomPlot* plot) : QObject(plot), plot_(plot) {
  plot_->setInteractions({});
  connect(plot_, &QCustomPlot::mouseWheel, this, [this](QWheelEvent* event) { zoom(*event); });
  connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) begin(event->pos());
  });
  connect(plot_, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) drag(event->pos());
  });
  connect(plot_, &QCustomPlot::mouseRelease, this, [this] { drag_.reset(); });
}

QCPAxis* PlotGestures::axisAt(const QPoint& position) const {
  const QCPAxisRect* rect = plot_->axisRect();
  if (!rect->outerRect().contains(position)) return nullptr;
  const bool onY = plot_->yAxis->selectTest(position, false) >= 0 || position.x() < rect->left();
  return onY ? plot_->yAxis : plot_->xAxis;
}

void PlotGestures::zoom(const QWheelEvent& event) {
  const QPoint position = event.position().toPoint();
  QCPAxis* axis = axisAt(position);
  if (!axis || event.angleDelta().y() == 0) return;
  if (axis == plot_->yAxis) emit yTaken();
  const bool across = axis->orientation() == Qt::Horizontal;
  axis->scaleRange(std::pow(kZoomFactor, event.angleDelta().y() / kNotch),
                   axis->pixelToCoord(across ? position.x() : position.y()));
}

void PlotGestures::begin(const QPoint& position) {
  QCPAxis* axis = axisAt(position);
  if (axis) drag_ = Drag{axis, position, axis->range()};
}

// What was under the mouse stays there.
void PlotGestures::drag(const QPoint& position) {
  if (!drag_) return;
  QCPAxis* axis = drag_->axis;
  if (axis == plot_->yAxis) emit yTaken();
  const bool across = axis->orientation() == Qt::Horizontal;
  const double from = axis->pixelToCoord(across ? drag_->from.x() : drag_->from.y());
  const double to = axis->pixelToCoord(across ? position.x() : position.y());
  // In the range of now: differences, of a logarithmic axis ratios, are those of any range of its
  // size.
  if (axis->scaleType() == QCPAxis::stLogarithmic) {
    axis->setRange(drag_->range.lower * from / to, drag_->range.upper * from / to);
  } else {
    axis->setRange(drag_->range.lower + from - to, drag_->range.upper + from - to);
  }
}

}  // namespace strata::ui
