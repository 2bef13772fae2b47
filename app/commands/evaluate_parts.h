// Parts of a test set that `evaluate` scores separately: a subset, and buckets by length.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/metrics/metric.h"
#include "core/report/table.h"

namespace strata {

struct PartOptions {
  std::vector<double>
      lengthEdges;  // lower edges of buckets by words of the first reference; empty: no buckets
  std::string subset, vocabulary;
};
// Adds --length-edges, --subset and --vocabulary; `options` must outlive the verb.
void addPartOptions(CLI::App& verb, PartOptions& options);

// Positions of the sentences of --subset; nullopt without it.
std::optional<std::vector<std::size_t>> subsetOf(
    const PartOptions& options, const std::vector<std::vector<std::string>>& references);
void keepOnly(const std::vector<std::size_t>& kept, std::vector<std::string>& lines);

// Scores of buckets: in the format of `compare --json`, and as a table.
struct BucketScores {
  Json json;
  Table table;
};
// `rows` and `names` have one entry per system.
BucketScores lengthBuckets(const PartOptions& options, const Metric& metric,
                           const std::vector<MetricRows>& rows,
                           const std::vector<std::string>& names,
                           const std::vector<std::string>& reference);

}  // namespace strata
