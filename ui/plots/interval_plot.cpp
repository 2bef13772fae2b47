#include "ui/plots/interval_plot.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <QTextStream>
#include <algorithm>
#include <cmath>

#include "ui/plots/picture_export.h"
#include "ui/plots/plot_style.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"
#include "ui/widgets/short_names.h"

namespace strata::ui {
namespace {
using Verdict = IntervalRow::Verdict;
constexpr Verdict kVerdicts[] = {Verdict::kBaseline, Verdict::kBetter, Verdict::kWorse,
                                 Verdict::kUndecided};
constexpr int kIntervalHeight = 24, kAround = 110;  // pixels: a row; title, axis and legend
constexpr double kNameShare = 0.36;                 // of the width, at most

// How a verdict is drawn and named.
struct VerdictStyle {
  QColor colour;
  QCPScatterStyle::ScatterShape shape;
  double size;
  QString word;
  QString mark = {};  // next to the value

  QCPScatterStyle point() const { return {shape, colour, colour, size}; }
};

VerdictStyle styleOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kBaseline:
      return {theme().text, QCPScatterStyle::ssDiamond, 9, IntervalPlot::tr("baseline")};
    case Verdict::kBetter:
      return {theme().good, QCPScatterStyle::ssTriangle, 9, IntervalPlot::tr("better, p < 0.05"),
              QStringLiteral(" \u25b2")};
    case Verdict::kWorse:
      return {theme().bad, QCPScatterStyle::ssTriangleInverted, 9,
              IntervalPlot::tr("worse, p < 0.05"), QStringLiteral(" \u25bc")};
    case Verdict::kUndecided:
      break;
  }
  return {theme().accent, QCPScatterStyle::ssDisc, 7, IntervalPlot::tr("undecided")};
}

QString fixedText(double value, int digits) {
  return std::isnan(value) ? QString(QChar(0x2013)) : QString::number(value, 'f', digits);
}

}  // namespace

IntervalPlot::IntervalPlot(QWidget* parent) : FramedPlot(parent), cursor_(plot_) {
  setFocusPolicy(Qt::StrongFocus);
  plot_->setMinimumWidth(220);
  plot_->setMouseTracking(true);
  plot_->yAxis->setRangeReversed(true);
  plot_->yAxis2->setRangeReversed(true);
  plot_->yAxis2->setVisible(true);
  setLogarithmic(plot_->xAxis, false);
  redraw();
}

void IntervalPlot::setAxisTitle(const QString& title) {
  PlotChart::setAxisTitle(plot_->xAxis, title);
}

void IntervalPlot::setRows(QVector<IntervalRow> rows) {
  rows_ = std::move(rows);
  row_ = -1;
  setMinimumHeight(kAround + kIntervalHeight * int(rows_.size()));
  redraw();
}

QString IntervalPlot::readout(int row) const {
  if (row < 0 || row >= rows_.size()) return {};
  const IntervalRow& r = rows_[row];
  const auto shown = [this](double value) { return fixedText(value, digits_); };
  const auto difference = [&](double value) {
    return (value < 0 ? QString() : QStringLiteral("+")) + shown(value);
  };
  QStringList lines{r.name, tr("%1: %2").arg(axisTitle(plot_->xAxis), shown(r.value))};
  if (std::isfinite(r.low)) lines << tr("95 % interval: %1 to %2").arg(shown(r.low), shown(r.high));
  if (std::isfinite(r.difference))
    lines << tr("difference from the baseline: %1").arg(difference(r.difference));
  if (std::isfinite(r.differenceLow))
    lines << tr("its 95 % interval: %1 to %2")
                 .arg(difference(r.differenceLow), difference(r.differenceHigh));
  if (std::isfinite(r.p)) lines << tr("p = %1").arg(r.p, 0, 'f', 4);
  if (std::isfinite(r.pHolm)) lines << tr("p after Holm's correction = %1").arg(r.pHolm, 0, 'f', 4);
  lines << (std::isfinite(r.p) || r.verdict == Verdict::kBaseline ? styleOf(r.verdict).word
                                                                  : tr("not tested"));
  return lines.join(QLatin1Char('\n'));
}

QPoint IntervalPlot::pointOf(int row) const {
  return QPointF(plot_->xAxis->coordToPixel(rows_[row].value), plot_->yAxis->coordToPixel(row))
      .toPoint();
}

// One graph per verdict, so that the legend has one entry for each.
void IntervalPlot::addRows(Verdict verdict) {
  if (std::ranges::find(rows_, verdict, &IntervalRow::verdict) == rows_.end()) return;
  const VerdictStyle style = styleOf(verdict);
  auto* graph = plot_->addGraph(plot_->yAxis, plot_->xAxis);
  graph->setName(style.word);
  graph->setLineStyle(QCPGraph::lsNone);
  graph->setPen(QPen(style.colour, 1.6));
  graph->setScatterStyle(style.point());
  QCPErrorBars* bars = addErrorBars(graph, graph->pen(), 8);
  for (int i = 0; i < rows_.size(); ++i) {
    const IntervalRow& row = rows_[i];
    if (row.verdict != verdict || !std::isfinite(row.value)) continue;
    graph->addData(i, row.value);
    bars->addData(row.value - row.low, row.high - row.value);
  }
}

