#include "ui/plots/category_plot.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <QTextStream>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/plot_style.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {
constexpr int kAxisWidth = 70;  // pixels next to the categories
constexpr int kLabelGap = 6, kLeastLabel = 24;
constexpr std::size_t kMostDots = 400;  // of a line; more would cover it
constexpr double kGroupWidth = 0.8;     // fraction of a category's width
constexpr double kPointStep = 0.12;     // the same unit, between points side by side

double at(const std::vector<double>& values, std::size_t index) {
  return index < values.size() ? values[index] : std::nan("");
}

bool hasInterval(const CategorySeries& series) {
  return !series.low.empty() || !series.high.empty();
}

// Each line of a label in so many pixels.
QString shortened(const QString& label, const QFontMetrics& metrics, int room) {
  QStringList lines;
  for (const QString& line : label.split(QLatin1Char('\n')))
    lines << metrics.elidedText(line, Qt::ElideMiddle, room);
  return lines.join(QLatin1Char('\n'));
}

// Series that share a colour differ by their points.
QCPScatterStyle pointOf(int index, const QColor& colour, double size) {
  const QCPScatterStyle::ScatterShape shapes[] = {
      QCPScatterStyle::ssDisc, QCPScatterStyle::ssSquare, QCPScatterStyle::ssDiamond,
      QCPScatterStyle::ssTriangle};
  const auto number = std::size_t(index / theme().series.size());
  QCPScatterStyle style(shapes[number % std::size(shapes)], colour, colour, size);
  if (number % std::size(shapes) > 0) style.setSize(size + 1);
  return style;
}
}  // namespace

CategoryPlot::CategoryPlot(QWidget* parent) : FramedPlot(parent), cursor_(plot_) {
  setFocusPolicy(Qt::StrongFocus);
  plot_->setMinimumSize(220, 150);
  setLogarithmic(plot_->yAxis, false);
}

void CategoryPlot::setAxisTitles(const QString& x, const QString& y) {
  setAxisTitle(plot_->xAxis, x);
  setAxisTitle(plot_->yAxis, y);
}

void CategoryPlot::setLogarithmicValues(bool on) {
  logarithmic_ = on;
  setLogarithmic(plot_->yAxis, on);
}

void CategoryPlot::setContent(QStringList categories, QVector<CategorySeries> series) {
  categories_ = std::move(categories);
  series_ = std::move(series);
  category_ = -1;
  redraw();
}

QString CategoryPlot::readout(int category, int index) const {
  const CategorySeries& series = series_[index];
  const auto i = std::size_t(category);
  const double value = at(series.values, i), low = at(series.low, i), high = at(series.high, i);
  const QString name = QString(categories_[category]).replace(QLatin1Char('\n'), QLatin1Char(' '));
  QString text =
      tr("%1 · %2: %3").arg(series.label, name, std::isnan(value) ? tr("none") : numberText(value));
  if (std::isfinite(low) && std::isfinite(high))
    text += tr(" (%1 to %2)").arg(numberText(low), numberText(high));
  if (series.kind == CategorySeries::Kind::kBoxes)
    text +=
        tr(", half of them %1 to %2")
            .arg(numberText(at(series.lowerQuartile, i)), numberText(at(series.upperQuartile, i)));
  return text;
}

void CategoryPlot::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  const bool ends = key == Qt::Key_Home || key == Qt::Key_End;
  const int right = (key == Qt::Key_Right) - (key == Qt::Key_Left);
  const int down = (key == Qt::Key_Down) - (key == Qt::Key_Up);
  if ((right == 0 && down == 0 && !ends) || categories_.isEmpty() || series_.isEmpty())
    return FramedPlot::keyPressEvent(event);
  const int last = int(categories_.size()) - 1;
  if (category_ < 0) {
    category_ = ofSeries_ = 0;
  } else {
    category_ = ends ? (key == Qt::Key_Home ? 0 : last) : std::clamp(category_ + right, 0, last);
    ofSeries_ = std::clamp(ofSeries_ + down, 0, int(series_.size()) - 1);
  }
  const double value = at(series_[ofSeries_].values, std::size_t(category_));
  const double y = std::isnan(value) ? plot_->yAxis->range().lower : value;
  cursor_.show(plot_->axisRect(), category_, y);
  const QString text = readout(category_, ofSeries_);
  say(text);
  const QPointF place(plot_->xAxis->coordToPixel(category_), plot_->yAxis->coordToPixel(y));
  showTip(plot_->mapToGlobal(place.toPoint() + QPoint(12, 8)), text, plot_);
}

