#include "ui/plots/curve_drawing.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/data/text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {
// More curves than this are drawn without antialiasing, which costs most of the time.
constexpr int kSharpCurves = 12;
constexpr double kReadoutPixels = 24;                   // points further away are not read out
constexpr int kMarkerDistance = 96, kMarkerPlaces = 6;  // pixels; lines whose markers differ

QString brokenText(const LabelledCurve& curve) {
  return translated("%1 broke at step %2 before its first point")
      .arg(curve.label, countText(curve.brokeAt));
}

}  // namespace

void CurveDrawing::setCurves(QVector<LabelledCurve> curves) {
  curves_ = std::move(curves);
  for (const Graphs& graphs : graphs_) {
    for (QCPGraph* graph :
         {graphs.raw, graphs.smooth, graphs.marks, graphs.markers, graphs.high, graphs.low}) {
      if (graph) plot_->removeGraph(graph);
    }
    if (graphs.broken) plot_->removeItem(graphs.broken);
  }
  graphs_.clear();
  for (const LabelledCurve& curve : curves_) graphs_.push_back(addGraphs(curve));
}

QCPGraph* CurveDrawing::addGraph() {
  return plot_->addGraph(plot_->xAxis, yAxis_);
}

CurveDrawing::Graphs CurveDrawing::addGraphs(const LabelledCurve& curve) {
  Graphs graphs;
  if (curve.low && curve.high) {  // below the lines
    graphs.low = addGraph();
    graphs.high = addGraph();
    graphs.high->setChannelFillGraph(graphs.low);
  }
  graphs.raw = addGraph();
  graphs.smooth = addGraph();
  graphs.marks = addGraph();
  graphs.marks->setLineStyle(QCPGraph::lsNone);
  if (look_ == Look::kLines && lineStyle(curve.style).marker != LineStyle::Marker::kNone) {
    graphs.markers = addGraph();
    graphs.markers->setLineStyle(QCPGraph::lsNone);
  }
  for (QCPGraph* graph : {graphs.raw, graphs.smooth, graphs.low, graphs.high}) {
    if (graph) graph->setAdaptiveSampling(false);  // decimate() has done it
  }
  if (curve.series->isScattered()) graphs.smooth->setLineStyle(QCPGraph::lsNone);
  if (curve.brokeAt >= 0) graphs.broken = new QCPItemText(plot_);  // owned by plot_
  return graphs;
}

CurveRanges::Curves CurveDrawing::lines() const {
  CurveRanges::Curves all;
  for (const LabelledCurve& curve : curves_) all.push_back(curve.series.get());
  return all;
}

CurveRanges::Curves CurveDrawing::series() const {
  CurveRanges::Curves all;
  for (const LabelledCurve& curve : curves_) {
    all.push_back(curve.series.get());
    if (curve.low && curve.high) all.insert(all.end(), {curve.low.get(), curve.high.get()});
  }
  return all;
}

QPen CurveDrawing::penOf(const LineStyle& style) const {
  const bool sharp = curves_.size() <= kSharpCurves;
  // Pens of width 1 take Qt's fast path; wider ones are for the few curves where they help.
  if (look_ == Look::kDotted)
    return QPen(style.colour, sharp ? 1.6 : 1, plain_ ? Qt::SolidLine : Qt::DotLine);
  return plain_ ? QPen(style.colour, 1) : style.pen(sharp ? 1.6 : 1);
}

void CurveDrawing::setPlain(bool plain) {
  if (curves_.size() <= kSharpCurves) plain = false;
  if (plain == plain_) return;
  plain_ = plain;
  for (int i = 0; i < graphs_.size(); ++i)
    graphs_[i].smooth->setPen(penOf(lineStyle(curves_[i].style)));
}

