#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/metrics/significance.h"

namespace strata {

// The mean over several sets (an average column); all with the same number of samples.
ResampledScores meanScores(const std::vector<ResampledScores>& sets);

// The direction of a difference between systems.
enum class Direction {
  kTooFewRuns,  // fewer than kRunsForDirection on a side: no direction is stated
  kConfirmed,   // > 0 and p < 0.05
  kOpposite,    // < 0 and p < 0.05
  kUndecided
};
constexpr std::size_t kRunsForDirection = 3;
std::string_view nameOf(Direction direction);  // "confirmed", "opposite", ...

// Two systems with several runs each, tested by a hierarchical bootstrap over runs and sentences:
// each replicate draws sentences (the same for all runs, Koehn 2004) and, for each system, as many
// runs as it has, with replacement (Davison and Hinkley 1997, section 3.8). Drawing few runs with
// replacement underestimates their variance; the deviations of drawn runs from their system's mean
// are therefore scaled by sqrt(R / (R - 1)), which makes the variance of the mean unbiased.
struct RunsComparison {
  double difference = 0;     // mean of the system's runs - mean of the baseline's
  double low = 0, high = 0;  // 95 % percentile interval
  double pValue = 1;         // two-sided: centred replicates at least as extreme, (c + 1) / (n + 1)
  std::size_t baselineRuns = 0, systemRuns = 0;

  Direction direction() const;
};

// All runs of both systems must have the same sentences and options.
RunsComparison compareRuns(std::span<const ResampledScores> baseline,
                           std::span<const ResampledScores> system, std::uint64_t seed = 12345);

}  // namespace strata
