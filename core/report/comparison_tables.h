#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/compare/comparison.h"
#include "core/compare/comparison_filter.h"
#include "core/report/table.h"

namespace strata {

// A comparison as tables, for terminals and pages.

// Systems and their scores under every metric, with marks of significance.
Table overviewTable(const Comparison& comparison);
// One metric: score, interval, difference from the baseline, tests; the baseline is marked.
Table scoreTable(const Comparison& comparison, std::size_t metric);
// The same of the sentences of a filter, beside the scores of all.
Table filteredTable(const Comparison& comparison, std::size_t metric,
                    const FilteredScores& filtered);
Table statisticsTable(const Comparison& comparison);
Table bucketTable(const Comparison& comparison, const BucketTable& buckets);
// F1, precision and recall of words by their training frequency; only where there are counts.
Table wordAccuracyTable(const Comparison& comparison);
// Of what each system's n-grams are confirmed, by order.
Table ngramTotalsTable(const Comparison& comparison);
// N-grams of one system, four lists: confirmed here and not in the baseline, the reverse (both
// absent of the baseline), over- and under-produced.
std::vector<Table> ngramListTables(const Comparison& comparison, std::size_t system);
// How often the best translation of a sentence is a system's, and the score of these choices.
Table oracleTable(const Comparison& comparison);
// One metric over the runs of every group: mean, deviation, difference from the baseline's group;
// only where there are groups.
Table groupTable(const Comparison& comparison, std::size_t metric);
// How likely systems find the references; only where there are likelihoods.
Table likelihoodTable(const Comparison& comparison);
// First and best candidates of n-best lists; only where there are lists.
Table nbestTable(const Comparison& comparison);
// Correlations of systems' own scores with sentence scores; only where there are such scores.
Table confidenceTable(const Comparison& comparison);
// Those of the four that there are, with what a reader must know beside each.
struct NotedTable {
  std::string title, note;
  std::vector<Table> tables;
};
std::vector<NotedTable> analysisTables(const Comparison& comparison);
// What the tables do not say: kept sentences, how differences are tested. One text a paragraph.
std::vector<std::string> comparisonNotes(const Comparison& comparison);

// "34.52 ± 0.61", as sacreBLEU gives it: the middle of the resampled scores.
std::string intervalText(const ConfidenceInterval& interval);
// "+0.41 to +1.20"
std::string rangeText(double low, double high);
// "▲" significantly better than the baseline, "▼" worse, "" otherwise.
std::string significanceMark(const MetricComparison& compared, const SystemScore& system);

}  // namespace strata
