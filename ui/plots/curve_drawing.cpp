#include "ui/plots/curve_drawing.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/data/text.h"
#include "ui/plots/curve_canvas.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {
// More curves than this are drawn without antialiasing, on a canvas.
constexpr int kSharpCurves = 12;
constexpr double kReadoutPixels = 24;                   // points further away are not read out
constexpr double kLoneSize = 5;                         // pixels
constexpr int kMarkerDistance = 96, kMarkerPlaces = 6;  // pixels; lines whose markers differ

QString brokenText(const LabelledCurve& curve) {
  return translated("%1 broke at step %2 before its first point")
      .arg(curve.label, countText(curve.brokeAt));
}

}  // namespace

void CurveDrawing::setCurves(QVector<LabelledCurve> curves) {
  curves_ = std::move(curves);
  for (const Graphs& graphs : graphs_) {
    for (QCPGraph* graph : {graphs.raw, graphs.smooth, graphs.marks, graphs.markers, graphs.alone,
                            graphs.high, graphs.low}) {
      if (graph) plot_->removeGraph(graph);
    }
    if (graphs.broken) plot_->removeItem(graphs.broken);
  }
  graphs_.clear();
  if (canvas_) plot_->removePlottable(std::exchange(canvas_, nullptr));
  for (const LabelledCurve& curve : curves_) {
    graphs_.push_back(addLines(curve));
    if (isSharp()) addMarks(curve, graphs_.back());
  }
  if (isSharp()) return;
  canvas_ = new CurveCanvas(plot_->xAxis, yAxis_);  // marks of all curves lie over it
  for (int i = 0; i < curves_.size(); ++i) addMarks(curves_[i], graphs_[i]);
}

bool CurveDrawing::isSharp() const {
  return curves_.size() <= kSharpCurves;
}

QCPGraph* CurveDrawing::addGraph() {
  return plot_->addGraph(plot_->xAxis, yAxis_);
}

CurveDrawing::Graphs CurveDrawing::addLines(const LabelledCurve& curve) {
  Graphs graphs;
  if (curve.low && curve.high) {  // below the lines
    graphs.low = addGraph();
    graphs.high = addGraph();
    graphs.high->setChannelFillGraph(graphs.low);
  }
  graphs.alone = addGraph();
  graphs.alone->setLineStyle(QCPGraph::lsNone);
  graphs.alone->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, kLoneSize));
  graphs.raw = addGraph();
  graphs.smooth = addGraph();
  for (QCPGraph* graph : {graphs.alone, graphs.raw, graphs.smooth, graphs.low, graphs.high}) {
    if (graph) graph->setAdaptiveSampling(false);  // decimate() has done it
  }
  if (curve.series->isScattered()) graphs.smooth->setLineStyle(QCPGraph::lsNone);
  return graphs;
}

void CurveDrawing::addMarks(const LabelledCurve& curve, Graphs& graphs) {
  graphs.marks = addGraph();
  graphs.marks->setLineStyle(QCPGraph::lsNone);
  if (look_ == Look::kLines && lineStyle(curve.style).marker != LineStyle::Marker::kNone) {
    graphs.markers = addGraph();
    graphs.markers->setLineStyle(QCPGraph::lsNone);
  }
  if (curve.brokeAt >= 0) graphs.broken = new QCPItemText(plot_);  // owned by plot_
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
  // Wider pens are for the few curves where they help.
  const double width = isSharp() ? 1.6 : 1;
  return look_ == Look::kDotted ? QPen(style.colour, width, Qt::DotLine) : style.pen(width);
}

void CurveDrawing::restyle() {
  for (int i = 0; i < graphs_.size(); ++i) {
    const LineStyle style = lineStyle(curves_[i].style);
    const Graphs& graphs = graphs_[i];
    QColor faint = style.colour;
    faint.setAlpha(kRawAlpha);
    graphs.smooth->setPen(penOf(style));
    graphs.raw->setPen(QPen(faint, 1));
    graphs.alone->setPen(QPen(style.colour, 1));
    graphs.marks->setScatterStyle(QCPScatterStyle(
        QCPScatterStyle::ssTriangle, QPen(style.colour, 1.4), QBrush(theme().surface), 9));
    if (graphs.markers) graphs.markers->setScatterStyle(style.scatter(6));
    for (QCPGraph* graph : {graphs.smooth, graphs.raw}) graph->setAntialiased(isSharp());
    if (graphs.low) {
      graphs.low->setPen(Qt::NoPen);
      graphs.high->setPen(Qt::NoPen);
      faint.setAlpha(kBandAlpha);
      graphs.high->setBrush(faint);
    }
    if (!graphs.broken) continue;
    graphs.broken->setColor(theme().text);
    graphs.broken->setFont(smallFont(plot_->font()));
  }
}

