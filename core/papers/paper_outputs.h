#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/papers/paper_engine.h"
#include "core/papers/paper_plan.h"
#include "core/store/outputs.h"
#include "core/store/planned_runs.h"
#include "core/store/workspace.h"

namespace strata {

// One translation that a cell needs: of each run alone, or of all as an ensemble.
struct NeededOutput {
  std::vector<const RunSummary*> runs;  // finished, with a checkpoint; several are an ensemble
  std::vector<std::int64_t> steps;      // of each run's chosen checkpoint
  OutputKey key;
  int beam = 0;
  Json decoding;  // the run's section `decoding`

  const std::filesystem::path& folder() const { return runs.front()->folder; }
};

// The translations that a cell needs, in the order of its runs; none for an unfinished run (for an
// ensemble: if any run is unfinished).
std::vector<std::optional<NeededOutput>> neededOutputs(const PlannedCell& cell,
                                                       const RunsByName& runs);

// Why a cell's set cannot be translated here, and what to do; empty: it can.
std::string lackForScoring(const PlannedCell& cell);

struct ScoringContext {
  Workspace& workspace;
  const PaperEngine& engine;
  // Scores to store with a translation, by scorer.
  std::function<Json(const PlannedCell&, const StoredOutput&)> scores;
};
// Translates the cell's set, stores text and scores, and counts an evaluation of a test set.
void makeOutput(const ScoringContext& context, const PlannedCell& cell, const NeededOutput& needed);

}  // namespace strata
