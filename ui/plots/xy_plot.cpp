#include "ui/plots/xy_plot.h"

#include <qcustomplot.h>

#include <QKeyEvent>
#include <QTextStream>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/plot_style.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"
#include "ui/widgets/short_names.h"

namespace strata::ui {
namespace {
constexpr double kNear = 12;  // pixels between the mouse and a point
constexpr int kBandAlpha = 46;
constexpr qsizetype kMostThick = 50;  // series; more lines are thin, to be told apart, and quick

QVector<QPointF> pointsOf(const std::vector<std::pair<double, double>>& pairs) {
  QVector<QPointF> points;
  for (const auto& [x, y] : pairs) points << QPointF(x, y);
  return points;
}

}  // namespace

XyPlot::XyPlot(QWidget* parent) : FramedPlot(parent), cursor_(plot_) {
  setFocusPolicy(Qt::StrongFocus);
  plot_->setMinimumSize(260, 170);
  plot_->setMouseTracking(true);
  setLogarithmic(plot_->yAxis, false);
}

void XyPlot::setAxisTitles(const QString& x, const QString& y) {
  setAxisTitle(plot_->xAxis, x);
  setAxisTitle(plot_->yAxis, y);
}

void XyPlot::setNames(QStringList names) {
  names_ = std::move(names);
}

void XyPlot::setLogarithmicX(bool on) {
  logarithmic_ = on;
}

void XyPlot::setSeries(QVector<XySeries> series) {
  series_ = std::move(series);
  marks_.clear();
  place_ = {};
  redraw();
}

void XyPlot::setChart(const LineChart& chart) {
  setTitle(qs(chart.title));
  setAxisTitles(qs(chart.xTitle), qs(chart.yTitle));
  QVector<XySeries> series;
  for (const ChartSeries& each : chart.series)
    series << XySeries{.label = qs(each.name),
                       .points = pointsOf(each.points),
                       .band = pointsOf(each.band),
                       .joined = each.joined,
                       .markers = each.markers,
                       .dashed = each.dashed,
                       .level = each.level,
                       .rings = !each.joined,
                       .figures = qs(each.texts)};
  setSeries(std::move(series));
  for (const ChartMark& mark : chart.marks)
    marks_ << Mark{mark.x, qs(mark.label), int(mark.series)};
  redraw();
}

QColor XyPlot::colourOf(int index) const {
  return seriesColour(series_[index].colour < 0 ? index : series_[index].colour);
}

bool XyPlot::isDrawn(const QPointF& point) const {
  return std::isfinite(point.x()) && std::isfinite(point.y()) && (!logarithmic_ || point.x() > 0);
}

void XyPlot::addBand(int index) {
  const XySeries& series = series_[index];
  if (series.band.isEmpty() || series.band.size() != series.points.size()) return;
  if (series.joined)
    fillBand(index);
  else
    addBars(index);
}

// Of points that no line joins: between them there is nothing to fill.
void XyPlot::addBars(int index) {
  const XySeries& series = series_[index];
  auto* bars = new QCPCurve(plot_->xAxis, plot_->yAxis);  // owned by plot_
  bars->setPen(QPen(colourOf(index), 1.4));
  bars->removeFromLegend();
  for (qsizetype i = 0; i < series.points.size(); ++i) {
    if (!isDrawn(series.points[i])) continue;
    const double x = series.points[i].x(), t = 3 * double(i);
    bars->addData(t, x, series.band[i].x());
    bars->addData(t + 1, x, series.band[i].y());
    bars->addData(t + 2, x, std::nan(""));
  }
}

// Between two invisible lines.
void XyPlot::fillBand(int index) {
  const XySeries& series = series_[index];
  QColor colour = colourOf(index);
  colour.setAlpha(kBandAlpha);
  QCPGraph* ends[2];
  for (QCPGraph*& end : ends) {
    end = plot_->addGraph();
    end->setPen(Qt::NoPen);
    end->removeFromLegend();
  }
  for (qsizetype i = 0; i < series.points.size(); ++i) {
    if (!isDrawn(series.points[i])) continue;
    ends[0]->addData(series.points[i].x(), series.band[i].x());
    ends[1]->addData(series.points[i].x(), series.band[i].y());
  }
  ends[0]->setBrush(colour);
  ends[0]->setChannelFillGraph(ends[1]);
}

void XyPlot::addLine(int index) {
  const XySeries& series = series_[index];
  const QColor colour = colourOf(index);
  auto* line = new QCPCurve(plot_->xAxis, plot_->yAxis);  // owned by plot_
  line->setName(series.label);
  const bool thin = series_.size() > kMostThick;
  line->setPen(QPen(colour, thin ? 1 : 1.8, series.dashed ? Qt::DashLine : Qt::SolidLine));
  if (!series.joined) line->setLineStyle(QCPCurve::lsNone);
  if (series.markers && !series.level && thin)
    line->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(Qt::NoPen), QBrush(colour), 4));
  else if (series.markers && !series.level)
    line->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(colour, 1.4),
                                          series.rings ? QBrush(Qt::NoBrush) : QBrush(colour), 7));
  if (series.level && !series.points.isEmpty()) {
    const QCPRange shown = plot_->xAxis->range();
    line->addData(0, shown.lower, series.points[0].y());
    line->addData(1, shown.upper, series.points[0].y());
    return;
  }
  for (qsizetype i = 0; i < series.points.size(); ++i) {
    const QPointF& point = series.points[i];
    if (isDrawn(point) || std::isnan(point.y())) line->addData(double(i), point.x(), point.y());
  }
  if (series.joined && !series.markers) addLonePoints(series, colour);
}

