#include "ui/plots/curve_plot.h"

#include <qcustomplot.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <cmath>
#include <limits>

#include "ui/data/text.h"
#include "ui/plots/plot_style.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {
constexpr int kRepaintMs = 40;  // at most 25 repaints per second
constexpr int kSharpCurves =
    12;  // more curves than this are drawn without antialiasing, which costs most of the time
constexpr int kLegendCurves = 10;
constexpr double kCurveMargin = 0.05;  // of the range, above and below the curves
}  // namespace

CurvePlot::CurvePlot(QWidget* parent)
    : QWidget(parent),
      plot_(new QCustomPlot(this)),
      titleLabel_(new QLabel(this)),
      status_(new QLabel(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 6, 8, 6);
  layout->setSpacing(2);
  auto* head = new QHBoxLayout;
  head->addWidget(titleLabel_);
  head->addStretch();
  head->addWidget(status_);
  layout->addLayout(head);
  layout->addWidget(plot_, 1);
  titleLabel_->setProperty("heading", true);
  status_->setProperty("muted", true);
  status_->setObjectName(QStringLiteral("curveStatus"));
  plot_->setObjectName(QStringLiteral("curvePlot"));
  plot_->setMinimumSize(160, 110);
  plot_->setPlottingHint(QCP::phFastPolylines, true);
  plot_->axisRect()->setMinimumMargins(QMargins(8, 6, 12, 6));
  plot_->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignRight);
  redrawTimer_.setSingleShot(true);
  redrawTimer_.setInterval(kRepaintMs);
  connect(&redrawTimer_, &QTimer::timeout, this, &CurvePlot::redraw);
  setUpInteraction();
  setXAxis(XAxis::kStep);
  setLogarithmic(plot_->yAxis, false);
  restyle();
}

void CurvePlot::setUpInteraction() {
  plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  plot_->axisRect()->setRangeDrag(Qt::Horizontal);
  plot_->axisRect()->setRangeZoom(Qt::Horizontal);
  plot_->axisRect()->setRangeZoomFactor(0.8);
  // Over the y axis wheel and drag change y and stop its autoscaling; elsewhere they change x.
  const auto chooseAxis = [this](const QPoint& position) {
    const bool onY =
        plot_->yAxis->selectTest(position, false) >= 0 || position.x() < plot_->axisRect()->left();
    const Qt::Orientation orientation = onY ? Qt::Vertical : Qt::Horizontal;
    plot_->axisRect()->setRangeDrag(orientation);
    plot_->axisRect()->setRangeZoom(orientation);
    if (onY) fitY_ = fixedY_ = false;
  };
  connect(plot_, &QCustomPlot::mouseWheel, this,
          [chooseAxis](QWheelEvent* event) { chooseAxis(event->position().toPoint()); });
  connect(plot_, &QCustomPlot::mousePress, this,
          [chooseAxis](QMouseEvent* event) { chooseAxis(event->pos()); });
  connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this] {
    fit();
    emit xRangeChanged(xRange().lower, xRange().upper, true);
  });
  connect(plot_, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
    if (event->buttons() == Qt::NoButton) showReadout(event->pos());
  });
  connect(plot_->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
          &CurvePlot::rangeMovedByUser);
  connect(plot_->yAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this] {
    if (!settingRange_) scheduleRedraw();
  });
}

void CurvePlot::setTitle(const QString& title) {
  title_ = title;
  titleLabel_->setText(title);
}

void CurvePlot::setCurves(QVector<Curve> curves) {
  curves_ = std::move(curves);
  plot_->clearGraphs();
  drawn_.clear();
  for (const Curve& curve : curves_) {
    Drawn drawn;
    drawn.raw = plot_->addGraph();
    drawn.smooth = plot_->addGraph();
    drawn.marks = plot_->addGraph();
    drawn.raw->setAdaptiveSampling(false);  // decimate() has done it
    drawn.smooth->setAdaptiveSampling(false);
    drawn.smooth->setName(curve.label);
    drawn.raw->removeFromLegend();
    drawn.marks->removeFromLegend();
    drawn.marks->setLineStyle(QCPGraph::lsNone);
    drawn_.push_back(drawn);
  }
  setLegendVisible(curves_.size() > 1 && curves_.size() <= kLegendCurves);
  restyle();
  dataChanged();
}

void CurvePlot::setLegendVisible(bool on) {
  plot_->legend->setVisible(on);
}

void CurvePlot::setLegendRight() {
  plot_->axisRect()->insetLayout()->take(plot_->legend);
  auto* legendColumn = new QCPLayoutGrid;
  legendColumn->addElement(0, 0, plot_->legend);
  legendColumn->addElement(1, 0, new QCPLayoutElement(plot_));
  legendColumn->setRowStretchFactor(0, 0.001);  // as small as its labels
  plot_->plotLayout()->addElement(0, 1, legendColumn);
  plot_->plotLayout()->setColumnStretchFactor(1, 0.001);
}

void CurvePlot::setFixedY(double lower, double upper) {
  fixedY_ = true;
  settingRange_ = true;
  plot_->yAxis->setRange(lower, upper);
  settingRange_ = false;
}

