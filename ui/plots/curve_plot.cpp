#include "ui/plots/curve_plot.h"

#include <qcustomplot.h>

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QScopedValueRollback>
#include <QTextStream>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/plot_cursor.h"
#include "ui/plots/plot_gestures.h"
#include "ui/plots/plot_legend.h"
#include "ui/plots/plot_style.h"
#include "ui/style/plain_text.h"
#include "ui/widgets/elided_label.h"

namespace strata::ui {
namespace {
constexpr int kRepaintMs = 40;    // at most 25 repaints per second
constexpr int kLegendFrom = 440;  // width of a chart with a legend, in pixels
constexpr int kPictureWidth = 560, kPictureHeight = 380;
constexpr int kToolSize = 14;         // of an icon, in pixels
constexpr int kClick = 3;             // pixels that the mouse may move in a click
constexpr double kBreakShare = 0.02;  // of all steps, shown around one where a run broke

AxisRange rangeOf(const QCPRange& range) {
  return {range.lower, range.upper};
}
}  // namespace

CurvePlot::CurvePlot(QWidget* parent)
    : PlotChart(parent),
      head_(new QHBoxLayout),
      status_(new ElidedLabel(this)),
      drawing_(plot_, plot_->yAxis),
      second_(plot_, plot_->yAxis2, CurveDrawing::Look::kDotted),
      legend_(new PlotLegend(plot_)),
      cursor_(std::make_unique<PlotCursor>(plot_)) {
  setFocusPolicy(Qt::StrongFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 6, 8, 6);
  layout->setSpacing(2);
  head_->addWidget(titleLabel_);
  head_->addStretch();
  head_->addWidget(status_);
  layout->addLayout(head_);
  layout->addWidget(plot_, 1);
  status_->setProperty("muted", true);
  status_->setObjectName(QStringLiteral("curveStatus"));
  plot_->setObjectName(QStringLiteral("curvePlot"));
  plot_->setMinimumSize(160, 110);
  plot_->setPlottingHint(QCP::phFastPolylines, true);
  plot_->setAutoAddPlottableToLegend(false);  // the chart has its own
  plot_->axisRect()->setMinimumMargins(QMargins(8, 6, 12, 6));
  plot_->plotLayout()->addElement(0, 1, legend_);
  plot_->plotLayout()->setColumnStretchFactor(1, 0.001);
  redrawTimer_.setSingleShot(true);
  connect(&redrawTimer_, &QTimer::timeout, this, &CurvePlot::redraw);
  setUpInteraction();
  setXAxis(XAxis::kStep);
  for (QCPAxis* axis : {plot_->yAxis, plot_->yAxis2}) setLogarithmic(axis, false);
  restyle();
}

CurvePlot::~CurvePlot() = default;

void CurvePlot::setUpInteraction() {
  auto* gestures = new PlotGestures(plot_);
  connect(gestures, &PlotGestures::yTaken, this, [this] { ranges_.takeY(); });
  connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    pressed_ = event->pos();
  });
  connect(plot_, &QCustomPlot::mouseRelease, this, [this](QMouseEvent* event) {
    if ((event->pos() - pressed_).manhattanLength() <= kClick) choosePoint(event->pos());
  });
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

// The keyboard reaches it by the action's key.
void CurvePlot::addTool(QAction* action) {
  addAction(action);
  auto* button = new QToolButton(this);
  button->setProperty("flat", true);
  button->setDefaultAction(action);
  button->setFocusPolicy(Qt::NoFocus);
  button->setIconSize(QSize(kToolSize, kToolSize));
  head_->addWidget(button);
}

void CurvePlot::setCurves(QVector<Curve> curves) {
  QVector<PlotLegend::Entry> entries;
  qint64 marked = -1;
  for (const Curve& curve : curves) {
    entries.push_back({curve.label, curve.style});
    marked = std::max(marked, curve.brokeAt);
  }
  legend_->setEntries(std::move(entries));
  ranges_.setMarkedStep(marked);
  drawing_.setCurves(std::move(curves));
  cursorAt_.reset();
  cursor_->hide();
  restyle();
  dataChanged();
}

void CurvePlot::setSecond(const QString& series, const QString& title, QVector<Curve> curves) {
  plot_->yAxis2->setVisible(!curves.isEmpty());
  setAxisTitle(plot_->yAxis2, curves.isEmpty() ? QString() : tr("%1 (dotted)").arg(title));
  secondSeries_ = series;
  if (curves.isEmpty() && second().isEmpty()) return;
  second_.setCurves(std::move(curves));
  restyle();
  dataChanged();
}