// Those to which no line goes: NaN, or nothing, is on either side.
void XyPlot::addLonePoints(const XySeries& series, const QColor& colour) {
  const auto isShown = [&](qsizetype i) {
    return i >= 0 && i < series.points.size() && isDrawn(series.points[i]);
  };
  const auto isGap = [&](qsizetype i) {
    return i < 0 || i >= series.points.size() || std::isnan(series.points[i].y());
  };
  QCPCurve* points = nullptr;  // owned by plot_
  for (qsizetype i = 0; i < series.points.size(); ++i) {
    if (!isShown(i) || !isGap(i - 1) || !isGap(i + 1)) continue;
    if (!points) {
      points = new QCPCurve(plot_->xAxis, plot_->yAxis);
      points->removeFromLegend();
      points->setLineStyle(QCPCurve::lsNone);
      points->setScatterStyle(
          QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(Qt::NoPen), QBrush(colour), 4));
    }
    points->addData(double(i), series.points[i].x(), series.points[i].y());
  }
}

void XyPlot::addMark(const Mark& mark) {
  auto* line = new QCPItemStraightLine(plot_);  // owned by plot_
  line->setPen(QPen(colourOf(mark.series), 1, Qt::DotLine));
  line->point1->setCoords(mark.x, 0);
  line->point2->setCoords(mark.x, 1);
}

void XyPlot::setRanges() {
  QCPRange x(std::nan(""), std::nan("")), y = x;
  for (const XySeries& series : series_) {
    for (const QPointF& point : series.points) {
      if (!isDrawn(point)) continue;
      if (!series.level) include(x, point.x());
      include(y, point.y());
    }
    for (const QPointF& ends : series.band) {
      include(y, ends.x());
      include(y, ends.y());
    }
  }
  if (!names_.isEmpty()) x = {-0.5, double(names_.size()) - 0.5};
  if (std::isnan(x.lower)) x = {0, 1};
  if (std::isnan(y.lower)) y = {0, 1};
  if (logarithmic_ && names_.isEmpty()) {
    plot_->xAxis->setRange(x.lower / 1.2, x.upper * 1.2);
  } else {
    plot_->xAxis->setRange(names_.isEmpty() ? withMargins(x) : x);
  }
  plot_->yAxis->setRange(withMargins(y));
}

void XyPlot::drawContent() {
  setLogarithmic(plot_->xAxis, logarithmic_ && names_.isEmpty());
  setRanges();
  plot_->setAutoAddPlottableToLegend(legend_);  // each of hundreds of entries moves the others
  for (int index = 0; index < series_.size(); ++index) addBand(index);
  for (int index = 0; index < series_.size(); ++index) addLine(index);
  for (const Mark& mark : marks_) addMark(mark);
  plot_->legend->setIconSize(18, QFontMetrics(plot_->legend->font()).height());  // of a point
  plot_->legend->setVisible(legend_ && series_.size() > 1);
}

void XyPlot::fitLabels() {
  if (names_.isEmpty()) return;
  const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
  const QFontMetrics metrics(plot_->xAxis->tickLabelFont());
  const int room = std::max(60, width() - 90) / std::max(1, int(names_.size()));
  const ShortNames shortened(names_);
  for (int i = 0; i < names_.size(); ++i)
    ticker->addTick(i, shortened.fit(names_[i], metrics, std::max(24, room - 6)));
  plot_->xAxis->setTicker(ticker);
}

QString XyPlot::xText(double x) const {
  const auto index = qsizetype(std::lround(x));
  if (!names_.isEmpty() && index >= 0 && index < names_.size()) return names_[index];
  return numberText(x, 6);
}

