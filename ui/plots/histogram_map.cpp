#include "ui/plots/histogram_map.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <QTextStream>
#include <QTimer>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/plot_style.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {

constexpr int kMostColumns = 300;
constexpr double kTickRoom = 1.0 / 16;  // of the axis: between the labels of 0 and of a power
constexpr double kLine = 1.2, kHalo = 3.2;

// The median is drawn through, the quartiles are dashed, the outer two dotted.
Qt::PenStyle dashOf(std::size_t quantile) {
  constexpr Qt::PenStyle kDashes[] = {Qt::DotLine, Qt::DashLine, Qt::SolidLine};
  return kDashes[std::min(quantile, kHistogramQuantiles.size() - 1 - quantile)];
}

QString shareText(double share) {
  return HistogramMapView::tr("%1 %").arg(numberText(100 * share, 3));
}

}  // namespace

HistogramMapView::HistogramMapView(QWidget* parent)
    : FramedPlot(parent), scale_(new QCPColorScale(plot_)), ring_(plot_) {
  setFocusPolicy(Qt::StrongFocus);
  plot_->setMinimumSize(320, 200);
  plot_->setMouseTracking(true);
  plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
  plot_->axisRect()->setRangeDrag(Qt::Horizontal);
  plot_->axisRect()->setRangeZoom(Qt::Horizontal);
  plot_->plotLayout()->addElement(0, 1, scale_);
  auto* group = new QCPMarginGroup(plot_);  // bar and map have the same height
  plot_->axisRect()->setMarginGroup(QCP::msBottom | QCP::msTop, group);
  scale_->setMarginGroup(QCP::msBottom | QCP::msTop, group);
  scale_->setType(QCPAxis::atRight);
  scale_->setBarWidth(14);
  connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this] { showRange(whole()); });
  connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    pressed_ = event->pos();
  });
  connect(plot_, &QCustomPlot::mouseRelease, this, [this](QMouseEvent* event) {
    const Cell cell = cellAt(event->pos());
    if ((event->pos() - pressed_).manhattanLength() <= kClickMove && cell.column >= 0)
      emit stepChosen(map_.columns[std::size_t(cell.column)].last);
  });
  connect(plot_, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
    const Cell cell = cellAt(event->pos());
    if (cell.column < 0 || event->buttons() != Qt::NoButton) return QToolTip::hideText();
    showTip(event->globalPosition().toPoint(), readout(cell), plot_);
  });
  connect(plot_->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
          [this](const QCPRange& moved) {
            if (drawing_) return;
            // Deferred until the plot has handled the mouse event.
            const StepRange wanted{moved.lower, moved.upper - 1};
            QTimer::singleShot(0, this, [this, wanted] { showRange(wanted); });
          });
  redraw();
}

StepRange HistogramMapView::whole() const {
  if (steps_.empty()) return {};
  return {double(steps_.front().step), double(steps_.back().step)};
}

void HistogramMapView::setSteps(const QString& title, std::vector<StepHistogram> steps) {
  const bool everything = range_ == whole();
  steps_ = std::move(steps);
  setTitle(title);
  showRange(everything ? whole() : range_);
}

void HistogramMapView::showRange(const StepRange& range) {
  const StepRange all = whole();
  range_ = {std::max(std::round(range.first), all.first),
            std::min(std::round(range.last), all.last)};
  if (range_.last < range_.first) range_ = all;
  map_ =
      histogramMap(steps_, {std::int64_t(range_.first), std::int64_t(range_.last), kMostColumns});
  if (map_.isEmpty() && !steps_.empty()) {  // between two recorded steps
    range_ = all;
    map_ = histogramMap(steps_, {std::int64_t(all.first), std::int64_t(all.last), kMostColumns});
  }
  cursor_.column = std::min(cursor_.column, int(map_.columns.size()) - 1);
  cursor_.row = std::clamp(cursor_.row, 0, std::max(0, int(map_.rows.size()) - 1));
  redraw();
}

double HistogramMapView::middleOf(int column) const {
  return range_.first + (column + 0.5) * range_.width() / double(map_.columns.size());
}

void HistogramMapView::drawContent() {
  drawing_ = true;
  setAxes();
  if (!map_.isEmpty()) {
    drawShares();
    drawQuantiles();
    markBreaks();
  }
  drawing_ = false;
  showCursor();
}

