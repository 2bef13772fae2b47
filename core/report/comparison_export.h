#pragma once
#include <span>
#include <string>

#include "core/base/json.h"
#include "core/compare/comparison.h"
#include "core/compare/comparison_filter.h"

namespace strata {

// All figures, with the names that `evaluate --json` uses; no texts and no sentences.
Json toJson(const Comparison& comparison);
// The part of it that tells of groups of runs, likelihoods, n-best lists and systems' own scores.
void addAnalyses(const Comparison& comparison, Json& json);
// A system in a bucket; the score of no sentences is null.
Json bucketScoreJson(const std::string& system, const BucketScore& score);
// The scores of the sentences that a filter leaves; one entry of `metrics` for each metric.
Json filteredJson(const Comparison& comparison, std::span<const FilteredScores> metrics);

// One line a sentence: its number from 1 in the files, words of the first reference, source and
// references, then score, difference from the baseline and text of every system. Tabs and ends of
// lines within texts become spaces.
std::string sentencesTsv(const Comparison& comparison);

// A tabular of systems and metrics for a paper, the best of each metric in bold; what the figures
// depend on stands in comments. Groups of runs follow, as mean and deviation of the runs.
std::string latexOf(const Comparison& comparison);

}  // namespace strata