void CategoryPlot::focusOutEvent(QFocusEvent* event) {
  FramedPlot::focusOutEvent(event);
  cursor_.hide();
}

int CategoryPlot::countOf(CategorySeries::Kind kind) const {
  return int(std::ranges::count(series_, kind, &CategorySeries::kind));
}

QColor CategoryPlot::colourOf(int index) const {
  return seriesColour(series_[index].colour < 0 ? index : series_[index].colour);
}

void CategoryPlot::addBars() {
  const double places = oneBar_ ? 1 : std::max(1, countOf(CategorySeries::Kind::kBars));
  const double width = kGroupWidth / places;
  int place = 0;
  for (int index = 0; index < series_.size(); ++index) {
    if (series_[index].kind != CategorySeries::Kind::kBars) continue;
    auto* drawn = new QCPBars(plot_->xAxis, plot_->yAxis);  // owned by plot_
    drawn->setName(series_[index].label);
    drawn->setWidth(width * 0.94);
    drawn->setPen(Qt::NoPen);
    drawn->setBrush(colourOf(index));
    const double shift = oneBar_ ? 0 : (place++ - (places - 1) / 2) * width;
    for (std::size_t i = 0; i < series_[index].values.size(); ++i) {
      const double value = series_[index].values[i];
      if (std::isfinite(value)) drawn->addData(double(i) + shift, value);
    }
  }
}

// References differ by their dashes, in a colour that contrasts with bars and prints well.
void CategoryPlot::addReference(const CategorySeries& series, int number) {
  QCPGraph* graph = plot_->addGraph();
  graph->setName(series.label);
  graph->setPen(QPen(theme().text, 1.6, number % 2 == 0 ? Qt::DashLine : Qt::DotLine));
  for (std::size_t i = 0; i < series.values.size(); ++i)
    graph->addData(double(i), series.values[i]);
  if (series.values.empty()) return;
  graph->addData(-0.45, series.values.front());  // a line even with a single category
  graph->addData(double(series.values.size()) - 0.55, series.values.back());
}

void CategoryPlot::addPoints(const CategorySeries& series, int index, double shift) {
  const QColor colour = colourOf(index);
  const bool line = series.kind == CategorySeries::Kind::kLine;
  QCPGraph* graph = plot_->addGraph();
  graph->setName(series.label);
  graph->setPen(QPen(colour, 1.8, lineStyle(index).dash));
  if (!line) graph->setLineStyle(QCPGraph::lsNone);
  if (!line || series.values.size() <= kMostDots)
    graph->setScatterStyle(pointOf(index, colour, line ? 4 : 7));
  QCPErrorBars* bars = hasInterval(series) ? addErrorBars(graph, QPen(colour, 1.4), 6) : nullptr;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const double value = series.values[i];
    graph->addData(double(i) + shift, value);
    if (bars) bars->addData(value - at(series.low, i), at(series.high, i) - value);
  }
}

void CategoryPlot::addBoxes(const CategorySeries& series, int index) {
  auto* boxes = new QCPStatisticalBox(plot_->xAxis, plot_->yAxis);  // owned by plot_
  const QColor colour = colourOf(index);
  QColor faint = colour;
  faint.setAlpha(70);
  boxes->setName(series.label);
  boxes->setWidth(kGroupWidth / 2);
  boxes->setWhiskerWidth(kGroupWidth / 4);
  boxes->setPen(QPen(colour, 1.4));
  boxes->setBrush(faint);
  boxes->setMedianPen(QPen(theme().text, 2.4));
  for (auto set : {&QCPStatisticalBox::setWhiskerPen, &QCPStatisticalBox::setWhiskerBarPen})
    (boxes->*set)(QPen(colour, 1.4));
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    if (!std::isfinite(series.values[i])) continue;  // it would be drawn across the whole plane
    boxes->addData(double(i), at(series.low, i), at(series.lowerQuartile, i), series.values[i],
                   at(series.upperQuartile, i), at(series.high, i));
  }
}