void CurveDrawing::restyle() {
  const bool sharp = curves_.size() <= kSharpCurves;
  for (int i = 0; i < graphs_.size(); ++i) {
    const LineStyle style = lineStyle(curves_[i].style);
    const Graphs& graphs = graphs_[i];
    QColor faint = style.colour;
    faint.setAlpha(70);
    graphs.smooth->setPen(penOf(style));
    graphs.raw->setPen(QPen(faint, 1));
    graphs.marks->setScatterStyle(QCPScatterStyle(
        QCPScatterStyle::ssTriangle, QPen(style.colour, 1.4), QBrush(theme().surface), 9));
    if (graphs.markers) graphs.markers->setScatterStyle(style.scatter(6));
    for (QCPGraph* graph : {graphs.smooth, graphs.raw}) graph->setAntialiased(sharp);
    if (graphs.low) {
      graphs.low->setPen(Qt::NoPen);
      graphs.high->setPen(Qt::NoPen);
      faint.setAlpha(45);
      graphs.high->setBrush(faint);
    }
    if (!graphs.broken) continue;
    graphs.broken->setColor(theme().text);
    graphs.broken->setFont(smallFont(plot_->font()));
  }
}

std::vector<double> CurveDrawing::columnEdges(bool logarithmic) const {
  const int columns = std::max(16, plot_->axisRect()->width());
  const QCPRange range = plot_->xAxis->range();
  const bool log = logarithmic && range.lower > 0;
  std::vector<double> edges(std::size_t(columns) + 1);
  for (int i = 0; i <= columns; ++i) {
    const double t = i / double(columns);
    edges[std::size_t(i)] = log ? range.lower * std::pow(range.upper / range.lower, t)
                                : range.lower + t * (range.upper - range.lower);
  }
  return edges;
}

double CurveDrawing::markHeight(bool logarithmic, double share) const {
  const QCPRange y = yAxis_->range();
  return logarithmic ? y.lower * std::pow(y.upper / y.lower, share) : y.lower + share * y.size();
}

void CurveDrawing::draw(const CurveRanges& ranges) {
  hidden_ = int(ranges.hiddenByX(lines()));
  const std::vector<double> edges = columnEdges(ranges.logarithmicX());
  for (int i = 0; i < curves_.size(); ++i) {
    drawCurve(i, ranges, edges);
    drawMarks(i, ranges);
    if (graphs_[i].markers) drawMarkers(i, ranges);
  }
}

void CurveDrawing::fill(QCPGraph* graph, const CurveView& view, std::span<const double> edges,
                        double shift) {
  decimate(view, edges, points_);
  QVector<QCPGraphData> data(qsizetype(points_.size()));
  for (std::size_t i = 0; i < points_.size(); ++i)
    data[qsizetype(i)] = QCPGraphData(points_[i].x - shift, points_[i].y);
  graph->data()->set(data, /*alreadySorted=*/true);
}

void CurveDrawing::drawCurve(int index, const CurveRanges& ranges,
                             const std::vector<double>& edges) {
  const LabelledCurve& curve = curves_[index];
  const Series& series = *curve.series;
  const Graphs& graphs = graphs_[index];
  const CurveX x = ranges.xOf(series);
  std::vector<double> shifted = edges;
  for (double& edge : shifted) edge += x.shift;
  const bool positive = ranges.logarithmicY();
  if (positive) hidden_ += int(series.notPositive());
  const bool smooth = series.smoothing() > 0;
  const bool single = series.size() - series.nonFinite().size() == 1;  // a line needs two points
  const bool points = single || series.isScattered();
  graphs.smooth->setScatterStyle(points ? QCPScatterStyle(QCPScatterStyle::ssDisc, single ? 6 : 4)
                                        : QCPScatterStyle());
  const CurveView raw{x.values, series.values(), &series.extremes(), positive};
  const CurveView average{x.values, series.smoothed(), &series.smoothedExtremes(), positive};
  fill(graphs.smooth, smooth ? average : raw, shifted, x.shift);
  graphs.raw->setVisible(smooth);
  if (smooth) fill(graphs.raw, raw, shifted, x.shift);
  if (!graphs.low) return;
  for (const auto& [graph, end] :
       {std::pair(graphs.low, curve.low.get()), std::pair(graphs.high, curve.high.get())}) {
    const CurveX ends = ranges.xOf(*end);
    fill(graph, {ends.values, end->values(), &end->extremes(), positive}, shifted, ends.shift);
  }
}