std::vector<double> CurveDrawing::edges() const {
  const QCPRange x = plot_->xAxis->range();
  return columnEdges({x.lower, x.upper}, std::max(16, plot_->axisRect()->width()),
                     ranges_.logarithmicX());
}

double CurveDrawing::markHeight(bool logarithmic, double share) const {
  const QCPRange y = yAxis_->range();
  return logarithmic ? y.lower * std::pow(y.upper / y.lower, share) : y.lower + share * y.size();
}

void CurveDrawing::draw(const CurveRanges& ranges, Target target) {
  ranges_ = ranges;
  hidden_ = int(ranges_.hiddenByX(lines()));
  const std::vector<double> columns = edges();
  for (int i = 0; i < curves_.size(); ++i) {
    if (ranges_.logarithmicY()) hidden_ += int(curves_[i].series->notPositive());
    drawCurve(i, columns, target);
    if (graphs_[i].low) drawBand(i, columns);
    drawMarks(i);
    drawLonePoints(i);
    if (graphs_[i].markers) drawMarkers(i);
  }
  if (canvas_) drawOnCanvas(target);
}

namespace {

bool isPoint(const Series& series) {
  return series.size() - series.nonFinite().size() == 1;  // a line needs two points
}

CurveView viewOf(const Series& series, const CurveRanges& ranges, bool smoothed) {
  return {ranges.xOf(series).values, smoothed ? series.smoothed() : series.values(),
          smoothed ? &series.smoothedExtremes() : &series.extremes(), ranges.logarithmicY()};
}

}  // namespace

bool CurveDrawing::isCanvas(int index, Target target) const {
  const Series& series = *curves_[index].series;
  return canvas_ && target == Target::kScreen && !isPoint(series) && !series.isScattered();
}

// Of each curve the faint raw one, and the smoothed one over it.
void CurveDrawing::drawOnCanvas(Target target) {
  std::vector<CurveCanvas::Curve> drawn;
  for (int i = 0; i < curves_.size(); ++i) {
    if (!isCanvas(i, target)) continue;
    const bool smooth = curves_[i].series->smoothing() > 0;
    if (smooth) drawn.push_back({curves_[i].series, false, graphs_[i].raw->pen()});
    drawn.push_back({curves_[i].series, smooth, graphs_[i].smooth->pen()});
  }
  canvas_->setCurves(std::move(drawn), ranges_);
}

void CurveDrawing::fill(QCPGraph* graph, const CurveView& view, const std::vector<double>& edges,
                        double shift) {
  std::vector<double> shifted = edges;
  for (double& edge : shifted) edge += shift;
  decimate(view, shifted, points_);
  QVector<QCPGraphData> data(qsizetype(points_.size()));
  for (std::size_t i = 0; i < points_.size(); ++i)
    data[qsizetype(i)] = QCPGraphData(points_[i].x - shift, points_[i].y);
  graph->data()->set(data, /*alreadySorted=*/true);
}

void CurveDrawing::drawCurve(int index, const std::vector<double>& edges, Target target) {
  const Series& series = *curves_[index].series;
  const Graphs& graphs = graphs_[index];
  const bool smooth = series.smoothing() > 0, canvas = isCanvas(index, target);
  graphs.smooth->setVisible(!canvas);
  graphs.raw->setVisible(smooth && !canvas);
  if (canvas) return;
  const bool single = isPoint(series);
  const bool points = single || series.isScattered();
  graphs.smooth->setScatterStyle(points ? QCPScatterStyle(QCPScatterStyle::ssDisc, single ? 6 : 4)
                                        : QCPScatterStyle());
  const double shift = ranges_.xOf(series).shift;
  fill(graphs.smooth, viewOf(series, ranges_, smooth), edges, shift);
  if (smooth) fill(graphs.raw, viewOf(series, ranges_, false), edges, shift);
}

void CurveDrawing::drawBand(int index, const std::vector<double>& edges) {
  const LabelledCurve& curve = curves_[index];
  for (const auto& [graph, end] : {std::pair(graphs_[index].low, curve.low.get()),
                                   std::pair(graphs_[index].high, curve.high.get())})
    fill(graph, viewOf(*end, ranges_, false), edges, ranges_.xOf(*end).shift);
}

