#include "ui/plots/near_lines.h"

#include <QPointF>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace strata::ui {
namespace {

// In widths and heights of the plot, whose lower left corner is (0, 0).
constexpr double kNearFirst = -10, kNearLast = 11, kFarthest = 1e12;
constexpr int kEdgeCount = 4;  // left, right, bottom, top

double shareOfRange(double value, const AxisRange& range, bool logarithmic) {
  if (logarithmic && value <= 0) return kNearFirst - 1;
  const double share = logarithmic
                           ? std::log(value / range.lower) / std::log(range.upper / range.lower)
                           : (value - range.lower) / (range.upper - range.lower);
  return std::clamp(share, -kFarthest, kFarthest);
}

double valueAtShare(double share, const AxisRange& range, bool logarithmic) {
  return logarithmic ? range.lower * std::pow(range.upper / range.lower, share)
                     : range.lower + share * (range.upper - range.lower);
}

QPointF unitPlaceOf(const PlotPoint& point, const PlotFrame& frame) {
  return {shareOfRange(point.x, frame.x, frame.logarithmicX),
          shareOfRange(point.y, frame.y, frame.logarithmicY)};
}

PlotPoint dataPointAt(const QPointF& place, const PlotFrame& frame) {
  return {valueAtShare(place.x(), frame.x, frame.logarithmicX),
          valueAtShare(place.y(), frame.y, frame.logarithmicY)};
}

// Of a side: positive if the place is near it or within.
double distanceFrom(int side, const QPointF& place) {
  const double at = side < 2 ? place.x() : place.y();
  return side % 2 == 0 ? at - kNearFirst : kNearLast - at;
}

bool isNear(const QPointF& place) {
  for (int side = 0; side < kEdgeCount; ++side) {
    if (distanceFrom(side, place) < 0) return false;
  }
  return true;
}

// The part of the way between two places that is near, as shares of it; none: nothing is.
std::optional<std::pair<double, double>> nearPart(const QPointF& from, const QPointF& to) {
  double begin = 0, end = 1;
  for (int side = 0; side < kEdgeCount; ++side) {
    const double first = distanceFrom(side, from), last = distanceFrom(side, to);
    if (first < 0 && last < 0) return std::nullopt;
    if (first < 0) begin = std::max(begin, first / (first - last));
    if (last < 0) end = std::min(end, first / (first - last));
  }
  if (begin > end) return std::nullopt;
  return std::pair(begin, end);
}

void addGap(QVector<PlotPoint>& line) {
  if (!line.isEmpty() && std::isfinite(line.last().y))
    line << PlotPoint{line.last().x, std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace

QVector<PlotPoint> nearPoints(const QVector<PlotPoint>& points, const PlotFrame& frame) {
  QVector<PlotPoint> kept;
  for (const PlotPoint& point : points) {
    if (std::isfinite(point.y) && isNear(unitPlaceOf(point, frame))) kept << point;
  }
  return kept;
}

QVector<PlotPoint> nearLine(const QVector<PlotPoint>& line, const PlotFrame& frame) {
  QVector<PlotPoint> kept;
  QPointF before;  // the point from which the line comes, if it does
  bool goesOn = false;
  for (const PlotPoint& point : line) {
    if (!std::isfinite(point.y)) {
      addGap(kept);
      goesOn = false;
      continue;
    }
    const QPointF place = unitPlaceOf(point, frame);
    const auto part = goesOn ? nearPart(before, place) : std::nullopt;
    if (part && !isNear(before)) {
      addGap(kept);
      kept << dataPointAt(before + part->first * (place - before), frame);
    }
    if (isNear(place)) {
      kept << point;
    } else if (part) {
      kept << dataPointAt(before + part->second * (place - before), frame);
    }
    before = place;
    goesOn = true;
  }
  return kept;
}

// Cut along one side after another.
QVector<PlotPoint> nearArea(const QVector<PlotPoint>& outline, const PlotFrame& frame) {
  QVector<QPointF> places;
  for (const PlotPoint& point : outline) places << unitPlaceOf(point, frame);
  if (std::ranges::all_of(places, isNear)) return outline;
  for (int side = 0; side < kEdgeCount; ++side) {
    QVector<QPointF> kept;
    for (qsizetype i = 0; i < places.size(); ++i) {
      const QPointF here = places[i], next = places[(i + 1) % places.size()];
      const double first = distanceFrom(side, here), last = distanceFrom(side, next);
      if (first >= 0) kept << here;
      if ((first >= 0) != (last >= 0)) kept << here + first / (first - last) * (next - here);
    }
    places = kept;
  }
  QVector<PlotPoint> points;
  for (const QPointF& place : places) points << dataPointAt(place, frame);
  return points;
}

}  // namespace strata::ui
