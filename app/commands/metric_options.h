// The options that verbs which score translations share, and how they read their files.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/data/system_output.h"
#include "core/metrics/metrics.h"

namespace strata {

// What the options are read into; metricOptionsOf makes it MetricOptions.
struct MetricRequest {
  std::vector<std::string> metrics{"bleu"};
  std::string tokenize = "13a", smooth = "exp", brevityPenalty = "closest";
  bool lowercase = false, cased = false;
  MetricOptions of;
};

// --metric, --lowercase and the options of each metric. `request` must outlive the verb.
void addMetricOptions(CLI::App& verb, MetricRequest& request);
// Metrics named twice and options that contradict one another are usage errors.
MetricOptions metricOptionsOf(const MetricRequest& request);

// What a toolkit wrote into a file; what was recognised or skipped is said on stderr.
SystemOutput readSystemFile(const std::string& path);
// The translations alone.
std::vector<std::string> readTranslations(const std::string& path);
// Line n of the file at `path` belongs to line n of `reference`: an Error names both files and the
// first line that has no counterpart.
void checkLineCounts(const std::string& path, std::size_t lines, const std::string& reference,
                     std::size_t referenceLines);

}  // namespace strata