void CurveDrawing::drawMarks(int index, const CurveRanges& ranges) {
  const LabelledCurve& curve = curves_[index];
  const Graphs& graphs = graphs_[index];
  const CurveX x = ranges.xOf(*curve.series);
  QVector<QCPGraphData> marks;
  const double height = markHeight(ranges.logarithmicY(), 0.03);
  for (const std::size_t at : curve.series->nonFinite()) marks.push_back({x.at(at), height});
  if (graphs.broken) {
    // On a time axis, whose clock the run never reached, it stands at the beginning.
    const bool steps = ranges.xAxis() == CurveRanges::XAxis::kStep;
    const QCPRange shown = plot_->xAxis->range();
    const double at = steps ? double(curve.brokeAt) : shown.lower + 0.01 * shown.size();
    marks.push_back({at, height});
    const bool right = at > shown.center();
    graphs.broken->setText(brokenText(curve));
    graphs.broken->setPositionAlignment((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignBottom);
    graphs.broken->setPadding(QMargins(4, 0, 4, 4));
    int above = 0;  // texts do not lie over each other
    for (int before = 0; before < index; ++before) above += graphs_[before].broken ? 1 : 0;
    graphs.broken->position->setCoords(
        at, markHeight(ranges.logarithmicY(), std::min(0.9, 0.05 + 0.09 * above)));
  }
  graphs.marks->data()->set(marks, /*alreadySorted=*/true);
}

// A few points in even distances on the screen, those of other lines between them.
void CurveDrawing::drawMarkers(int index, const CurveRanges& ranges) {
  const Series& series = *curves_[index].series;
  const CurveX x = ranges.xOf(series);
  const auto y = series.smoothing() > 0 ? series.smoothed() : series.values();
  const int left = plot_->axisRect()->left(), right = plot_->axisRect()->right();
  QVector<QCPGraphData> data;
  std::size_t last = series.size();
  const int first = kMarkerDistance * (index % kMarkerPlaces) / kMarkerPlaces;
  for (int pixel = left + first; pixel <= right; pixel += kMarkerDistance) {
    const std::size_t at = x.lowerBound(plot_->xAxis->pixelToCoord(pixel));
    if (at >= series.size() || at == last || !std::isfinite(y[at])) continue;
    if (ranges.logarithmicY() && y[at] <= 0) continue;
    last = at;
    data.push_back({x.at(at), y[at]});
  }
  graphs_[index].markers->data()->set(data, /*alreadySorted=*/true);
}

int CurveDrawing::markedValues() const {
  int count = 0;
  for (const LabelledCurve& curve : curves_)
    count += int(curve.series->nonFinite().size()) + (curve.brokeAt >= 0 ? 1 : 0);
  return count;
}

QVector<PlotPoint> CurveDrawing::drawnPoints(int curve) const {
  QVector<PlotPoint> points;
  for (const QCPGraphData& point : *graphs_[curve].smooth->data())
    points.push_back({point.key, point.value});
  return points;
}

std::optional<CurveDrawing::Point> CurveDrawing::pointAt(const QPoint& position,
                                                         const CurveRanges& ranges) const {
  if (!plot_->axisRect()->rect().contains(position)) return std::nullopt;
  const double x = plot_->xAxis->pixelToCoord(position.x());
  double nearest = kReadoutPixels;
  std::optional<Point> found;
  for (int curve = 0; curve < curves_.size(); ++curve) {
    const Series& series = *curves_[curve].series;
    if (series.size() == 0) continue;
    const CurveX xs = ranges.xOf(series);
    std::size_t index = std::min(xs.lowerBound(x), series.size() - 1);
    if (index > 0 && x - xs.at(index - 1) < xs.at(index) - x) --index;
    const auto y = series.smoothing() > 0 ? series.smoothed() : series.values();
    const double distance = std::abs(yAxis_->coordToPixel(y[index]) - position.y());
    if (!(distance < nearest)) continue;
    nearest = distance;
    found = Point{curve, index};
  }
  return found;
}

}  // namespace strata::ui
