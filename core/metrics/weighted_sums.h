#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/metrics/metric.h"

namespace strata {

// The weights of a set of sentences are followed by meaningless ones up to a multiple of kPadding.
constexpr std::size_t kPadding = 64;
constexpr std::size_t paddedWeights(std::size_t sentences) {
  return (sentences + kPadding - 1) / kPadding * kPadding;
}

// Weighted sums of a metric's rows. If all values are small integers, as counts are, they are kept
// as 16-bit columns and multiplied several at a time; integer sums have no rounding, so that both
// ways give the same bits.
class WeightedSums {
 public:
  explicit WeightedSums(const MetricRows& rows);

  // paddedWeights() weights, none negative; their sum is at most the number of sentences.
  void sum(std::span<const std::int16_t> weights, std::span<double> sums) const;

 private:
  const MetricRows& rows_;             // outlives this object
  std::vector<std::int16_t> columns_;  // each padded; empty if the rows are not small integers
};

}  // namespace strata
