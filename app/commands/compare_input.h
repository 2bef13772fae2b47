// The options of `compare` and the texts that they name.
#pragma once
#include <string>
#include <vector>

#include "app/commands/metric_options.h"
#include "app/commands/verbs.h"
#include "core/compare/comparison.h"
#include "core/data/sentences.h"

namespace strata {

struct CompareOptions {
  SentenceOptions reading;
  std::vector<std::string> references;
  std::string set;                                // of the workspace, instead of references
  bool tokens = false;                            // of that set
  bool keepsCase = false;                         // even if the runs' scorers ignore it
  std::vector<std::string> systems, likelihoods;  // as NAME=FILE; a system's name may be NAME#RUN
  std::size_t nbestSize = 1;
  std::string source, counts, vocabulary, subwordReference;
  std::string significance = "bootstrap", subset;
  MetricRequest scoring;
  ComparisonOptions of;
  std::string pattern, where = "anywhere", length;  // filter options
  bool caseSensitive = false;
  std::string html, tsv, latex;
};

// Reads all files. Unequal line counts are Errors that name both files and the first line without
// a counterpart.
ComparisonInput comparisonInputOf(const CompareOptions& options, const GlobalOptions& global);

}  // namespace strata
