#include "ui/plots/curve_canvas.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/data/in_parallel.h"

namespace strata::ui {
namespace {
constexpr int kPartColumns = 128;  // which one thread draws at a time

}  // namespace

std::vector<double> columnEdges(const AxisRange& range, int columns, bool logarithmic) {
  const bool log = logarithmic && range.lower > 0;
  std::vector<double> edges(std::size_t(columns) + 1);
  for (int i = 0; i <= columns; ++i) {
    const double t = i / double(columns);
    edges[std::size_t(i)] = log ? range.lower * std::pow(range.upper / range.lower, t)
                                : range.lower + t * (range.upper - range.lower);
  }
  return edges;
}

CurveCanvas::CurveCanvas(QCPAxis* xAxis, QCPAxis* yAxis) : QCPAbstractPlottable(xAxis, yAxis) {}

void CurveCanvas::setCurves(std::vector<Curve> curves, const CurveRanges& ranges) {
  curves_ = std::move(curves);
  ranges_ = ranges;
}

double CurveCanvas::selectTest(const QPointF&, bool, QVariant*) const {
  return -1;  // it is not selected
}

QCPRange CurveCanvas::getKeyRange(bool& found, QCP::SignDomain) const {
  found = false;  // CurveRanges decides
  return {};
}

QCPRange CurveCanvas::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const {
  found = false;
  return {};
}

void CurveCanvas::drawLegendIcon(QCPPainter*, const QRectF&) const {}

// In the pixels of the screen, of which a point of the plot can have several.
void CurveCanvas::draw(QCPPainter* painter) {
  if (curves_.empty()) return;
  const QRect rect = keyAxis()->axisRect()->rect();
  const double ratio = parentPlot()->bufferDevicePixelRatio();
  const QSize size = (QSizeF(rect.size()) * ratio).toSize().expandedTo({1, 1});
  LineCanvas canvas(size);
  QImage image(size, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(ratio);
  image.bits();  // its own from here on, before threads write
  inParallel((size.width() + kPartColumns - 1) / kPartColumns, [&](int part) {
    const LineCanvas::Columns columns{part * kPartColumns,
                                      std::min((part + 1) * kPartColumns, size.width())};
    drawColumns(canvas, columns);
    canvas.copyTo(image, columns);
  });
  painter->setAntialiasing(false);  // with it everything moves by half a pixel
  painter->drawImage(rect.topLeft(), image);
}

void CurveCanvas::drawColumns(LineCanvas& canvas, const LineCanvas::Columns& columns) const {
  const QCPAxis &xAxis = *keyAxis(), &yAxis = *valueAxis();
  const QCPRange x = xAxis.range();
  const QRect rect = xAxis.axisRect()->rect();
  const double ratio = double(canvas.size().width()) / rect.width();
  const std::vector<double> all =
      columnEdges({x.lower, x.upper}, canvas.size().width(), ranges_.logarithmicX());
  std::vector<double> edges(all.begin() + columns.begin, all.begin() + columns.end + 1);
  std::vector<PlotPoint> points;
  std::vector<QPointF> pixels;
  double shift = 0;  // of the edges
  for (const Curve& curve : curves_) {
    const Series& series = *curve.series;
    const CurveX along = ranges_.xOf(series);
    for (double& edge : edges) edge += along.shift - shift;
    shift = along.shift;
    decimate(
        {along.values, curve.smoothed ? series.smoothed() : series.values(),
         curve.smoothed ? &series.smoothedExtremes() : &series.extremes(), ranges_.logarithmicY()},
        edges, points);
    pixels.clear();
    for (const PlotPoint& point : points)
      pixels.emplace_back((xAxis.coordToPixel(point.x - shift) - rect.left()) * ratio,
                          (yAxis.coordToPixel(point.y) - rect.top()) * ratio);
    canvas.draw(pixels, curve.pen, columns);
  }
}

}  // namespace strata::ui
