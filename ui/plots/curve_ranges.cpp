#include "ui/plots/curve_ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace strata::ui {
namespace {

constexpr double kCurveMargin = 0.05;  // of the range, above and below the curves
constexpr double kTail = 0.01;         // of the values on either side, if outliers are left out
constexpr std::size_t kSampled = 100'000;
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
  if (xAxis_ == XAxis::kOther && !series.others().empty()) return {series.others(), 0};
  if (xAxis_ == XAxis::kStep || xAxis_ == XAxis::kOther) return {series.steps(), 0};
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
  if (xAxis_ == XAxis::kStep) upper = std::max(upper, double(markedStep_));
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
  } else if (withoutOutliers_) {
    std::tie(lower, upper) = central(curves, x, {lower, upper});
  }
  return withMarginsY(lower, upper, logY_);
}

std::vector<double> CurveRanges::visibleValues(const Curves& curves, const AxisRange& x) const {
  std::size_t count = 0;
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  for (const Series* series : curves) {
    const CurveX xs = xOf(*series);
    const std::size_t begin = xs.lowerBound(x.lower), end = xs.upperBound(x.upper);
    parts.emplace_back(begin, std::max(begin, end));
    count += parts.back().second - begin;
  }
  const std::size_t stride = count / kSampled + 1;
  std::vector<double> values;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    for (std::size_t i = parts[c].first; i < parts[c].second; i += stride) {
      const double value = curves[c]->values()[i];
      if (std::isfinite(value) && (!logY_ || value > 0)) values.push_back(value);
    }
  }
  return values;
}

// From the 1st to the 99th percentile and as far again beyond each, but not beyond `all`.
std::pair<double, double> CurveRanges::central(const Curves& curves, const AxisRange& x,
                                               const AxisRange& all) const {
  std::vector<double> values = visibleValues(curves, x);
  if (values.size() < 10) return {all.lower, all.upper};
  const auto quantile = [&](double share) {
    const auto at = values.begin() + std::ptrdiff_t(share * double(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
  };
  const double low = quantile(kTail), high = quantile(1 - kTail);
  const double factor = logY_ ? high / low : 1, span = logY_ ? 0 : high - low;
  return {std::max(all.lower, low / factor - span), std::min(all.upper, high * factor + span)};
}

std::size_t CurveRanges::outside(const Curves& curves, const AxisRange& x,
                                 const AxisRange& y) const {
  std::size_t count = 0;
  for (const Series* series : curves) {
    const CurveX xs = xOf(*series);
    const std::size_t end = xs.upperBound(x.upper);
    for (std::size_t i = xs.lowerBound(x.lower); i < end; ++i) {
      const double value = series->values()[i];
      count +=
          std::isfinite(value) && (!logY_ || value > 0) && (value < y.lower || value > y.upper);
    }
  }
  return count;
}

std::size_t CurveRanges::hiddenByX(const Curves& curves) const {
  if (!logarithmicX()) return 0;
  std::size_t count = 0;
  for (const Series* series : curves) count += xOf(*series).upperBound(0);
  return count;
}

}  // namespace strata::ui
