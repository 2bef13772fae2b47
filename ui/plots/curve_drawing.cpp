#include "ui/plots/curve_drawing.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/style/theme.h"

namespace strata::ui {
namespace {
// More curves than this are drawn without antialiasing, which costs most of the time.
constexpr int kSharpCurves = 12;
constexpr double kReadoutPixels = 24;  // points further away are not read out
}  // namespace

void CurveDrawing::setCurves(QVector<LabelledCurve> curves) {
  curves_ = std::move(curves);
  plot_->clearGraphs();
  graphs_.clear();
  for (const LabelledCurve& curve : curves_) {
    Graphs graphs;
    graphs.raw = plot_->addGraph();
    graphs.smooth = plot_->addGraph();
    graphs.marks = plot_->addGraph();
    graphs.raw->setAdaptiveSampling(false);  // decimate() has done it
    graphs.smooth->setAdaptiveSampling(false);
    graphs.smooth->setName(curve.label);
    graphs.raw->removeFromLegend();
    graphs.marks->removeFromLegend();
    graphs.marks->setLineStyle(QCPGraph::lsNone);
    graphs_.push_back(graphs);
  }
}

CurveRanges::Curves CurveDrawing::series() const {
  CurveRanges::Curves all;
  for (const LabelledCurve& curve : curves_) all.push_back(curve.series.get());
  return all;
}

void CurveDrawing::restyle() {
  const bool sharp = curves_.size() <= kSharpCurves;
  for (int i = 0; i < graphs_.size(); ++i) {
    const QColor colour = curves_[i].colour;
    QColor faint = colour;
    faint.setAlpha(70);
    // Pens of width 1 take Qt's fast path; wider ones are for the few curves where they help.
    graphs_[i].smooth->setPen(QPen(colour, sharp ? 1.6 : 1));
    graphs_[i].raw->setPen(QPen(faint, 1));
    graphs_[i].marks->setScatterStyle(QCPScatterStyle(
        QCPScatterStyle::ssTriangle, QPen(colour, 1.4), QBrush(theme().surface), 9));
    for (QCPGraph* graph : {graphs_[i].smooth, graphs_[i].raw}) graph->setAntialiased(sharp);
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

double CurveDrawing::markHeight(bool logarithmic) const {
  const QCPRange y = plot_->yAxis->range();
  return logarithmic ? y.lower * std::pow(y.upper / y.lower, 0.03) : y.lower + 0.03 * y.size();
}

void CurveDrawing::draw(const CurveRanges& ranges) {
  hidden_ = 0;
  const std::vector<double> edges = columnEdges(ranges.logarithmicX());
  for (int i = 0; i < curves_.size(); ++i) drawCurve(i, ranges, edges);
}

void CurveDrawing::drawCurve(int index, const CurveRanges& ranges,
                             const std::vector<double>& edges) {
  const Series& series = *curves_[index].series;
  const Graphs& graphs = graphs_[index];
  const CurveX x = ranges.xOf(series);
  std::vector<double> shifted = edges;
  for (double& edge : shifted) edge += x.shift;
  if (ranges.logarithmicY()) hidden_ += int(series.notPositive());
  std::vector<PlotPoint> points;
  const auto fill = [&](QCPGraph* graph, std::span<const double> y, const Extremes& extremes) {
    decimate({x.values, y, &extremes, ranges.logarithmicY()}, shifted, points);
    QVector<QCPGraphData> data(qsizetype(points.size()));
    for (std::size_t i = 0; i < points.size(); ++i) {
      data[qsizetype(i)] = QCPGraphData(points[i].x - x.shift, points[i].y);
    }
    graph->data()->set(data, /*alreadySorted=*/true);
  };
  const bool smooth = series.smoothing() > 0;
  const bool single = series.size() - series.nonFinite().size() == 1;  // a line needs two points
  graphs.smooth->setScatterStyle(single ? QCPScatterStyle(QCPScatterStyle::ssDisc, 6)
                                        : QCPScatterStyle());
  fill(graphs.smooth, smooth ? series.smoothed() : series.values(),
       smooth ? series.smoothedExtremes() : series.extremes());
  graphs.raw->setVisible(smooth);
  if (smooth) fill(graphs.raw, series.values(), series.extremes());

  QVector<QCPGraphData> marks;
  const double height = markHeight(ranges.logarithmicY());
  for (const std::size_t at : series.nonFinite()) marks.push_back({x.at(at), height});
  graphs.marks->data()->set(marks, /*alreadySorted=*/true);
}

int CurveDrawing::markedValues() const {
  int count = 0;
  for (const LabelledCurve& curve : curves_) count += int(curve.series->nonFinite().size());
  return count;
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
    const double distance = std::abs(plot_->yAxis->coordToPixel(y[index]) - position.y());
    if (!(distance < nearest)) continue;
    nearest = distance;
    found = Point{curve, index};
  }
  return found;
}

}  // namespace strata::ui
