// What `compare` compares: its options, and the texts that they name.
#pragma once
#include <string>
#include <vector>

#include "app/commands/metric_options.h"
#include "app/commands/verbs.h"
#include "core/compare/comparison.h"

namespace strata {

struct CompareOptions {
  std::vector<std::string> references;
  std::string set;                                // of the workspace, instead of references
  bool tokens = false;                            // of that set
  std::vector<std::string> systems, likelihoods;  // as NAME=FILE; a system's name may be NAME#RUN
  std::size_t nbestSize = 1;
  std::string source, counts, vocabulary, subwordReference;
  std::string significance = "bootstrap", subset;
  MetricRequest scoring;
  ComparisonOptions of;
  std::string pattern, where = "anywhere", length;  // of the filter
  bool caseSensitive = false;
  std::string html, tsv, latex;
};

// Reads everything. Unequal line counts are Errors that name both files and the first line without
// counterpart.
ComparisonInput comparisonInputOf(const CompareOptions& options, const GlobalOptions& global);

}  // namespace strata
