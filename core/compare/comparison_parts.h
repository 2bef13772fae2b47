// Parts of compareSystems, in files of their own.
#pragma once
#include <span>
#include <vector>

#include "core/compare/comparison.h"

namespace strata {

// Systems under one metric, all of the same sentences. Refers to what it is made of.
struct ScoredRows {
  const Metric& metric;
  std::span<const MetricRows> rows;  // a system
  std::size_t baseline;
  const ComparisonOptions& options;
};
// Corpus scores and differences, a system.
std::vector<SystemScore> scoresOf(const ScoredRows& scored);
// Adds intervals of all systems, and tests of all but the baseline with Holm's correction. Returns
// the resampled scores, a system.
std::vector<ResampledScores> addTests(const ScoredRows& scored, const Resamples& resamples,
                                      std::vector<SystemScore>& systems);

// Every table that the input allows, over the texts that `comparison` has kept.
std::vector<BucketTable> bucketTables(const ComparisonInput& input, const Comparison& comparison);
// Lists of every system.
std::vector<NGramTables> ngramTables(const Comparison& comparison);

// Without scores; none unless a group has two runs.
std::vector<SystemGroup> groupsOf(const Comparison& comparison);
// Adds a metric's scores to every group; without resampled scores there are no tests.
void addGroupScores(const MetricComparison& compared, std::span<const ResampledScores> resampled,
                    Comparison& comparison);
// The following need the scores of systems and sentences.
void addLikelihoods(const std::optional<Resamples>& resamples, Comparison& comparison);
std::vector<NBestLists> nbestOf(const Comparison& comparison);
std::vector<SystemConfidence> confidenceOf(const Comparison& comparison);

}  // namespace strata
