#include "ui/plots/series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace strata::ui {
namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

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
}  // namespace

void Extremes::grow(std::span<const double> values) {
  for (std::size_t begin = blocks_.size() * kBlock; begin + kBlock <= values.size();
       begin += kBlock) {
    Range range = kNothing;
    for (std::size_t i = begin; i < begin + kBlock; ++i) include(range, values[i]);
    blocks_.push_back(range);
  }
}

Extremes::Range Extremes::of(std::span<const double> values, std::size_t begin,
                             std::size_t end) const {
  Range range = kNothing;
  std::size_t i = begin;
  while (i < end) {
    const std::size_t block = i / kBlock;
    if (i % kBlock == 0 && i + kBlock <= end && block < blocks_.size()) {
      include(range, blocks_[block]);
      i += kBlock;
    } else {
      include(range, values[i++]);
    }
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
    sum_ = mass_ = 0;
    smoothedExtremes_ = {};
  }
  smoothed_.resize(values_.size());
  for (std::size_t i = begin; i < values_.size(); ++i) {
    if (!std::isfinite(values_[i])) {
      smoothed_[i] = kNaN;
      continue;
    }
    sum_ = weight_ * sum_ + values_[i];
    mass_ = weight_ * mass_ + 1;
    smoothed_[i] = sum_ / mass_;
  }
  smoothedExtremes_.grow(smoothed_);
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

void decimate(const CurveView& curve, std::span<const double> edges, std::vector<PlotPoint>& out) {
  out.clear();
  if (curve.x.empty() || edges.size() < 2) return;
  Decimator decimator(curve, out);
  const auto begin = curve.x.begin();
  std::size_t index = std::size_t(std::lower_bound(begin, curve.x.end(), edges.front()) - begin);
  if (index > 0) decimator.point(index - 1);
  for (std::size_t column = 1; column < edges.size() && index < curve.x.size(); ++column) {
    if (curve.x[index] >= edges[column] && column + 1 < edges.size()) continue;
    const auto last =
        column + 1 == edges.size()
            ? std::upper_bound(begin + std::ptrdiff_t(index), curve.x.end(), edges[column])
            : std::lower_bound(begin + std::ptrdiff_t(index), curve.x.end(), edges[column]);
    const auto end = std::size_t(last - begin);
    if (end > index) decimator.column(index, end);
    index = end;
  }
  if (index < curve.x.size()) decimator.point(index);
}

}  // namespace strata::ui