// Powers of ten at their places, and 0 in the middle.
void HistogramMapView::setAxes() {
  plot_->axisRect()->setBackground(QBrush(theme().raised));
  setAxisTitle(plot_->xAxis, tr("step"));
  setAxisTitle(plot_->yAxis, tr("value"));
  ui::setLogarithmic(plot_->xAxis, false);
  plot_->xAxis->setRange(range_.first, range_.last + 1);  // each step is one wide
  const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
  const double zero = map_.placeOf(0);
  for (std::size_t row = 0; row < map_.rows.size(); ++row) {
    const auto [lower, upper] = map_.rows[row];
    if (lower <= 0 && upper >= 0) ticker->addTick(double(row), QStringLiteral("0"));
    const double least = std::min(std::abs(lower), std::abs(upper)),
                 most = std::max(std::abs(lower), std::abs(upper));
    const double power = std::pow(10, std::ceil(std::log10(std::max(least, 1e-300))));
    if (lower * upper <= 0 || std::isinf(most) || power >= most) continue;
    const double value = upper > 0 ? power : -power;
    if (std::abs(map_.placeOf(value) - zero) > kTickRoom * double(map_.rows.size()))
      ticker->addTick(map_.placeOf(value), QString::number(value, 'g', 3));
  }
  plot_->yAxis->setTicker(ticker);
  plot_->yAxis->setRange(-0.5, std::max(0.5, double(map_.rows.size()) - 0.5));
  for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) axis->grid()->setVisible(false);
  scale_->setVisible(!map_.isEmpty());
  styleScale(scale_, plot_->font());
  scale_->axis()->setLabel(tr("share of the values (%)"));
}

// A bin without values stays free.
void HistogramMapView::drawShares() {
  const auto columns = int(map_.columns.size()), rows = int(map_.rows.size());
  auto* colours = new QCPColorMap(plot_->xAxis, plot_->yAxis);  // owned by plot_
  colours->removeFromLegend();
  colours->setInterpolate(false);
  colours->data()->setSize(columns, rows);
  colours->data()->setRange(cellCentres(range_.first, range_.last + 1, columns),
                            cellCentres(-0.5, rows - 0.5, rows));
  double most = 0;
  for (int column = 0; column < columns; ++column) {
    for (int row = 0; row < rows; ++row) {
      const double share = map_.columns[std::size_t(column)].shares[std::size_t(row)];
      colours->data()->setCell(column, row, share > 0 ? 100 * share : std::nan(""));
      if (share > most) most = share;
    }
  }
  colours->setColorScale(scale_);
  scale_->setGradient(mapGradient());
  scale_->setDataRange({0, most > 0 ? 100 * most : 1});
}

// With an edge in the background's colour, so that they are seen on every colour.
void HistogramMapView::drawQuantiles() {
  for (std::size_t i = 0; i < kHistogramQuantiles.size(); ++i) {
    QCPGraph* edge = plot_->addGraph();
    edge->removeFromLegend();
    edge->setPen(QPen(theme().surface, kHalo));
    QCPGraph* line = plot_->addGraph();
    line->setPen(QPen(theme().text, kLine, dashOf(i)));
    line->setName(kHistogramQuantiles[i] == 0.5 ? tr("median") : shareText(kHistogramQuantiles[i]));
    if (map_.columns.size() == 1)
      line->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, 5));
    for (int column = 0; column < int(map_.columns.size()); ++column) {
      const double value = map_.columns[std::size_t(column)].figures.quantiles[i];
      for (QCPGraph* graph : {edge, line}) graph->addData(middleOf(column), map_.placeOf(value));
    }
  }
}

void HistogramMapView::markBreaks() {
  for (int column = 0; column < int(map_.columns.size()); ++column) {
    if (map_.columns[std::size_t(column)].figures.nonFinite == 0) continue;
    auto* line = new QCPItemStraightLine(plot_);  // owned by plot_
    line->setPen(QPen(theme().bad, 1, Qt::DashLine));
    line->point1->setCoords(middleOf(column), 0);
    line->point2->setCoords(middleOf(column), 1);
  }
}