void CategoryPlot::addLines() {
  const int points = countOf(CategorySeries::Kind::kPoints);
  const double step = std::min(kPointStep, kGroupWidth / std::max(1, points));
  int references = 0, place = 0;
  for (int index = 0; index < series_.size(); ++index) {
    const CategorySeries& series = series_[index];
    if (series.kind == CategorySeries::Kind::kBars) continue;
    if (series.kind == CategorySeries::Kind::kReference) {
      addReference(series, references++);
      continue;
    }
    if (series.kind == CategorySeries::Kind::kBoxes) {
      addBoxes(series, index);
      continue;
    }
    const bool apart = series.kind == CategorySeries::Kind::kPoints;
    addPoints(series, index, apart ? (place++ - double(points - 1) / 2) * step : 0);
  }
}

void CategoryPlot::setRanges() {
  plot_->xAxis->setRange(-0.6, double(categories_.size()) - 0.4);
  if (unitScale_) return plot_->yAxis->setRange(0, 1);
  QCPRange shown(std::nan(""), std::nan(""));
  for (const CategorySeries& series : series_) {
    for (const auto* values : {&series.values, &series.low, &series.high})
      for (const double value : *values) include(shown, value);
  }
  if (logarithmic_ && shown.lower > 0)
    return plot_->yAxis->setRange(shown.lower / 1.3, shown.upper * 1.3);
  if (!fromZero_ && countOf(CategorySeries::Kind::kBars) == 0 && !std::isnan(shown.lower))
    return plot_->yAxis->setRange(withMargins(shown));
  plot_->yAxis->setRange(0, shown.upper > 0 ? shown.upper * 1.08 : 1);
}

void CategoryPlot::fitLabels() {
  const QFontMetrics metrics(plot_->xAxis->tickLabelFont());
  int widest = 1;
  for (const QString& category : categories_)
    widest = std::max(widest, metrics.boundingRect({0, 0, 1000, 100}, 0, category).width());
  const int room = std::max(60, drawingWidth() - kAxisWidth) / std::max(1, int(categories_.size()));
  // Multi-word names are wrapped; some numeric labels are left out.
  const bool named = !categories_.filter(QStringLiteral(" ")).isEmpty();
  const int step = named ? 1 : (widest + 8) / std::max(1, room) + 1;
  const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
  for (int i = 0; i < categories_.size(); i += step) {
    QString text = categories_[i];
    if (widest + kLabelGap > room) text.replace(QLatin1Char(' '), QLatin1Char('\n'));
    ticker->addTick(i, shortened(text, metrics, std::max(kLeastLabel, step * room - kLabelGap)));
  }
  plot_->xAxis->setTicker(ticker);
}

QString CategoryPlot::wholeTextAt(const QPoint& position) const {
  const int category = int(std::lround(plot_->xAxis->pixelToCoord(position.x())));
  auto* ticker = dynamic_cast<QCPAxisTickerText*>(plot_->xAxis->ticker().data());
  if (plot_->xAxis->getPartAt(position) != QCPAxis::spTickLabels || ticker == nullptr ||
      !ticker->ticks().value(category).contains(QChar(0x2026)))
    return FramedPlot::wholeTextAt(position);
  return categories_.value(category);
}

void CategoryPlot::drawContent() {
  // A point is offset from the centre of its label.
  if (oneBar_ || countOf(CategorySeries::Kind::kPoints) > 0)
    plot_->legend->setIconSize(18, QFontMetrics(plot_->legend->font()).height());
  addBars();
  addLines();
  setRanges();
}

void CategoryPlot::writeValues(QTextStream& out) const {
  QStringList titles{axisTitle(plot_->xAxis)};
  for (const CategorySeries& series : series_) {
    titles << series.label;
    if (hasInterval(series))
      titles << tr("%1, low").arg(series.label) << tr("%1, high").arg(series.label);
    if (!series.lowerQuartile.empty())
      titles << tr("%1, lower quartile").arg(series.label)
             << tr("%1, upper quartile").arg(series.label);
  }
  out << csvLine(titles);
  for (int i = 0; i < categories_.size(); ++i) {
    QStringList fields{categories_[i]};
    for (const CategorySeries& series : series_) {
      fields << csvNumber(at(series.values, std::size_t(i)));
      if (hasInterval(series))
        fields << csvNumber(at(series.low, std::size_t(i)))
               << csvNumber(at(series.high, std::size_t(i)));
      if (!series.lowerQuartile.empty())
        fields << csvNumber(at(series.lowerQuartile, std::size_t(i)))
               << csvNumber(at(series.upperQuartile, std::size_t(i)));
    }
    out << csvLine(fields);
  }
}

}  // namespace strata::ui
