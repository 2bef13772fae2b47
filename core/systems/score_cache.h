#pragma once
#include <filesystem>
#include <span>
#include <string>

#include "core/metrics/metric.h"
#include "core/store/workspace.h"

namespace strata {

// Rows of metrics that were computed before, in WORKSPACE/cache/scores: by digests of hypotheses
// and references, the metric's signature and the version of these formulas. Losing it costs time
// only. Thread- and process-safe: entries are written whole or not at all, and a damaged one counts
// as none.
class ScoreCache {
 public:
  explicit ScoreCache(const Workspace& workspace);

  // What compareAll gives. `references` is referencesDigest of what the metric was made of.
  MetricRows rows(const Metric& metric, std::span<const std::string> hypotheses,
                  const std::string& references, int threads = 0) const;

  // Removes the entries used longest ago until at most `bytes` are left.
  void trim(std::uintmax_t bytes) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace strata