void CurveDrawing::drawMarks(int index) {
  const LabelledCurve& curve = curves_[index];
  const Graphs& graphs = graphs_[index];
  const CurveX x = ranges_.xOf(*curve.series);
  QVector<QCPGraphData> marks;
  const double height = markHeight(ranges_.logarithmicY(), 0.03);
  for (const std::size_t at : curve.series->nonFinite()) marks.push_back({x.at(at), height});
  if (graphs.broken) {
    // On a time axis, whose clock the run never reached, it stands at the beginning.
    const bool steps = ranges_.xAxis() == CurveRanges::XAxis::kStep;
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
        at, markHeight(ranges_.logarithmicY(), std::min(0.9, 0.05 + 0.09 * above)));
  }
  graphs.marks->data()->set(marks, /*alreadySorted=*/true);
}

// A few points in even distances on the screen, those of other lines between them.
void CurveDrawing::drawMarkers(int index) {
  const Series& series = *curves_[index].series;
  const CurveX x = ranges_.xOf(series);
  const auto y = series.smoothing() > 0 ? series.smoothed() : series.values();
  const int left = plot_->axisRect()->left(), right = plot_->axisRect()->right();
  QVector<QCPGraphData> data;
  std::size_t last = series.size();
  const int first = kMarkerDistance * (index % kMarkerPlaces) / kMarkerPlaces;
  for (int pixel = left + first; pixel <= right; pixel += kMarkerDistance) {
    const std::size_t at = x.lowerBound(plot_->xAxis->pixelToCoord(pixel));
    if (at >= series.size() || at == last || !std::isfinite(y[at])) continue;
    if (ranges_.logarithmicY() && y[at] <= 0) continue;
    last = at;
    data.push_back({x.at(at), y[at]});
  }
  graphs_[index].markers->data()->set(data, /*alreadySorted=*/true);
}

// Only a value that is not finite parts a line; a series of one point is a point anyway.
void CurveDrawing::drawLonePoints(int index) {
  const Series& series = *curves_[index].series;
  QVector<QCPGraphData> data;
  if (!series.nonFinite().empty() && !series.isScattered() && !isPoint(series)) {
    for (const PlotPoint& point : lonePoints(index)) data.push_back({point.x, point.y});
  }
  graphs_[index].alone->data()->set(data, /*alreadySorted=*/true);
}

int CurveDrawing::markedValues() const {
  int count = 0;
  for (const LabelledCurve& curve : curves_)
    count += int(curve.series->nonFinite().size()) + (curve.brokeAt >= 0 ? 1 : 0);
  return count;
}

namespace {

QVector<PlotPoint> graphPoints(const QCPGraph* graph) {
  QVector<PlotPoint> points;
  if (graph == nullptr) return points;
  for (const QCPGraphData& each : *graph->data()) points << PlotPoint{each.key, each.value};
  return points;
}

}  // namespace

CurveDrawing::Parts CurveDrawing::parts(int curve) const {
  const Series& series = *curves_[curve].series;
  const Graphs& graphs = graphs_[curve];
  Parts parts;
  parts.line = graphPoints(graphs.smooth);
  if (series.smoothing() > 0) parts.raw = graphPoints(graphs.raw);
  parts.low = graphPoints(graphs.low);
  parts.high = graphPoints(graphs.high);
  parts.alone = isPoint(series) ? parts.line : graphPoints(graphs.alone);
  parts.marks = graphPoints(graphs.marks);
  parts.markers = graphPoints(graphs.markers);
  parts.isScattered = series.isScattered();
  if (graphs.broken) {
    const QPointF at = graphs.broken->position->coords();
    const bool left = graphs.broken->positionAlignment().testFlag(Qt::AlignRight);
    parts.broken = Note{graphs.broken->text(), {at.x(), at.y()}, left};
  }
  return parts;
}

QVector<PlotPoint> CurveDrawing::drawnPoints(int curve) const {
  const Series& series = *curves_[curve].series;
  const double shift = ranges_.xOf(series).shift;
  std::vector<double> shifted = edges();
  for (double& edge : shifted) edge += shift;
  std::vector<PlotPoint> made;
  decimate(viewOf(series, ranges_, series.smoothing() > 0), shifted, made);
  QVector<PlotPoint> points;
  for (const PlotPoint& point : made) points.push_back({point.x - shift, point.y});
  return points;
}

QVector<PlotPoint> CurveDrawing::lonePoints(int curve) const {
  const QVector<PlotPoint> all = drawnPoints(curve);
  const auto isPointAt = [&](qsizetype i) {
    return i >= 0 && i < all.size() && std::isfinite(all[i].y);
  };
  QVector<PlotPoint> alone;
  for (qsizetype i = 0; i < all.size(); ++i) {
    if (isPointAt(i) && !isPointAt(i - 1) && !isPointAt(i + 1)) alone << all[i];
  }
  return alone;
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
