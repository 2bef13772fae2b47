#include "ui/plots/curve_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace strata::ui {
namespace {

constexpr double kCurveMargin = 0.05;  // of the range, above and below the curves
constexpr double kInfinite = std::numeric_limits<double>::infinity();

AxisRange withMarginsX(double lower, double upper, bool logarithmic) {
  if (logarithmic) return {lower * 0.9, upper * 1.1 + (upper <= lower)};
  const double span = upper > lower ? upper - lower : std::max(1.0, std::abs(upper) * 0.1);
  return {lower - 0.01 * span, upper + 0.02 * span};
}

AxisRange withMarginsY(double lower, double upper, bool logarithmic) {
  if (logarithmic) {
    const double factor = std::pow(upper / lower, kCurveMargin) * (upper > lower ? 1 : 1.5);
    return {lower / factor, upper * factor};
  }
  // A constant curve is centred in a range of its own magnitude.
  const double margin = upper > lower  ? kCurveMargin * (upper - lower)
                        : upper != 0.0 ? 0.1 * std::abs(upper)
                                       : 1;
  return {lower - margin, upper + margin};
}

}  // namespace

std::size_t CurveX::lowerBound(double x) const {
  return std::size_t(std::lower_bound(values.begin(), values.end(), x + shift) - values.begin());
}

std::size_t CurveX::upperBound(double x) const {
  return std::size_t(std::upper_bound(values.begin(), values.end(), x + shift) - values.begin());
}

CurveX CurveRanges::xOf(const Series& series) const {
  if (xAxis_ == XAxis::kStep) return {series.steps(), 0};
  const auto times = series.wallTimes();
  return {times, xAxis_ == XAxis::kRelativeTime && !times.empty() ? times.front() : 0};
}

std::optional<AxisRange> CurveRanges::nextX(const Curves& curves, const AxisRange& shown) {
  double lower = kInfinite, upper = -kInfinite;
  for (const Series* series : curves) {
    if (series->size() == 0) continue;
    const CurveX x = xOf(*series);
    const std::size_t first = logarithmicX() ? x.upperBound(0) : 0;
    if (first < series->size()) lower = std::min(lower, x.at(first));
    upper = std::max(upper, x.at(series->size() - 1));
  }
  if (!(lower <= upper)) {
    lower = logarithmicX() ? 1 : 0;
    upper = 1;
  }
  const double tail = std::exchange(tail_, upper);
  if (fitX_) return withMarginsX(lower, upper, logarithmicX());
  const bool atTail = shown.lower < tail && tail <= shown.upper;
  if (!atTail || upper <= tail) return std::nullopt;
  return AxisRange{shown.lower + (upper - tail), shown.upper + (upper - tail)};
}

std::optional<AxisRange> CurveRanges::nextY(const Curves& curves, const AxisRange& x) const {
  if (!fitY_ || fixedY_) return std::nullopt;
  double lower = kInfinite, upper = -kInfinite;
  for (const Series* series : curves) {
    const CurveX xs = xOf(*series);
    const std::size_t begin = xs.lowerBound(x.lower), end = xs.upperBound(x.upper);
    if (begin >= end) continue;
    const Extremes::Range range = series->extremes().of(series->values(), begin, end);
    lower = std::min(lower, logY_ ? range.minimumPositive : range.minimum);
    if (!logY_ || range.maximum > 0) upper = std::max(upper, range.maximum);
  }
  if (!(lower <= upper)) {
    lower = logY_ ? 0.1 : 0;
    upper = 1;
  }
  return withMarginsY(lower, upper, logY_);
}

}  // namespace strata::ui
