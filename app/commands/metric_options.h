// Options and file reading shared by the verbs that score translations.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/data/system_output.h"
#include "core/metrics/metrics.h"

namespace strata {

// The raw options; metricOptionsOf converts them to MetricOptions.
struct MetricRequest {
  std::vector<std::string> metrics{"bleu"};
  std::string tokenize = "13a", smooth = "exp", brevityPenalty = "closest";
  bool lowercase = false, cased = false;
  MetricOptions of;
};

// Adds --metric, --lowercase and the options of each metric. `request` must outlive the verb. With
// `imported` a metric may also be imported scores of a test set, which are checked later.
enum class MetricNames { kComputed, kImportedToo };
void addMetricOptions(CLI::App& verb, MetricRequest& request,
                      MetricNames names = MetricNames::kComputed);
// Metrics named twice and contradictory options are usage errors.
MetricOptions metricOptionsOf(const MetricRequest& request);

// Reads the output file of a toolkit; the detected format and skipped lines are reported on stderr.
// `reading` and `likely` as in SystemOutputOptions.
SystemOutput readSystemFile(const std::string& path, const SentenceOptions& reading = {},
                            const std::string& likely = {});
// The texts of all references, those of several translators in a file one after another, in the
// order of the first. Different counts are an Error that names the files.
std::vector<SentenceText> readReferenceFiles(const std::vector<std::string>& paths,
                                             const SentenceOptions& reading);
// Gives a system's sentences the order of a reference if documents and segments name both.
void putInOrder(const SentenceText& reference, const std::string& path, SystemOutput& output);
// Checks that `path` has as many lines as `reference`: the Error names both files and the first
// line without a counterpart.
void checkLineCounts(const std::string& path, std::size_t lines, const std::string& reference,
                     std::size_t referenceLines);

}  // namespace strata
