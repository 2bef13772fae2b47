#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/report/comparison.h"
#include "core/report/table.h"

namespace strata {

// A comparison as tables, for terminals and pages.

// Systems and their scores under every metric, with marks of significance.
Table overviewTable(const Comparison& comparison);
// One metric: score, interval, difference from the baseline, tests; the baseline is marked.
Table scoreTable(const Comparison& comparison, std::size_t metric);
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
// What the tables do not say: kept sentences, how differences are tested. One text a paragraph.
std::vector<std::string> comparisonNotes(const Comparison& comparison);

// "34.52 ± 0.61", as sacreBLEU gives it: the middle of the resampled scores.
std::string intervalText(const ConfidenceInterval& interval);
// "+0.41 to +1.20"
std::string rangeText(double low, double high);
// "▲" significantly better than the baseline, "▼" worse, "" otherwise.
std::string significanceMark(const MetricComparison& compared, const SystemScore& system);

}  // namespace strata
