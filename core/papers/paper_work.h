#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/papers/paper_plan.h"
#include "core/store/planned_runs.h"
#include "core/store/workspace.h"

namespace strata {

// A cell with the name of its table row or figure series.
struct NamedCell {
  std::string row;
  PlannedCell cell;
  bool printed = true;  // the paper prints numbers of the row or figure
};

// A run that a table or figure needs, as it is in the workspace.
struct PaperRun {
  PlannedRun plan;
  std::vector<std::string> rows = {};     // that need it
  std::optional<RunStatus> status = {};   // none: it does not exist
  std::int64_t step = 0, maxUpdates = 0;  // maxUpdates 0: not limited by updates, or not started

  bool isMissing() const { return isToQueue(status); }  // `paper run` queues it
};

// What a table or figure needs, and how far that is.
struct PaperWork {
  std::vector<PaperRun> runs = {};  // each once, in the order of the cells
  // Why cells cannot be run here, each once: what is not there, and what would end their runs at
  // the start. Such runs are not in `runs`.
  std::vector<std::string> missing = {};
  // Why no printed value is subtracted from measured ones, each once.
  std::vector<std::string> notCompared = {};
  // Translations and recordings: stored; of finished runs, not made yet; of others.
  std::size_t scored = 0, toScore = 0, waiting = 0;

  std::vector<PlannedRun> plans() const;
};
PaperWork paperWork(Workspace& workspace, const PaperEngine& engine,
                    const std::vector<NamedCell>& cells);

// Says that a run was not made to measure series that are drawn, and what to do.
std::string lackOfSeries(const std::string& run, const std::vector<std::string>& series);

// {"runs": [{"name", "preset", "dataset", "seed", "rows", "status", "step", "max_updates",
// "missing"}], "missing", "not_compared", "scored", "to_score", "waiting"}
Json toJson(const PaperWork& work);

}  // namespace strata