QString HistogramMapView::readout(const Cell& cell) const {
  const HistogramMap::Column& column = map_.columns[std::size_t(cell.column)];
  const auto [lower, upper] = map_.rows[std::size_t(cell.row)];
  const QString steps =
      column.last > column.first
          ? tr("steps %1 to %2").arg(countText(column.first), countText(column.last))
          : tr("step %1").arg(countText(column.last));
  const QString values = lower == upper ? tr("0")
                         : lower < 0 && upper > 0
                             ? tr("0 and magnitudes below %1").arg(numberText(upper, 3))
                             : tr("%1 to %2").arg(numberText(lower, 3), numberText(upper, 3));
  const double share = column.shares[std::size_t(cell.row)];
  QString text =
      tr("%1 · %2: %3").arg(steps, values, std::isnan(share) ? tr("no value") : shareText(share));
  if (const qint64 broken = column.figures.nonFinite; broken > 0)
    text += tr(" · not finite: %1").arg(countText(broken));
  return text;
}

HistogramMapView::Cell HistogramMapView::cellAt(const QPoint& position) const {
  if (map_.isEmpty() || !plot_->axisRect()->rect().contains(position)) return {};
  const double x = plot_->xAxis->pixelToCoord(position.x()),
               y = plot_->yAxis->pixelToCoord(position.y());
  const auto last = int(map_.columns.size()) - 1;
  return {std::clamp(int((x - range_.first) / range_.width() * (last + 1)), 0, last),
          std::clamp(int(std::floor(y + 0.5)), 0, int(map_.rows.size()) - 1)};
}

void HistogramMapView::showCursor() {
  if (picture() || !hasFocus() || cursor_.column < 0) return ring_.hide();
  ring_.show(plot_->axisRect(), middleOf(cursor_.column), cursor_.row);
}

void HistogramMapView::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  const QPoint step = key == Qt::Key_Left    ? QPoint(-1, 0)
                      : key == Qt::Key_Right ? QPoint(1, 0)
                      : key == Qt::Key_Up    ? QPoint(0, 1)  // to larger values
                      : key == Qt::Key_Down  ? QPoint(0, -1)
                                             : QPoint();
  const bool ends = key == Qt::Key_Home || key == Qt::Key_End;
  const bool enter = key == Qt::Key_Return || key == Qt::Key_Enter;
  if ((step.isNull() && !ends && !enter) || map_.isEmpty()) return FramedPlot::keyPressEvent(event);
  const auto lastColumn = int(map_.columns.size()) - 1, lastRow = int(map_.rows.size()) - 1;
  if (cursor_.column < 0) {  // at the newest step, where most values are small
    cursor_ = {lastColumn, std::clamp(int(std::lround(map_.placeOf(0))), 0, lastRow)};
  } else {
    const int column = ends ? (key == Qt::Key_Home ? 0 : lastColumn) : cursor_.column + step.x();
    cursor_ = {std::clamp(column, 0, lastColumn), std::clamp(cursor_.row + step.y(), 0, lastRow)};
  }
  showCursor();
  say(readout(cursor_));
  const QPointF at(plot_->xAxis->coordToPixel(middleOf(cursor_.column)),
                   plot_->yAxis->coordToPixel(cursor_.row));
  showTip(plot_->mapToGlobal(at.toPoint()), readout(cursor_), plot_);
  if (enter) emit stepChosen(map_.columns[std::size_t(cursor_.column)].last);
}

void HistogramMapView::focusInEvent(QFocusEvent* event) {
  FramedPlot::focusInEvent(event);
  showCursor();
}

void HistogramMapView::focusOutEvent(QFocusEvent* event) {
  FramedPlot::focusOutEvent(event);
  showCursor();
}

// Every recorded step with all its bins, not what is drawn.
void HistogramMapView::writeValues(QTextStream& out) const {
  out << "kind,layer,step,lower,upper,count\n";
  for (const StepHistogram& step : steps_) {
    const QStringList head{qs(nameOf(step.kind)), qs(step.layer), QString::number(step.step)};
    for (int bin = 0; bin < kHistogramBins; ++bin) {
      const std::int64_t count = step.values.counts[std::size_t(bin)];
      if (count == 0) continue;
      const bool finite = bin != kNonFiniteBin;
      const double lower = finite ? lowerBound(bin) : kNoFigure,
                   upper = finite ? upperBound(bin) : kNoFigure;
      out << csvLine(
          head + QStringList{numberText(lower, 17), numberText(upper, 17), QString::number(count)});
    }
  }
}

}  // namespace strata::ui
