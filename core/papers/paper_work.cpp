#include "core/papers/paper_work.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/base/key_path.h"
#include "core/papers/paper_outputs.h"
#include "core/papers/paper_recordings.h"
#include "core/run/measured_series.h"

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

PaperRun stateOf(const PlannedRun& plan, const RunSummary* found) {
  PaperRun state{.plan = plan};
  if (found != nullptr) {
    state.status = found->status;
    state.step = found->step;
    state.maxUpdates = maxUpdatesOf(*found);
  }
  return state;
}

// Whether queueing (again) can still change what a run measures.
bool isOpen(const std::optional<RunStatus>& status) {
  return isToQueue(status) || status == RunStatus::kQueued;
}

// "A, B and 3 more rows".
std::string namesOf(const std::vector<std::string>& rows) {
  constexpr std::size_t kNamed = 3;
  if (rows.size() <= kNamed) return fmt::format("{}", fmt::join(rows, ", "));
  return fmt::format("{} and {} more rows",
                     fmt::join(rows.begin(), rows.begin() + (kNamed - 1), ", "),
                     rows.size() + 1 - kNamed);
}

class WorkCount {
 public:
  WorkCount(Workspace& workspace, const PaperEngine& engine) : engine_(engine), runs_(workspace) {}

  PaperWork of(const std::vector<NamedCell>& cells) {
    for (const auto& [row, cell, printed] : cells) {
      if (isLeftOut(cell)) continue;
      if (!cell.missing.empty()) {
        addOnce(work_.missing, cell.missing);
        continue;
      }
      if (printed) {
        for (const std::string& reason : cell.otherSetup) addOnce(work_.notCompared, reason);
      }
      for (const PlannedRun& plan : cell.runs) addRun(row, *cell.dataset, plan);
      count(row, cell);
    }
    for (const auto& [problem, rows] : rowsWith_)
      work_.missing.push_back(namesOf(rows) + ": " + problem);
    return std::move(work_);
  }

 private:
  void addRun(const std::string& row, const Dataset& dataset, const PlannedRun& plan) {
    const RunSummary* found = runs_.find(plan.name);
    const PaperRun state = stateOf(plan, found);
    if (isToQueue(state.status, /*retry=*/true)) {
      if (const std::string problem = problemOf(plan, dataset); !problem.empty())
        return addOnce(rowsWith_[problem], row);
    }
    if (!plan.series.empty() && !isOpen(state.status)) {
      const auto lacking = unmeasuredSeries(runConfig(*found), plan.series);
      if (!lacking.empty()) addOnce(work_.missing, lackOfSeries(plan.name, lacking));
    }
    const auto [at, isNew] = places_.try_emplace(plan.name, work_.runs.size());
    if (isNew) work_.runs.push_back(state);
    addOnce(work_.runs[at->second].rows, row);
  }

  // Why a run cannot start. Seeds do not differ in it.
  std::string problemOf(const PlannedRun& plan, const Dataset& dataset) {
    const auto [at, isNew] = problems_.try_emplace(plan.name.substr(0, plan.name.rfind(".s")));
    if (!isNew) return at->second;
    try {
      at->second = engine_.startProblem(configOf(plan, engine_.sources), dataset);
    } catch (const Error& error) {  // a setting that its preset does not have
      at->second = error.what();
    }
    return at->second;
  }

  void count(const std::string& row, const PlannedCell& cell) {
    const auto add = [this](bool ended, bool made) {
      ++(!ended ? work_.waiting : made ? work_.scored : work_.toScore);
    };
    const std::string lack = lackForScoring(cell);
    for (const auto& needed : neededOutputs(cell, runs_)) {
      const bool made = needed && findOutput(needed->folder(), needed->key);
      if (made || lack.empty()) {
        add(needed.has_value(), made);
      } else {
        addOnce(work_.missing, row + ": " + lack);
      }
    }
    for (const auto& needed : neededRecordings(cell, runs_))
      add(needed.has_value(), needed && needed->isMade());
  }

  const PaperEngine& engine_;
  const RunsByName runs_;
  PaperWork work_;
  std::map<std::string, std::size_t> places_;
  std::map<std::string, std::string> problems_;               // by the run's name without its seed
  std::map<std::string, std::vector<std::string>> rowsWith_;  // by their problem
};

}  // namespace

std::vector<PlannedRun> PaperWork::plans() const {
  std::vector<PlannedRun> plans;
  for (const PaperRun& run : runs) plans.push_back(run.plan);
  return plans;
}

std::string lackOfSeries(const std::string& run, const std::vector<std::string>& series) {
  return fmt::format(
      "run {} was not made to measure {}: train others with --label, or move it to the trash and "
      "queue it again",
      run, fmt::join(series, ", "));
}

PaperWork paperWork(Workspace& workspace, const PaperEngine& engine,
                    const std::vector<NamedCell>& cells) {
  return WorkCount(workspace, engine).of(cells);
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
  return {{"runs", jsonList(work.runs, each)}, {"missing", work.missing},
          {"not_compared", work.notCompared},  {"scored", work.scored},
          {"to_score", work.toScore},          {"waiting", work.waiting}};
}

}  // namespace strata
