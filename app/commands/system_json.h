// Stored translations and test sets as JSON, and their scores: `systems --json` and the tools of
// `mcp`.
#pragma once
#include <compare>
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
// set or a system has only tokens. Those of a run ignore case if its setting scoring.case says so.
class SystemScores {
 public:
  explicit SystemScores(Workspace& workspace) : workspace_(workspace), cache_(workspace) {}

  // {metric: {"score", "signature"}}
  Json of(const StoredSystem& system);

 private:
  struct Measures {
    std::vector<MetricPointer> metrics;
    std::string references;  // their digest
  };

  const TestSet& setOf(const std::string& id);
  // What scores depend on besides the system.
  struct Scoring {
    TextState state;
    bool ignoresCase;
    auto operator<=>(const Scoring&) const = default;
  };
  const Measures& measuresOf(const TestSet& set, const Scoring& scoring);

  Workspace& workspace_;
  ScoreCache cache_;
  std::map<std::string, TestSet> sets_;
  std::map<std::pair<std::string, Scoring>, Measures> measures_;
};

}  // namespace strata