void IntervalPlot::addBaseline() {
  for (const IntervalRow& row : rows_) {
    if (row.verdict != Verdict::kBaseline || !std::isfinite(row.value)) continue;
    auto* line = new QCPItemStraightLine(plot_);  // owned by plot_
    line->setPen(QPen(theme().muted, 1.2, Qt::DashLine));
    line->point1->setCoords(row.value, 0);
    line->point2->setCoords(row.value, 1);
  }
}

void IntervalPlot::setRanges() {
  QCPRange values(std::nan(""), std::nan(""));
  for (const IntervalRow& row : rows_) {
    for (const double value : {row.value, row.low, row.high}) include(values, value);
  }
  if (std::isnan(values.lower)) values = {0, 1};
  plot_->xAxis->setRange(withMargins(values));
  for (QCPAxis* axis : {plot_->yAxis, plot_->yAxis2})
    axis->setRange(-0.6, double(rows_.size()) - 0.4);
}

void IntervalPlot::fitLabels() {
  const QFontMetrics metrics(plot_->yAxis->tickLabelFont());
  const auto names = QSharedPointer<QCPAxisTickerText>::create();
  const auto values = QSharedPointer<QCPAxisTickerText>::create();
  QStringList all;
  for (const auto& row : rows_) all << row.name;
  const ShortNames shortened(all);
  for (int i = 0; i < rows_.size(); ++i) {
    names->addTick(i, shortened.fit(rows_[i].name, metrics, int(drawingWidth() * kNameShare)));
    values->addTick(i, fixedText(rows_[i].value, digits_) + styleOf(rows_[i].verdict).mark);
  }
  plot_->yAxis->setTicker(names);
  plot_->yAxis2->setTicker(values);
}

void IntervalPlot::drawContent() {
  plot_->legend->setIconSize(18, QFontMetrics(plot_->legend->font()).height());
  for (QCPAxis* axis : {plot_->yAxis, plot_->yAxis2}) {
    axis->setTickLabelColor(theme().text);
    axis->setTickLength(0, 0);
  }
  plot_->yAxis2->setBasePen(Qt::NoPen);
  plot_->yAxis2->grid()->setVisible(false);
  addBaseline();
  for (const Verdict verdict : kVerdicts) addRows(verdict);
  setRanges();
}

void IntervalPlot::choose(int row, const QPoint& position) {
  row_ = row >= 0 && row < rows_.size() ? row : -1;
  say(readout(row_));
  showTip(plot_->mapToGlobal(position), readout(row_), plot_);  // an empty text hides it
}

bool IntervalPlot::eventFilter(QObject* watched, QEvent* event) {
  if (watched == plot_ && event->type() == QEvent::MouseMove) {
    const QPoint position = static_cast<QMouseEvent*>(event)->pos();
    const double row = plot_->yAxis->pixelToCoord(position.y());
    const bool inside =
        position.y() >= plot_->axisRect()->top() && position.y() <= plot_->axisRect()->bottom();
    choose(inside ? int(std::lround(row)) : -1, position);
  }
  if (watched == plot_ && event->type() == QEvent::Leave) choose(-1, {});
  return FramedPlot::eventFilter(watched, event);
}

void IntervalPlot::focusOutEvent(QFocusEvent* event) {
  FramedPlot::focusOutEvent(event);
  cursor_.hide();
}

void IntervalPlot::keyPressEvent(QKeyEvent* event) {
  const int key = event->key(), last = int(rows_.size()) - 1;
  const bool ends = key == Qt::Key_Home || key == Qt::Key_End;
  if (rows_.isEmpty() || (key != Qt::Key_Down && key != Qt::Key_Up && !ends))
    return QWidget::keyPressEvent(event);
  const int row = ends ? (key == Qt::Key_Home ? 0 : last)
                       : std::clamp(row_ + (key == Qt::Key_Down ? 1 : -1), 0, last);
  cursor_.show(plot_->axisRect(), rows_[row].value, row);
  choose(row, pointOf(row));
}

void IntervalPlot::writeValues(QTextStream& out) const {
  out << csvLine({tr("system"), axisTitle(plot_->xAxis), tr("low"), tr("high"), tr("difference"),
                  tr("difference low"), tr("difference high"), tr("p"), tr("p (Holm)"),
                  tr("verdict")});
  for (const IntervalRow& row : rows_) {
    QStringList fields{row.name};
    for (const double value : {row.value, row.low, row.high, row.difference, row.differenceLow,
                               row.differenceHigh, row.p, row.pHolm})
      fields << csvNumber(value);
    out << csvLine(fields << styleOf(row.verdict).word);
  }
}

}  // namespace strata::ui
