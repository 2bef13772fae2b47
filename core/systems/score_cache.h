#pragma once
#include <filesystem>
#include <span>
#include <string>

#include "core/metrics/metric.h"
#include "core/store/workspace.h"

namespace strata {

// Rows of metrics that were computed before, in WORKSPACE/cache/scores: by digests of hypotheses
// and references, the metric's signature and the version of these formulas. Losing it costs only
// time. Thread- and process-safe: entries are written atomically, and a damaged one counts as
// missing.
class ScoreCache {
 public:
  explicit ScoreCache(const Workspace& workspace);

  // The same result as compareAll. `references` is referencesDigest of the metric's references.
  MetricRows rows(const Metric& metric, std::span<const std::string> hypotheses,
                  const std::string& references, int threads = 0) const;

  // Removes the least recently used entries until at most `bytes` are left.
  void trim(std::uintmax_t bytes) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace strata