void CurvePlot::setXAxis(XAxis axis) {
  xAxis_ = axis;
  const char* const labels[] = {QT_TR_NOOP("step"), QT_TR_NOOP("time since the start"),
                                QT_TR_NOOP("time of day")};
  plot_->xAxis->setLabel(tr(labels[int(axis)]));
  if (axis == XAxis::kStep) {
    setLogarithmic(plot_->xAxis, logX_);
  } else {
    plot_->xAxis->setScaleType(QCPAxis::stLinear);
    if (axis == XAxis::kWallTime) {
      auto ticker = QSharedPointer<QCPAxisTickerDateTime>::create();
      ticker->setDateTimeFormat(QStringLiteral("d MMM\nhh:mm:ss"));
      plot_->xAxis->setTicker(ticker);
    } else {
      auto ticker = QSharedPointer<QCPAxisTickerTime>::create();
      ticker->setTimeFormat(QStringLiteral("%h:%m:%s"));
      plot_->xAxis->setTicker(ticker);
    }
  }
  fit();
}

void CurvePlot::setLogarithmicX(bool on) {
  logX_ = on;
  setXAxis(xAxis_);
}

void CurvePlot::setLogarithmicY(bool on) {
  logY_ = on;
  setLogarithmic(plot_->yAxis, on);
  fitY_ = true;
  dataChanged();
}

QCPRange CurvePlot::xRange() const {
  return plot_->xAxis->range();
}
QCPRange CurvePlot::yRange() const {
  return plot_->yAxis->range();
}

void CurvePlot::setXRange(double lower, double upper) {
  fitX_ = false;
  settingRange_ = true;
  plot_->xAxis->setRange(lower, upper);
  settingRange_ = false;
  scheduleRedraw();
}

void CurvePlot::rangeMovedByUser(const QCPRange& range) {
  if (settingRange_) return;
  fitX_ = false;
  scheduleRedraw();
  emit xRangeChanged(range.lower, range.upper, false);
}

void CurvePlot::fit() {
  fitX_ = fitY_ = true;
  scheduleRedraw();
}

void CurvePlot::dataChanged() {
  scheduleRedraw();
}

void CurvePlot::scheduleRedraw() {
  dirty_ = true;
  if (isVisible() && !redrawTimer_.isActive()) redrawTimer_.start();
}

void CurvePlot::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (dirty_) scheduleRedraw();
}

void CurvePlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  scheduleRedraw();
}

void CurvePlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) restyle();
}

void CurvePlot::restyle() {
  stylePlot(plot_);
  const bool sharp = curves_.size() <= kSharpCurves;
  for (int i = 0; i < drawn_.size(); ++i) {
    const QColor colour = curves_[i].colour;
    QColor faint = colour;
    faint.setAlpha(70);
    // Pens of width 1 take Qt's fast path; wider ones are for the few curves where they help.
    drawn_[i].smooth->setPen(QPen(colour, sharp ? 1.6 : 1));
    drawn_[i].raw->setPen(QPen(faint, 1));
    drawn_[i].marks->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssTriangle, QPen(colour, 1.4),
                                                     QBrush(theme().surface), 9));
    for (QCPGraph* graph : {drawn_[i].smooth, drawn_[i].raw}) graph->setAntialiased(sharp);
  }
  scheduleRedraw();
}

std::span<const double> CurvePlot::xOf(const Series& series) const {
  return xAxis_ == XAxis::kStep ? series.steps() : series.wallTimes();
}

double CurvePlot::shiftOf(const Series& series) const {
  return xAxis_ == XAxis::kRelativeTime && series.size() > 0 ? series.wallTimes().front() : 0;
}

void CurvePlot::fitX() {
  double lower = std::numeric_limits<double>::infinity(), upper = -lower;
  for (const Curve& curve : curves_) {
    if (curve.series->size() == 0) continue;
    const auto x = xOf(*curve.series);
    const double shift = shiftOf(*curve.series);
    const auto first =
        logX_ && xAxis_ == XAxis::kStep ? std::upper_bound(x.begin(), x.end(), 0.0) : x.begin();
    if (first != x.end()) lower = std::min(lower, *first - shift);
    upper = std::max(upper, x.back() - shift);
  }
  if (!(lower <= upper)) {
    lower = logX_ ? 1 : 0;
    upper = 1;
  }
  const double span = upper > lower ? upper - lower : std::max(1.0, std::abs(upper) * 0.1);
  settingRange_ = true;
  if (fitX_) {
    const bool log = plot_->xAxis->scaleType() == QCPAxis::stLogarithmic;
    plot_->xAxis->setRange(log ? lower * 0.9 : lower - 0.01 * span,
                           log ? upper * 1.1 + (upper <= lower) : upper + 0.02 * span);
  } else if (xRange().upper >= tail_ && upper > tail_ && xRange().lower < tail_) {
    plot_->xAxis->setRange(xRange() + (upper - tail_));  // it was at the tail: stay there
  }
  settingRange_ = false;
  tail_ = upper;
}

