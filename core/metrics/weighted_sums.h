#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/metrics/metric.h"

namespace strata {

// Behind the weights of a set of sentences there are others, of no meaning, up to a multiple of
// kPadding.
constexpr std::size_t kPadding = 64;
constexpr std::size_t paddedWeights(std::size_t sentences) {
  return (sentences + kPadding - 1) / kPadding * kPadding;
}

// Sums of a metric's rows, each row taken as often as a weight says. Where all values are small
// whole numbers, as counts are, they are kept as 16-bit columns and multiplied several at a time;
// whole sums have no rounding, so that either way gives the same bits.
class WeightedSums {
 public:
  explicit WeightedSums(const MetricRows& rows);

  // As many weights as paddedWeights() says, none negative; they add up to the number of sentences
  // at most.
  void sum(std::span<const std::int16_t> weights, std::span<double> sums) const;

 private:
  const MetricRows& rows_;             // outlives this object
  std::vector<std::int16_t> columns_;  // each padded; empty where the rows are not that simple
};

}  // namespace strata
