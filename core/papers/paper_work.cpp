#include "core/papers/paper_work.h"

#include <algorithm>
#include <map>

#include "core/base/key_path.h"
#include "core/papers/paper_outputs.h"

namespace strata {
namespace {

void addOnce(std::vector<std::string>& list, const std::string& text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(text);
}

// Of a run that has not ended; others need no progress.
std::int64_t maxUpdatesOf(const RunSummary& run) {
  if (run.status != RunStatus::kRunning && run.status != RunStatus::kPaused) return 0;
  const Json config = runConfig(run);
  const Json* updates = findAt(config, "training.max_updates");
  return updates != nullptr && updates->is_number_integer() ? updates->get<std::int64_t>() : 0;
}

PaperRun stateOf(const PlannedRun& plan, const RunsByName& runs) {
  PaperRun state{.plan = plan};
  if (const RunSummary* found = runs.find(plan.name)) {
    state.status = found->status;
    state.step = found->step;
    state.maxUpdates = maxUpdatesOf(*found);
  }
  return state;
}

}  // namespace

std::vector<PlannedRun> PaperWork::plans() const {
  std::vector<PlannedRun> plans;
  for (const PaperRun& run : runs) plans.push_back(run.plan);
  return plans;
}

PaperWork paperWork(Workspace& workspace, const std::vector<NamedCell>& cells) {
  const RunsByName runs(workspace);
  PaperWork work;
  std::map<std::string, std::size_t> places;
  for (const auto& [row, cell] : cells) {
    if (isLeftOut(cell)) continue;
    if (!cell.missing.empty()) {
      addOnce(work.missing, cell.missing);
      continue;
    }
    for (const PlannedRun& plan : cell.runs) {
      const auto [at, isNew] = places.try_emplace(plan.name, work.runs.size());
      if (isNew) work.runs.push_back(stateOf(plan, runs));
      addOnce(work.runs[at->second].rows, row);
    }
    for (const auto& needed : neededOutputs(cell, runs)) {
      if (!needed) {
        ++work.waiting;
      } else if (findOutput(needed->folder(), needed->key)) {
        ++work.scored;
      } else {
        ++work.toScore;
      }
    }
  }
  return work;
}

Json toJson(const PaperWork& work) {
  const auto each = [](const PaperRun& run) {
    return Json{{"name", run.plan.name},
                {"preset", run.plan.preset},
                {"dataset", run.plan.dataset},
                {"seed", run.plan.seed},
                {"rows", run.rows},
                {"status", run.status ? Json(nameOf(*run.status)) : Json(nullptr)},
                {"step", run.step},
                {"max_updates", run.maxUpdates},
                {"missing", run.isMissing()}};
  };
  return {{"runs", jsonList(work.runs, each)},
          {"missing", work.missing},
          {"scored", work.scored},
          {"to_score", work.toScore},
          {"waiting", work.waiting}};
}

}  // namespace strata