QString XyPlot::yText(int series, int point) const {
  const XySeries& shown = series_[series];
  return point < shown.figures.size() ? shown.figures[point]
                                      : numberText(shown.points[point].y(), 6);
}

QString XyPlot::readout(int series, int point) const {
  const XySeries& shown = series_[series];
  const QPointF& at = shown.points[point];
  QString text = QStringLiteral("%1\n%2: %3\n%4: %5")
                     .arg(point < shown.texts.size() ? shown.texts[point] : shown.label,
                          axisTitle(plot_->xAxis), xText(at.x()), axisTitle(plot_->yAxis),
                          yText(series, point));
  if (point < shown.band.size() && shown.band[point].x() < shown.band[point].y())
    text += tr("\nband: %1 to %2")
                .arg(numberText(shown.band[point].x(), 6), numberText(shown.band[point].y(), 6));
  return text;
}

QPoint XyPlot::pointOf(int series, int point) const {
  const QPointF& at = series_[series].points[point];
  return {int(std::lround(plot_->xAxis->coordToPixel(at.x()))),
          int(std::lround(plot_->yAxis->coordToPixel(at.y())))};
}

QVector<XyPlot::Place> XyPlot::places() const {
  QVector<Place> places;
  for (int s = 0; s < series_.size(); ++s) {
    for (int p = 0; p < series_[s].points.size(); ++p) {
      if (isDrawn(series_[s].points[p])) places << Place{s, p};
    }
  }
  std::ranges::stable_sort(places, {}, [this](const Place& place) {
    return series_[place.series].points[place.point].x();
  });
  return places;
}

XyPlot::Place XyPlot::placeAt(const QPoint& position) const {
  Place nearest;
  double best = kNear;
  for (const Place& place : places()) {
    const double distance = QLineF(position, pointOf(place.series, place.point)).length();
    if (distance >= best) continue;
    best = distance;
    nearest = place;
  }
  return nearest;
}

void XyPlot::point(const Place& place) {
  if (place == place_) return;
  place_ = place;
  const bool none = place.series < 0;
  const QString text = none ? QString() : readout(place.series, place.point);
  say(text);
  plot_->setCursor(none || series_[place.series].ids.value(place.point) == 0
                       ? Qt::ArrowCursor
                       : Qt::PointingHandCursor);
  if (none) return QToolTip::hideText();
  showTip(plot_->mapToGlobal(pointOf(place.series, place.point)), text, this);
}

void XyPlot::choose(const Place& place) {
  if (place.series < 0) return;
  const qint64 id = series_[place.series].ids.value(place.point);
  if (id != 0) emit chosen(id);
}

bool XyPlot::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::MouseMove)
    point(placeAt(static_cast<QMouseEvent*>(event)->position().toPoint()));
  if (event->type() == QEvent::MouseButtonRelease)
    choose(placeAt(static_cast<QMouseEvent*>(event)->position().toPoint()));
  if (event->type() == QEvent::Leave) point({});
  return FramedPlot::eventFilter(watched, event);
}

void XyPlot::keyPressEvent(QKeyEvent* event) {
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (enter && place_.series >= 0) return choose(place_);
  const QVector<Place> all = places();
  if (all.isEmpty() || (event->key() != Qt::Key_Left && event->key() != Qt::Key_Right))
    return QWidget::keyPressEvent(event);
  const qsizetype at = all.indexOf(place_);
  const qsizetype step = event->key() == Qt::Key_Right ? 1 : -1;
  point(all[at < 0 ? 0 : std::clamp<qsizetype>(at + step, 0, all.size() - 1)]);
  const QPointF& shown = series_[place_.series].points[place_.point];
  cursor_.show(plot_->axisRect(), shown.x(), shown.y());
}

void XyPlot::focusOutEvent(QFocusEvent* event) {
  FramedPlot::focusOutEvent(event);
  cursor_.hide();
}

void XyPlot::writeValues(QTextStream& out) const {
  out << csvLine({tr("series"), axisTitle(plot_->xAxis), axisTitle(plot_->yAxis), tr("low"),
                  tr("high"), tr("point")});
  for (const XySeries& series : series_) {
    for (qsizetype i = 0; i < series.points.size(); ++i) {
      const QPointF& at = series.points[i];
      const QPointF ends = series.band.value(i, QPointF(std::nan(""), std::nan("")));
      out << csvLine({series.label, names_.isEmpty() ? csvNumber(at.x()) : xText(at.x()),
                      series.figures.value(i, csvNumber(at.y())), csvNumber(ends.x()),
                      csvNumber(ends.y()), series.texts.value(i)});
    }
  }
}

}  // namespace strata::ui
