#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/metrics/metric.h"

namespace strata {

// What could be had by choosing well: of each sentence the candidate with the best sentence score,
// the first one of a tie, and the corpus score of these choices. A choice by sentences is not
// always the best one for the corpus score.
struct Oracle {
  std::vector<std::size_t> chosen;  // one a sentence
  double score = 0;
};
// systems[k] holds all sentences of system k. At least one, all of the same sentences.
Oracle oracleOfSystems(const Metric& metric, std::span<const MetricRows> systems);
// lists[i] holds a row for each candidate of sentence i, at least one.
Oracle oracleOfCandidates(const Metric& metric, std::span<const MetricRows> lists);

// Correlations in -1 .. 1, of a model's confidence with sentence scores for example; nothing where
// they are not defined: fewer than 2 values, all values of a side equal, a value not finite.
// Unequal sizes are Errors.
std::optional<double> pearson(std::span<const double> x, std::span<const double> y);
// Pearson's of the ranks; equal values share the mean of theirs.
std::optional<double> spearman(std::span<const double> x, std::span<const double> y);

}  // namespace strata
