#include "ui/plots/moving_average.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace strata::ui {
namespace {

// Two at a time, which a processor adds at once.
bool areFinite(std::span<const double> values) {
  std::array<double, 2> sum{};  // NaN if a value is not finite
  const double* value = values.data();
  const std::size_t whole = values.size() / 2 * 2;
  for (std::size_t at = 0; at < whole; at += 2) {
    for (std::size_t i = 0; i < 2; ++i) sum[i] += value[at + i] - value[at + i];
  }
  if (whole < values.size()) sum[0] += values.back() - values.back();
  return sum[0] + sum[1] == 0;
}

}  // namespace

void MovingAverage::add(std::span<const double> values, std::span<double> averages) {
  if (areFinite(values)) return addFinite(values, averages);
  const auto isFinite = [](double value) { return std::isfinite(value); };
  while (!values.empty()) {
    const auto broken = std::find_if_not(values.begin(), values.end(), isFinite);
    const auto finite = std::size_t(broken - values.begin());
    addFinite(values.first(finite), averages.first(finite));
    values = values.subspan(finite);
    averages = averages.subspan(finite);
    if (values.empty()) return;
    averages.front() = std::numeric_limits<double>::quiet_NaN();
    values = values.subspan(1);
    averages = averages.subspan(1);
  }
}

void MovingAverage::addOne(double value, double& average) {
  sum_ = weight_ * sum_ + value;
  mass_ = weight_ * mass_ + 1;
  average = sum_ / mass_;
}

// Once the denominator has its limit, four values at a time: each of the four sums needs only the
// one before the first, so that the processor computes them at once.
void MovingAverage::addFinite(std::span<const double> values, std::span<double> averages) {
  std::size_t i = 0;
  for (; i < values.size() && weight_ * mass_ + 1 != mass_; ++i) addOne(values[i], averages[i]);
  const double w = weight_, w2 = w * w, w3 = w2 * w, w4 = w2 * w2, share = 1 / mass_;
  double sum = sum_;  // not in memory, in which the averages could be the same place
  for (; i + 4 <= values.size(); i += 4) {
    const double two = w * values[i] + values[i + 1], three = w * two + values[i + 2];
    averages[i] = (w * sum + values[i]) * share;
    averages[i + 1] = (w2 * sum + two) * share;
    averages[i + 2] = (w3 * sum + three) * share;
    sum = w4 * sum + (w * three + values[i + 3]);
    averages[i + 3] = sum * share;
  }
  sum_ = sum;
  for (; i < values.size(); ++i) addOne(values[i], averages[i]);
}

}  // namespace strata::ui
