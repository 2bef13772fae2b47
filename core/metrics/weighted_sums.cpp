#include "core/metrics/weighted_sums.h"

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

// Limits for sentences and values: their weighted sum is below 2^30, so 32 bits do not overflow.
constexpr int kGreatest = 32767;

bool isSmallWhole(double value) {
  return std::abs(value) <= kGreatest && value == std::trunc(value);
}

// A fixed inner length lets compilers vectorise the multiplication.
std::int32_t dot(const std::int16_t* a, const std::int16_t* b, std::size_t count) {
  std::int32_t sum = 0;
  for (std::size_t begin = 0; begin < count; begin += kPadding) {
    std::int32_t block = 0;
    for (std::size_t i = 0; i < kPadding; ++i) block += std::int32_t{a[begin + i]} * b[begin + i];
    sum += block;
  }
  return sum;
}

}  // namespace

WeightedSums::WeightedSums(const MetricRows& rows) : rows_(rows) {
  if (rows.sentences() > kGreatest ||
      !std::all_of(rows.values.begin(), rows.values.end(), isSmallWhole))
    return;
  const std::size_t length = paddedWeights(rows.sentences());
  columns_.assign(length * rows.width, 0);
  for (std::size_t i = 0; i < rows.sentences(); ++i) {
    const auto row = rows.row(i);
    for (std::size_t c = 0; c < rows.width; ++c)
      columns_[c * length + i] = static_cast<std::int16_t>(row[c]);
  }
}

void WeightedSums::sum(std::span<const std::int16_t> weights, std::span<double> sums) const {
  if (!columns_.empty()) {
    for (std::size_t c = 0; c < sums.size(); ++c)
      sums[c] = dot(weights.data(), columns_.data() + c * weights.size(), weights.size());
    return;
  }
  std::fill(sums.begin(), sums.end(), 0.0);
  for (std::size_t i = 0; i < rows_.sentences(); ++i) {
    if (weights[i] == 0) continue;
    const auto row = rows_.row(i);
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += weights[i] * row[c];
  }
}

}  // namespace strata
