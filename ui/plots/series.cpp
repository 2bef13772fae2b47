#include "ui/plots/series.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace strata::ui {
namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kCached = 1024;  // values that stay in a processor's first cache

constexpr Extremes::Range kNothing{kInfinity, -kInfinity, kInfinity, false};

void include(Extremes::Range& range, double value) {
  if (!std::isfinite(value)) {
    range.broken = true;
    return;
  }
  range.minimum = std::min(range.minimum, value);
  range.maximum = std::max(range.maximum, value);
  if (value > 0) range.minimumPositive = std::min(range.minimumPositive, value);
}

void include(Extremes::Range& range, const Extremes::Range& other) {
  range.minimum = std::min(range.minimum, other.minimum);
  range.maximum = std::max(range.maximum, other.maximum);
  range.minimumPositive = std::min(range.minimumPositive, other.minimumPositive);
  range.broken = range.broken || other.broken;
}

double lower(double a, double b) {
  return b < a ? b : a;
}
double higher(double a, double b) {
  return b > a ? b : a;
}

// The same as including each, quickly if all are finite: two at a time, which a processor compares
// at once.
Extremes::Range rangeOf(std::span<const double> values) {
  using Two = std::array<double, 2>;
  Two low{kInfinity, kInfinity}, high{-kInfinity, -kInfinity}, positive = low;
  Two sum{};  // NaN if a value is not finite
  const double* value = values.data();
  const std::size_t whole = values.size() / 2 * 2;
  for (std::size_t at = 0; at < whole; at += 2) {
    for (std::size_t i = 0; i < 2; ++i) {
      const double v = value[at + i];
      low[i] = lower(low[i], v);
      high[i] = higher(high[i], v);
      positive[i] = lower(positive[i], v > 0 ? v : kInfinity);
      sum[i] += v - v;
    }
  }
  const bool finite = sum[0] + sum[1] == 0;
  Extremes::Range range = kNothing;
  if (finite) {
    range = {lower(low[0], low[1]), higher(high[0], high[1]), lower(positive[0], positive[1]),
             false};
  }
  for (const double v : values.subspan(finite ? whole : 0)) include(range, v);
  return range;
}
}  // namespace

void Extremes::grow(std::span<const double> values) {
  if (levels_.empty()) levels_.emplace_back();
  for (std::size_t at = levels_[0].size() * kBlock; at + kBlock <= values.size(); at += kBlock)
    levels_[0].push_back(rangeOf(values.subspan(at, kBlock)));
  for (std::size_t level = 0; levels_[level].size() >= kBlock; ++level) {
    if (level + 1 == levels_.size()) levels_.emplace_back();
    const std::vector<Range>& below = levels_[level];
    std::vector<Range>& blocks = levels_[level + 1];
    for (std::size_t at = blocks.size() * kBlock; at + kBlock <= below.size(); at += kBlock) {
      Range range = kNothing;
      for (std::size_t i = at; i < at + kBlock; ++i) include(range, below[i]);
      blocks.push_back(range);
    }
  }
}

void Extremes::clear() {
  for (std::vector<Range>& blocks : levels_) blocks.clear();
}

// Up the levels: what does not fill a block at either end is looked at one by one.
Extremes::Range Extremes::of(std::span<const double> values, std::size_t begin,
                             std::size_t end) const {
  Range range = kNothing;
  while (begin < end && begin % kBlock != 0) include(range, values[begin++]);
  while (begin < end && end % kBlock != 0) include(range, values[--end]);
  for (std::size_t level = 0; begin < end; ++level) {
    begin /= kBlock;
    end /= kBlock;
    const std::vector<Range>& blocks = levels_[level];
    const bool top = level + 1 == levels_.size();
    while (begin < end && (top || begin % kBlock != 0)) include(range, blocks[begin++]);
    while (begin < end && end % kBlock != 0) include(range, blocks[--end]);
  }
  return range;
}

void Series::truncate(std::size_t size) {
  steps_.resize(size);
  wallTimes_.resize(size);
  values_.resize(size);
  smoothed_.resize(size);
  std::erase_if(nonFinite_, [size](std::size_t index) { return index >= size; });
  notPositive_ = std::size_t(std::count_if(values_.begin(), values_.end(),
                                           [](double v) { return std::isfinite(v) && v <= 0; }));
  extremes_ = {};
  extremes_.grow(values_);
  smoothFrom(0);
}

void Series::append(std::span<const ScalarPoint> points) {
  if (points.empty()) return;
  if (!steps_.empty() && double(points.front().step) <= steps_.back()) {
    const auto first = std::lower_bound(steps_.begin(), steps_.end(), double(points.front().step));
    truncate(std::size_t(first - steps_.begin()));
  }
  const std::size_t before = values_.size();
  for (const ScalarPoint& point : points) {
    steps_.push_back(double(point.step));
    wallTimes_.push_back(wallTimes_.empty() ? point.wallTime
                                            : std::max(point.wallTime, wallTimes_.back()));
    add(point.value);
  }
  extremes_.grow(values_);
  smoothFrom(before);
}