void CurvePlot::fitY() {
  if (!fitY_ || fixedY_) return;
  double lower = std::numeric_limits<double>::infinity(), upper = -lower;
  const QCPRange x = xRange();
  for (const Curve& curve : curves_) {
    const Series& series = *curve.series;
    const auto xs = xOf(series);
    const double shift = shiftOf(series);
    const auto begin =
        std::size_t(std::lower_bound(xs.begin(), xs.end(), x.lower + shift) - xs.begin());
    const auto end =
        std::size_t(std::upper_bound(xs.begin(), xs.end(), x.upper + shift) - xs.begin());
    if (begin >= end) continue;
    const Extremes::Range range = series.extremes().of(series.values(), begin, end);
    lower = std::min(lower, logY_ ? range.minimumPositive : range.minimum);
    if (!logY_ || range.maximum > 0) upper = std::max(upper, range.maximum);
  }
  if (!(lower <= upper)) {
    lower = logY_ ? 0.1 : 0;
    upper = 1;
  }
  settingRange_ = true;
  if (logY_) {
    const double factor = std::pow(upper / lower, kCurveMargin) * (upper > lower ? 1 : 1.5);
    plot_->yAxis->setRange(lower / factor, upper * factor);
  } else {
    // A constant curve is centred in a range of its own magnitude.
    const double margin = upper > lower  ? kCurveMargin * (upper - lower)
                          : upper != 0.0 ? 0.1 * std::abs(upper)
                                         : 1;
    plot_->yAxis->setRange(lower - margin, upper + margin);
  }
  settingRange_ = false;
}

std::vector<double> CurvePlot::columnEdges() const {
  const int columns = std::max(16, plot_->axisRect()->width());
  const QCPRange range = xRange();
  const bool log = plot_->xAxis->scaleType() == QCPAxis::stLogarithmic && range.lower > 0;
  std::vector<double> edges(std::size_t(columns) + 1);
  for (int i = 0; i <= columns; ++i) {
    const double t = i / double(columns);
    edges[std::size_t(i)] = log ? range.lower * std::pow(range.upper / range.lower, t)
                                : range.lower + t * (range.upper - range.lower);
  }
  return edges;
}

void CurvePlot::redrawNow() {
  redrawTimer_.stop();
  dirty_ = true;
  redraw();
}

void CurvePlot::redraw() {
  if (!isVisible() || !dirty_) return;  // showEvent redraws
  dirty_ = false;
  fitX();
  fitY();
  const std::vector<double> edges = columnEdges();
  hidden_ = 0;
  for (int i = 0; i < curves_.size(); ++i) drawCurve(i, edges);
  updateStatus();
  ++replots_;
  plot_->replot(QCustomPlot::rpRefreshHint);
}

void CurvePlot::drawCurve(int index, const std::vector<double>& edges) {
  const Series& series = *curves_[index].series;
  const double shift = shiftOf(series);
  std::vector<double> shifted = edges;
  for (double& edge : shifted) edge += shift;
  if (logY_) hidden_ += int(series.notPositive());
  std::vector<PlotPoint> points;
  const auto fill = [&](QCPGraph* graph, std::span<const double> y, const Extremes& extremes) {
    decimate({xOf(series), y, &extremes, logY_}, shifted, points);
    QVector<QCPGraphData> data(qsizetype(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i) {
      data[qsizetype(i)] = QCPGraphData(points[i].x - shift, points[i].y);
    }
    graph->data()->set(data, /*alreadySorted=*/true);
  };
  const bool smooth = series.smoothing() > 0;
  const bool single = series.size() - series.nonFinite().size() == 1;  // a line needs two points
  drawn_[index].smooth->setScatterStyle(single ? QCPScatterStyle(QCPScatterStyle::ssDisc, 6)
                                               : QCPScatterStyle());
  fill(drawn_[index].smooth, smooth ? series.smoothed() : series.values(),
       smooth ? series.smoothedExtremes() : series.extremes());
  drawn_[index].raw->setVisible(smooth);
  if (smooth) fill(drawn_[index].raw, series.values(), series.extremes());

  QVector<QCPGraphData> marks;
  const double bottom = logY_ ? yRange().lower * std::pow(yRange().upper / yRange().lower, 0.03)
                              : yRange().lower + 0.03 * yRange().size();
  for (const std::size_t at : series.nonFinite()) {
    marks.push_back(QCPGraphData(xOf(series)[at] - shift, bottom));
  }
  drawn_[index].marks->data()->set(marks, /*alreadySorted=*/true);
}

int CurvePlot::markedValues() const {
  int count = 0;
  for (const Curve& curve : curves_) count += int(curve.series->nonFinite().size());
  return count;
}

void CurvePlot::updateStatus() {
  QStringList parts;
  if (const int marked = markedValues())
    parts << tr("%n value(s) NaN or infinite ▲", nullptr, marked);
  if (hidden_ > 0) parts << tr("%n value(s) ≤ 0 not shown", nullptr, hidden_);
  status_->setText(parts.join(QStringLiteral(" · ")));
}

}  // namespace strata::ui
