#pragma once
#include <span>
#include <string>

#include "core/base/json.h"
#include "core/compare/comparison.h"
#include "core/compare/comparison_filter.h"

namespace strata {

// All values, with the names that `evaluate --json` uses; no texts and nothing per sentence.
Json toJson(const Comparison& comparison);
// Adds groups of runs, likelihoods, n-best lists and systems' own scores.
void addAnalyses(const Comparison& comparison, Json& json);
// The difference from the baseline and its test: difference, low, high, p_value, p_holm.
void addDifference(const SystemScore& score, Json& json);
// mean and ci, the half-width; null if there is no interval.
void addInterval(const std::optional<ConfidenceInterval>& interval, Json& json);
// A system in a bucket; the score of an empty bucket is null.
Json bucketScoreJson(const std::string& system, const BucketScore& score);
// What `each` makes of the index of each metric, by the metrics' names.
template <typename Each>
Json byMetric(const Comparison& comparison, const Each& each) {
  Json json = Json::object();
  for (std::size_t m = 0; m < comparison.metrics.size(); ++m)
    json[comparison.metrics[m].metric->name()] = each(m);
  return json;
}
// The scores of the sentences that pass a filter; `metrics` has one entry per metric.
Json filteredJson(const Comparison& comparison, std::span<const FilteredScores> metrics);

// One line per sentence: its line number in the files, from 1, words of the first reference, source
// and references, then score, difference from the baseline and text of every system. Tabs and line
// ends within texts become spaces.
std::string sentencesTsv(const Comparison& comparison);

// A LaTeX tabular of systems and metrics, the best of each metric in bold; comments give the
// metrics' signatures and tests. Groups of runs follow, as mean and standard deviation.
std::string latexOf(const Comparison& comparison);

}  // namespace strata