namespace {

// The finite points of a series as a function of the step.
class Interpolation {
 public:
  explicit Interpolation(const Series& series) {
    for (std::size_t i = 0; i < series.size(); ++i) {
      if (!std::isfinite(series.values()[i])) continue;
      steps_.push_back(series.steps()[i]);
      values_.push_back(series.values()[i]);
    }
  }
  bool isEmpty() const { return steps_.empty(); }
  double at(double step) const {
    const auto next = std::lower_bound(steps_.begin(), steps_.end(), step);
    if (next == steps_.begin()) return values_.front();
    if (next == steps_.end()) return values_.back();
    const auto i = std::size_t(next - steps_.begin());
    const double share = (step - steps_[i - 1]) / (steps_[i] - steps_[i - 1]);
    return values_[i - 1] + share * (values_[i] - values_[i - 1]);
  }

 private:
  std::vector<double> steps_, values_;
};

}  // namespace

std::shared_ptr<Series> Series::along(const Series& y, const Series& x) {
  auto made = std::make_shared<Series>();
  const Interpolation other(x);
  if (other.isEmpty()) return made;
  std::vector<double> at(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) at[i] = other.at(y.steps()[i]);
  made->scattered_ = !std::is_sorted(at.begin(), at.end());
  std::vector<std::size_t> order(y.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  if (made->scattered_)
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return at[a] < at[b]; });
  for (const std::size_t i : order) {
    made->others_.push_back(at[i]);
    made->steps_.push_back(y.steps()[i]);
    made->wallTimes_.push_back(y.wallTimes()[i]);
    made->add(y.values()[i]);
  }
  made->extremes_.grow(made->values_);
  made->smoothFrom(0);
  return made;
}

void Series::add(double value) {
  values_.push_back(value);
  if (!std::isfinite(value)) {
    nonFinite_.push_back(values_.size() - 1);
  } else if (value <= 0) {
    ++notPositive_;
  }
}

void Series::setSmoothing(double weight) {
  weight = std::clamp(weight, 0.0, 0.9999);
  if (weight == weight_) return;
  weight_ = weight;
  smoothFrom(0);
}

void Series::smoothFrom(std::size_t begin) {
  if (begin == 0) {
    average_ = MovingAverage(weight_);
    smoothedExtremes_.clear();
  }
  if (weight_ == 0) {
    smoothed_.clear();
    return;
  }
  smoothed_.resize(values_.size());
  const std::span<const double> values = values_;
  const std::span<double> smoothed = smoothed_;
  for (std::size_t at = begin; at < values.size(); at += kCached) {
    const std::size_t size = std::min(kCached, values.size() - at);
    average_.add(values.subspan(at, size), smoothed.subspan(at, size));
    smoothedExtremes_.grow(smoothed.first(at + size));
  }
}

namespace {

class Decimator {
 public:
  Decimator(const CurveView& curve, std::vector<PlotPoint>& out) : curve_(curve), out_(out) {}

  void point(std::size_t index) {
    const double y = curve_.y[index];
    if (!std::isfinite(y)) {
      gap(curve_.x[index]);
    } else if (!curve_.positiveOnly || y > 0) {
      out_.push_back({curve_.x[index], y});
    }
  }

  void column(std::size_t begin, std::size_t end) {
    if (end - begin <= 4) {
      for (std::size_t i = begin; i < end; ++i) point(i);
      return;
    }
    const Extremes::Range range = curve_.extremes->of(curve_.y, begin, end);
    const double lowest = curve_.positiveOnly ? range.minimumPositive : range.minimum;
    point(begin);
    if (lowest <= range.maximum) {
      // The order of the extremes within a pixel column is invisible; ascending order keeps lines
      // short.
      const double middle = (curve_.x[begin] + curve_.x[end - 1]) / 2;
      out_.push_back({middle, lowest});
      out_.push_back({middle, range.maximum});
    }
    if (range.broken) gap(curve_.x[end - 1]);
    point(end - 1);
  }

 private:
  void gap(double x) {
    if (!out_.empty() && !std::isnan(out_.back().y)) out_.push_back({x, kNaN});
  }

  const CurveView& curve_;
  std::vector<PlotPoint>& out_;
};

}  // namespace

namespace {

// The first index from `from` on whose x is not below a bound, which is expected to be near.
template <typename IsBelow>
std::size_t firstNotBelow(std::span<const double> x, std::size_t from, const IsBelow& isBelow) {
  std::size_t step = 1, low = from, high = from;
  while (high < x.size() && isBelow(x[high])) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = std::min(high, x.size());
  const auto begin = x.begin();
  return std::size_t(
      std::partition_point(begin + std::ptrdiff_t(low), begin + std::ptrdiff_t(high), isBelow) -
      begin);
}

}  // namespace

void decimate(const CurveView& curve, std::span<const double> edges, std::vector<PlotPoint>& out) {
  out.clear();
  if (curve.x.empty() || edges.size() < 2) return;
  Decimator decimator(curve, out);
  const auto begin = curve.x.begin();
  std::size_t index = std::size_t(std::lower_bound(begin, curve.x.end(), edges.front()) - begin);
  if (index > 0) decimator.point(index - 1);
  for (std::size_t column = 1; column < edges.size() && index < curve.x.size(); ++column) {
    if (curve.x[index] >= edges[column] && column + 1 < edges.size()) continue;
    const double edge = edges[column];
    const bool isLast = column + 1 == edges.size();
    const std::size_t end =
        firstNotBelow(curve.x, index, [&](double x) { return isLast ? x <= edge : x < edge; });
    if (end > index) decimator.column(index, end);
    index = end;
  }
  if (index < curve.x.size()) decimator.point(index);
}

}  // namespace strata::ui
