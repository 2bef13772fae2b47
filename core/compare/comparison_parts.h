// Parts of compareSystems, each in its own file.
#pragma once
#include <span>
#include <vector>

#include "core/compare/comparison.h"

namespace strata {

// Systems under one metric, all of the same sentences. Does not own its members.
struct ScoredRows {
  const Metric& metric;
  std::span<const MetricRows> rows;  // one per system
  std::size_t baseline;
  const ComparisonOptions& options;
};
// Corpus scores and differences, one per system.
std::vector<SystemScore> scoresOf(const ScoredRows& scored);
// Adds intervals of all systems, and tests of all but the baseline with Holm's correction. Returns
// the resampled scores, one entry per system.
std::vector<ResampledScores> addTests(const ScoredRows& scored, const Resamples& resamples,
                                      std::vector<SystemScore>& systems);

// Every table that the input allows, over the sentences kept in `comparison`.
std::vector<BucketTable> bucketTables(const ComparisonInput& input, const Comparison& comparison);
// N-gram lists, one entry per system.
std::vector<NGramTables> ngramTables(const Comparison& comparison);

// The groups without scores; empty unless a group has at least two runs.
std::vector<SystemGroup> groupsOf(const Comparison& comparison);
// Adds a metric's scores to every group, without tests if there are no resampled scores.
void addGroupScores(const MetricComparison& compared, std::span<const ResampledScores> resampled,
                    Comparison& comparison);
// The following need the scores of systems and sentences.
void addLikelihoods(const std::optional<Resamples>& resamples, Comparison& comparison);
std::vector<NBestLists> nbestOf(const Comparison& comparison);
std::vector<SystemConfidence> confidenceOf(const Comparison& comparison);

}  // namespace strata
