// Stored translations and test sets as JSON, and their scores: `systems --json` and the tools of
// `mcp`.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/metrics/metrics.h"
#include "core/systems/score_cache.h"
#include "core/systems/stored_systems.h"
#include "core/systems/test_sets.h"

namespace strata {

Json toJson(const StoredSystem& system);
Json toJson(const TestSet& set);

// Scores of every system of a set with the same metrics: those on plain text, or multi-bleu if the
// set or a system has only tokens.
class SystemScores {
 public:
  explicit SystemScores(const Workspace& workspace) : workspace_(workspace), cache_(workspace) {}

  // {metric: {"score", "signature"}}
  Json of(const StoredSystem& system);

 private:
  struct Measures {
    std::vector<MetricPointer> metrics;
    std::string references;  // their digest
  };

  const TestSet& setOf(const std::string& id);
  const Measures& measuresOf(const TestSet& set, TextState state);

  const Workspace& workspace_;
  ScoreCache cache_;
  std::map<std::string, TestSet> sets_;
  std::map<std::pair<std::string, TextState>, Measures> measures_;
};

}  // namespace strata
