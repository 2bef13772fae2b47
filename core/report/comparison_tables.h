#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/compare/comparison.h"
#include "core/compare/comparison_filter.h"
#include "core/report/table.h"

namespace strata {

// A comparison as tables, for the terminal and for pages.

// Systems and their scores under every metric, with marks of significance.
Table overviewTable(const Comparison& comparison);
// One metric: score, interval, difference from the baseline, tests; the baseline is marked.
Table scoreTable(const Comparison& comparison, std::size_t metric);
// The same for the sentences that pass a filter, next to the scores of all sentences.
Table filteredTable(const Comparison& comparison, std::size_t metric,
                    const FilteredScores& filtered);
Table statisticsTable(const Comparison& comparison);
Table bucketTable(const Comparison& comparison, const BucketTable& buckets);
// F1, precision and recall of words by training frequency; only if there are counts.
Table wordAccuracyTable(const Comparison& comparison);
// How many of each system's n-grams match a reference, by order.
Table ngramTotalsTable(const Comparison& comparison);
// N-grams of one system, four lists: confirmed here but not in the baseline, the reverse (neither
// for the baseline itself), over- and under-produced.
std::vector<Table> ngramListTables(const Comparison& comparison, std::size_t system);
// How often each system has the best translation of a sentence, and the score of the best ones.
Table oracleTable(const Comparison& comparison);
// One metric over the runs of every group: mean, standard deviation, difference from the baseline's
// group; only if there are groups.
Table groupTable(const Comparison& comparison, std::size_t metric);
// The likelihood of the references under each system; only if there are likelihoods.
Table likelihoodTable(const Comparison& comparison);
// Scores of the first and the best candidates of n-best lists; only if there are lists.
Table nbestTable(const Comparison& comparison);
// Correlations of systems' own scores with sentence scores; only if there are such scores.
Table confidenceTable(const Comparison& comparison);
// A title, an explanation and tables.
struct NotedTable {
  std::string title, note;
  std::vector<Table> tables;
};
// Those of the four tables above that exist.
std::vector<NotedTable> analysisTables(const Comparison& comparison);
// Systems whose texts and references do not look like texts of one kind.
std::vector<std::string> tokenizationNotes(const Comparison& comparison);
// Notes on all tables, these among them: which sentences were kept, how differences are tested,
// whose text is in lower case although the references are not. One text per paragraph.
std::vector<std::string> comparisonNotes(const Comparison& comparison);

// A score with the metric's digits; a dash if it is NaN.
Cell scoreCell(const Metric& metric, double score, NumberForm form = NumberForm::kFixed);
// "34.52 ± 0.61", as sacreBLEU prints it: mean and half-width of the interval.
Cell intervalCell(const Metric& metric, const ConfidenceInterval& interval);
// A bucket's score, with the half-width of its interval if there is one.
Cell scoreCell(const Metric& metric, const BucketScore& score);
// "79 %", "chance", followed by the baseline's name if people would prefer that; empty if the study
// does not have the metric or there is no difference.
Cell worthCell(const Comparison& comparison, const MetricComparison& compared,
               const SystemScore& system);
// What a column of scoreTable means, with its unit; empty for other titles.
std::string scoreColumnNote(const Comparison& comparison, std::size_t metric,
                            const std::string& title);
// Significantly better or worse than the baseline.
CellMark significanceMark(const MetricComparison& compared, const SystemScore& system);

}  // namespace strata
