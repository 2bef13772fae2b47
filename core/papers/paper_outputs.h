#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/paper_plan.h"
#include "core/store/outputs.h"
#include "core/store/workspace.h"

namespace strata {

// The runs of a workspace by name, read once.
class RunsByName {
 public:
  explicit RunsByName(Workspace& workspace);
  const RunSummary* find(const std::string& name) const;  // null: there is none

 private:
  std::map<std::string, RunSummary> runs_;
};

// One translation that a cell needs: of each run alone, or of all as an ensemble.
struct NeededOutput {
  std::vector<const RunSummary*> runs;  // finished, with a checkpoint; several are an ensemble
  std::vector<std::int64_t> steps;      // of each run's chosen checkpoint
  OutputKey key;
  int beam = 0;
  Json decoding;  // the run's section `decoding`

  const std::filesystem::path& folder() const { return runs.front()->folder; }
};

// What a cell's finished runs are translated with, in the order of its runs; empty where a run is
// not finished (for an ensemble: any).
std::vector<std::optional<NeededOutput>> neededOutputs(const PlannedCell& cell,
                                                       const RunsByName& runs);

// Translates the cell's set with this program's verb `translate` in a process of its own, stores
// text and scores, and counts the look where the set is a test set. `scores` is told the stored
// text and returns what is noted of it.
struct ScoringContext {
  Workspace& workspace;
  std::string device = "auto";
  int threads = 0;
  std::function<Json(const PlannedCell&, const StoredOutput&)> scores;
};
void makeOutput(const ScoringContext& context, const PlannedCell& cell, const NeededOutput& needed);

}  // namespace strata