QCPRange CurvePlot::secondRange() const {
  return plot_->yAxis2->range();
}

void CurvePlot::setLegendShown(bool on) {
  legendShown_ = on;
  fitLegend();
  scheduleRedraw();
}

void CurvePlot::fitLegend() {
  legend_->setComplete(picture() ? kPictureHeight : 0);
  const bool room = legendShown_ && width() >= kLegendFrom;
  legend_->setShown(picture() || (room && curves().size() > 1));
}

void CurvePlot::setYTitle(const QString& title) {
  setAxisTitle(plot_->yAxis, title);
}

void CurvePlot::setOtherTitle(const QString& title) {
  otherTitle_ = title;
  if (ranges_.xAxis() == XAxis::kOther) setAxisTitle(plot_->xAxis, title);
}

void CurvePlot::setWithoutOutliers(bool on) {
  ranges_.setWithoutOutliers(on);
  ranges_.fitY();
  dataChanged();
}

void CurvePlot::setFixedY(double lower, double upper) {
  ranges_.fixY();
  setRange(plot_->yAxis, {lower, upper});
}

void CurvePlot::setXAxis(XAxis axis) {
  ranges_.setXAxis(axis);
  const char* const labels[] = {QT_TR_NOOP("step"), QT_TR_NOOP("time since the start (h:min:s)"),
                                QT_TR_NOOP("time of day")};
  setAxisTitle(plot_->xAxis, axis == XAxis::kOther ? otherTitle_ : tr(labels[int(axis)]));
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
  if (!isVisible() || redrawTimer_.isActive()) return;
  const qint64 since = redrawn_.isValid() ? redrawn_.elapsed() : kRepaintMs;
  redrawTimer_.start(int(std::max<qint64>(0, kRepaintMs - since)));
}

void CurvePlot::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (dirty_) scheduleRedraw();
}

void CurvePlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitLegend();
  scheduleRedraw();
}

void CurvePlot::restyle() {
  stylePlot(plot_);
  drawing_.restyle();
  second_.restyle();
  fitLegend();
  if (picture()) return drawPicture();
  if (plot_->viewport() != plot_->rect()) plot_->setViewport(plot_->rect());  // after a picture
  if (cursorAt_ && hasFocus() && cursorAt_->index < curves()[cursorAt_->curve].series->size())
    moveCursor(*cursorAt_);
  scheduleRedraw();
}

// With its legend next to axes that are as wide as without.
QSize CurvePlot::pictureSize() const {
  legend_->setComplete(kPictureHeight);
  legend_->setShown(true);
  return QSize(kPictureWidth + legend_->neededWidth(), kPictureHeight);
}

void CurvePlot::drawPicture() {
  cursor_->hide();
  plot_->setViewport(QRect(QPoint(0, 0), *picture()));
  showRanges();
  for (const auto phase :
       {QCPLayoutElement::upPreparation, QCPLayoutElement::upMargins, QCPLayoutElement::upLayout})
    plot_->plotLayout()->update(phase);  // the width of the axes decides what is drawn
  fitAxisTexts();
  drawAll(CurveDrawing::Target::kFile);
}

// Both y axes over the same x.
void CurvePlot::drawAll(CurveDrawing::Target target) {
  drawing_.draw(ranges_, target);
  if (!second().isEmpty()) second_.draw(secondRanges(), target);
}

CurveRanges CurvePlot::secondRanges() const {
  CurveRanges ranges = ranges_;
  ranges.setLogarithmicY(false);
  ranges.setWithoutOutliers(false);
  ranges.freeY();
  return ranges;
}

void CurvePlot::redrawNow() {
  redrawTimer_.stop();
  dirty_ = true;
  redraw();
}

void CurvePlot::redraw() {
  if (!isVisible() || !dirty_) return;  // showEvent redraws
  dirty_ = false;
  redrawn_.start();
  showRanges();
  drawAll(CurveDrawing::Target::kScreen);
  updateStatus();
  ++replots_;
  plot_->replot(QCustomPlot::rpRefreshHint);
}

void CurvePlot::showRanges() {
  const CurveRanges::Curves curves = drawing_.series();
  if (const auto x = ranges_.nextX(curves, rangeOf(xRange()))) setRange(plot_->xAxis, *x);
  if (const auto y = ranges_.nextY(curves, rangeOf(xRange()))) setRange(plot_->yAxis, *y);
  if (second().isEmpty()) return;
  if (const auto y = secondRanges().nextY(second_.series(), rangeOf(xRange())))
    setRange(plot_->yAxis2, *y);
}

