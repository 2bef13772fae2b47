#include "ui/plots/curve_plot.h"

#include <qcustomplot.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QTextStream>
#include <QToolTip>
#include <QVBoxLayout>

#include "ui/data/text.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/plot_style.h"

namespace strata::ui {
namespace {
constexpr int kRepaintMs = 40;  // at most 25 repaints per second
constexpr int kLegendCurves = 10;

AxisRange rangeOf(const QCPRange& range) {
  return {range.lower, range.upper};
}
}  // namespace

CurvePlot::CurvePlot(QWidget* parent)
    : PlotChart(parent), status_(new QLabel(this)), drawing_(plot_) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 6, 8, 6);
  layout->setSpacing(2);
  auto* head = new QHBoxLayout;
  head->addWidget(titleLabel_);
  head->addStretch();
  head->addWidget(status_);
  layout->addLayout(head);
  layout->addWidget(plot_, 1);
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
    if (onY) ranges_.takeY();
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

void CurvePlot::setCurves(QVector<Curve> curves) {
  drawing_.setCurves(std::move(curves));
  const auto count = drawing_.curves().size();
  plot_->legend->setVisible(count > 1 && count <= kLegendCurves);
  restyle();
  dataChanged();
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
  ranges_.fixY();
  setRange(plot_->yAxis, {lower, upper});
}

void CurvePlot::setXAxis(XAxis axis) {
  ranges_.setXAxis(axis);
  const char* const labels[] = {QT_TR_NOOP("step"), QT_TR_NOOP("time since the start"),
                                QT_TR_NOOP("time of day")};
  plot_->xAxis->setLabel(tr(labels[int(axis)]));
  setLogarithmic(plot_->xAxis, ranges_.logarithmicX());
  if (axis == XAxis::kWallTime) {
    auto ticker = QSharedPointer<QCPAxisTickerDateTime>::create();
    ticker->setDateTimeFormat(QStringLiteral("d MMM\nhh:mm:ss"));
    plot_->xAxis->setTicker(ticker);
  } else if (axis == XAxis::kRelativeTime) {
    auto ticker = QSharedPointer<QCPAxisTickerTime>::create();
    ticker->setTimeFormat(QStringLiteral("%h:%m:%s"));
    plot_->xAxis->setTicker(ticker);
  }
  fit();
}

void CurvePlot::setLogarithmicX(bool on) {
  ranges_.setLogarithmicX(on);
  setXAxis(ranges_.xAxis());
}

void CurvePlot::setLogarithmicY(bool on) {
  ranges_.setLogarithmicY(on);
  ranges_.fitY();
  setLogarithmic(plot_->yAxis, on);
  dataChanged();
}

QCPRange CurvePlot::xRange() const {
  return plot_->xAxis->range();
}
QCPRange CurvePlot::yRange() const {
  return plot_->yAxis->range();
}

void CurvePlot::setXRange(double lower, double upper) {
  ranges_.takeX();
  setRange(plot_->xAxis, {lower, upper});
  scheduleRedraw();
}

// Not as the user does.
void CurvePlot::setRange(QCPAxis* axis, const AxisRange& range) {
  const QScopedValueRollback setting(settingRange_, true);
  axis->setRange(range.lower, range.upper);
}

void CurvePlot::rangeMovedByUser(const QCPRange& range) {
  if (settingRange_) return;
  ranges_.takeX();
  scheduleRedraw();
  emit xRangeChanged(range.lower, range.upper, false);
}

void CurvePlot::fit() {
  ranges_.fit();
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

void CurvePlot::restyle() {
  stylePlot(plot_);
  drawing_.restyle();
  scheduleRedraw();
}

void CurvePlot::redrawNow() {
  redrawTimer_.stop();
  dirty_ = true;
  redraw();
}

void CurvePlot::redraw() {
  if (!isVisible() || !dirty_) return;  // showEvent redraws
  dirty_ = false;
  showRanges();
  drawing_.draw(ranges_);
  updateStatus();
  ++replots_;
  plot_->replot(QCustomPlot::rpRefreshHint);
}

void CurvePlot::showRanges() {
  const CurveRanges::Curves curves = drawing_.series();
  if (const auto x = ranges_.nextX(curves, rangeOf(xRange()))) setRange(plot_->xAxis, *x);
  if (const auto y = ranges_.nextY(curves, rangeOf(xRange()))) setRange(plot_->yAxis, *y);
}

void CurvePlot::updateStatus() {
  QStringList parts;
  if (const int marked = markedValues())
    parts << tr("%n value(s) NaN or infinite ▲", nullptr, marked);
  if (const int hidden = hiddenValues()) parts << tr("%n value(s) ≤ 0 not shown", nullptr, hidden);
  status_->setText(parts.join(QStringLiteral(" · ")));
}

void CurvePlot::showReadout(const QPoint& position) {
  const auto point = drawing_.pointAt(position, ranges_);
  if (!point) return QToolTip::hideText();
  const Curve& curve = curves()[point->curve];
  const Series& series = *curve.series;
  const QString text = tr("%1\nstep %2: %3")
                           .arg(curve.label, countText(qint64(series.steps()[point->index])),
                                numberText(series.values()[point->index], 6));
  QToolTip::showText(plot_->mapToGlobal(position + QPoint(12, 8)), text, plot_);
}

void CurvePlot::writeValues(QTextStream& out) const {
  out.setRealNumberPrecision(17);
  out << "run,series,step,wall_time,value\n";
  for (const Curve& curve : curves()) {
    const Series& series = *curve.series;
    const QString prefix =
        csvField(curve.label) + QLatin1Char(',') + csvField(title()) + QLatin1Char(',');
    for (std::size_t i = 0; i < series.size(); ++i) {
      out << prefix << qint64(series.steps()[i]) << ',' << series.wallTimes()[i] << ','
          << numberText(series.values()[i], 17) << '\n';
    }
  }
}

}  // namespace strata::ui
