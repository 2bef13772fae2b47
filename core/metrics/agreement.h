#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/metrics/metric.h"

namespace strata {

// The oracle score of an ideal choice: for each sentence the candidate with the best sentence
// score, ties by order, and the corpus score of these choices. Choosing by sentence scores does not
// always give the best corpus score.
struct Oracle {
  std::vector<std::size_t> chosen;  // one per sentence
  double score = 0;
};
// systems[k] has all sentences of system k. At least one system, all with the same sentences.
Oracle oracleOfSystems(const Metric& metric, std::span<const MetricRows> systems);
// lists[i] has a row for each candidate of sentence i, at least one.
Oracle oracleOfCandidates(const Metric& metric, std::span<const MetricRows> lists);

// Correlations in -1 .. 1, for example of a model's confidence with sentence scores; nothing if
// they are undefined: fewer than 2 values, all values of a side equal, a value not finite. Unequal
// sizes are Errors.
std::optional<double> pearson(std::span<const double> x, std::span<const double> y);
// Pearson's correlation of the ranks; equal values share the mean of theirs.
std::optional<double> spearman(std::span<const double> x, std::span<const double> y);

}  // namespace strata