void CurvePlot::updateStatus() {
  QStringList parts;
  if (const int marked = markedValues())
    parts << tr("%n value(s) NaN or infinite ▲", nullptr, marked);
  if (const int hidden = hiddenValues()) parts << tr("%n value(s) ≤ 0 not shown", nullptr, hidden);
  outliers_ = ranges_.withoutOutliers()
                  ? int(ranges_.outside(drawing_.lines(), rangeOf(xRange()), rangeOf(yRange())))
                  : 0;
  if (outliers_ > 0) parts << tr("%n outlier(s) not shown", nullptr, outliers_);
  status_->setText(parts.join(QStringLiteral(" · ")));
}

QString CurvePlot::readout(const CurveDrawing::Point& point) const {
  const Curve& curve = curves()[point.curve];
  const Series& series = *curve.series;
  QString text = tr("%1\nstep %2: %3")
                     .arg(curve.label, countText(qint64(series.steps()[point.index])),
                          numberText(series.values()[point.index], 6));
  if (!series.others().empty())
    text += tr("\n%1: %2").arg(otherTitle_, numberText(series.others()[point.index], 6));
  if (curve.low && curve.high && point.index < curve.low->size())
    text += tr("\nband %1 to %2")
                .arg(numberText(curve.low->values()[point.index], 6),
                     numberText(curve.high->values()[point.index], 6));
  return text;
}

void CurvePlot::showReadout(const QPoint& position) {
  const auto point = drawing_.pointAt(position, ranges_);
  if (!point) return QToolTip::hideText();
  showTip(plot_->mapToGlobal(position + QPoint(12, 8)), readout(*point), plot_);
}

void CurvePlot::choosePoint(const QPoint& position) {
  const auto point = drawing_.pointAt(position, ranges_);
  if (!point) return;
  emit pointChosen(point->curve, qint64(curves()[point->curve].series->steps()[point->index]));
}

QVector<CurvePlot::Break> CurvePlot::breaks() const {
  QVector<Break> found;
  for (const Curve& curve : curves()) {
    for (const std::size_t at : curve.series->nonFinite())
      found.push_back({curve.label, qint64(curve.series->steps()[at]), curve.series->values()[at]});
    if (curve.brokeAt >= 0) found.push_back({curve.label, curve.brokeAt, std::nullopt});
  }
  return found;
}

void CurvePlot::showStep(const QString& label, qint64 step) {
  double x = double(step), first = x, last = x;
  for (const Curve& curve : curves()) {
    const CurveX xs = ranges_.xOf(*curve.series);
    if (curve.series->size() == 0) continue;
    first = std::min(first, xs.at(0));
    last = std::max(last, xs.at(curve.series->size() - 1));
    if (curve.label != label) continue;
    const auto steps = curve.series->steps();
    const auto at = std::ranges::find(steps, double(step));
    if (at != steps.end()) x = xs.at(std::size_t(at - steps.begin()));
  }
  const double half = std::max((last - first) * kBreakShare / 2, (last > first ? 0 : 1) * 10.0);
  setXRange(x - half, x + half);
  emit xRangeChanged(x - half, x + half, false);
}

void CurvePlot::writeValues(QTextStream& out) const {
  out.setRealNumberPrecision(17);
  const bool other = ranges_.xAxis() == XAxis::kOther;
  out << "run,series,step,wall_time,value";
  if (other) out << ',' << csvField(otherTitle_);
  out << (hasBands() ? ",low,high\n" : "\n");
  writeCurves(out, curves(), title());
  writeCurves(out, second(), secondSeries_);
}

bool CurvePlot::hasBands() const {
  return std::ranges::any_of(curves(), [](const Curve& c) { return c.low && c.high; });
}

void CurvePlot::writeCurves(QTextStream& out, const QVector<Curve>& curves,
                            const QString& name) const {
  const bool other = ranges_.xAxis() == XAxis::kOther;
  const bool bands = hasBands();
  for (const Curve& curve : curves) {
    const Series& series = *curve.series;
    const QString prefix =
        csvField(curve.label) + QLatin1Char(',') + csvField(name) + QLatin1Char(',');
    for (std::size_t i = 0; i < series.size(); ++i) {
      out << prefix << qint64(series.steps()[i]) << ',' << series.wallTimes()[i] << ','
          << numberText(series.values()[i], 17);
      if (other) out << ',' << numberText(series.others()[i], 17);
      if (bands && curve.low && curve.high)
        out << ',' << numberText(curve.low->values()[i], 17) << ','
            << numberText(curve.high->values()[i], 17);
      else if (bands)
        out << ",,";
      out << '\n';
    }
  }
}

}  // namespace strata::ui
