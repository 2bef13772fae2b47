#include "core/store/prune.h"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/run/averaged_models.h"
#include "core/run/checkpoint_files.h"
#include "core/store/database.h"
#include "core/store/disk_use.h"
#include "core/store/protected_runs.h"
#include "core/store/removals.h"
#include "core/store/run_pattern.h"

namespace strata {
namespace {

void checkRules(const PruneRules& rules) {
  const bool thins = rules.keepLast || rules.keepBest;
  if (!rules.runs && !rules.emptyTrash && !rules.checkpoints && !thins && !rules.recordings)
    throw usageError(
        "nothing says what goes: whole runs (--runs), --checkpoints, --keep-last N, --keep-best N, "
        "--recordings, or --empty-trash");
  if (thins && rules.checkpoints)
    throw usageError(
        "all checkpoints (--checkpoints), or all but some (--keep-last, --keep-best)?");
  const bool says =
      !rules.statuses.empty() || rules.olderThan > 0 || !rules.filter.empty() || !rules.tag.empty();
  if (rules.runs && !says)
    throw usageError(
        "nothing says which runs go to the trash: --status, --older-than, --filter or --tag");
}

// When a folder was last renamed or changed its mode: a run's, when it came into the trash.
double changedAt(const fs::path& folder) {
  struct stat info {};
  return ::stat(folder.c_str(), &info) == 0 ? static_cast<double>(info.st_ctim.tv_sec) : 0;
}

class Planner {
 public:
  Planner(Workspace& workspace, const PruneRules& rules)
      : workspace_(workspace), rules_(rules), pattern_(rules.filter), starts_(workspace) {
    now_ = rules.now > 0 ? rules.now : nowSeconds();
    Query rows(workspace.database(), "SELECT run, MAX(last_seen) FROM starts GROUP BY run");
    while (rows.next()) lastSeen_[rows.integer(0)] = rows.number(1);
  }

  PrunePlan plan() {
    for (const RunSummary& run : listRuns(workspace_, {.trashed = true, .tag = rules_.tag})) {
      if (!isChosen(run)) continue;
      if (run.trashed) {
        if (rules_.emptyTrash) planTrashed(run);
      } else {
        planRun(run);
      }
    }
    if (rules_.emptyTrash) {
      addUnfinished({}, workspace_.trashFolder());
      planTrashedDatasets();
    }
    return std::move(plan_);
  }

 private:
  bool isChosen(const RunSummary& run) const {
    if (!rules_.statuses.empty() &&
        std::ranges::find(rules_.statuses, run.status) == rules_.statuses.end())
      return false;
    return pattern_.matches(run) && now_ - lastEvent(run) >= rules_.olderThan;
  }

  double lastEvent(const RunSummary& run) const {
    if (run.trashed) return changedAt(run.folder);
    const auto seen = lastSeen_.find(run.id);
    return seen == lastSeen_.end() ? run.created : std::max(run.created, seen->second);
  }

  void planTrashed(const RunSummary& run) {
    const std::string user = starts_.userOf(run.id);
    if (!user.empty()) return keep(run, fmt::format("'{}' began with a model of it", user));
    add(PruneKind::kTrashed, run, run.folder, diskUseOf(run.folder).all());
  }

  // Rules that choose runs choose no dataset, except that it has been there long enough.
  void planTrashedDatasets() {
    if (!rules_.statuses.empty() || !rules_.filter.empty() || !rules_.tag.empty()) return;
    const fs::path trash = workspace_.datasetsFolder() / ".trash";
    addUnfinished({}, trash);
    for (const auto& name : namesIn(trash)) {
      const fs::path folder = trash / name;
      if (name.starts_with('.') || now_ - changedAt(folder) < rules_.olderThan) continue;
      plan_.items.push_back({PruneKind::kDataset, 0, name, folder, bytesBelow(folder)});
    }
  }

  void planRun(const RunSummary& run) {
    const bool parts =
        rules_.checkpoints || rules_.keepLast || rules_.keepBest || rules_.recordings;
    if (!rules_.runs && !parts) return;
    const std::string why = reasonToKeep(workspace_, run);
    if (!why.empty()) return keep(run, why);
    if (rules_.runs) {
      const std::string user = starts_.userOf(run.id);
      if (user.empty()) return add(PruneKind::kRun, run, run.folder, diskUseOf(run.folder).all());
      keep(run, fmt::format("'{}' began with a model of it", user));
      if (!parts) return;
    }
    planCheckpoints(run);
    if (!rules_.recordings) return;
    const fs::path recordings = run.folder / "recordings";
    addUnfinished(run, recordings);
    for (const auto& name : namesIn(recordings)) {
      if (!name.starts_with('.'))
        add(PruneKind::kRecording, run, recordings / name, bytesBelow(recordings / name));
    }
  }

  void planCheckpoints(const RunSummary& run) {
    if (!rules_.checkpoints && !rules_.keepLast && !rules_.keepBest) return;
    addUnfinished(run, checkpointsFolder(run.folder));
    const std::set<std::int64_t> wanted = wantedSteps(run);
    std::set<std::int64_t> averaged;
    for (const auto& model : listAverages(run.folder))
      averaged.insert(model.steps.begin(), model.steps.end());
    for (const CheckpointInfo& info : listCheckpoints(run.folder)) {
      if (wanted.contains(info.step)) continue;
      const std::string name = info.folder.filename().string();
      const std::string user = starts_.userOf(run.id, info.folder);
      if (info.pinned)
        keep(run, name + " is pinned");
      else if (averaged.contains(info.step))
        keep(run, fmt::format("an average was made of {}", name));
      else if (!user.empty())
        keep(run, fmt::format("'{}' began with {}, or may have", user, name));
      else
        add(PruneKind::kCheckpoint, run, info.folder, bytesBelow(info.folder));
    }
  }

  // The newest is kept in any case: the run can be resumed.
  std::set<std::int64_t> wantedSteps(const RunSummary& run) const {
    std::set<std::int64_t> wanted;
    if (rules_.checkpoints) return wanted;
    const auto all = listCheckpoints(run.folder);
    const auto last =
        std::max<std::size_t>(1, static_cast<std::size_t>(rules_.keepLast.value_or(1)));
    for (std::size_t i = all.size() - std::min(last, all.size()); i < all.size(); ++i)
      wanted.insert(all[i].step);
    if (!rules_.keepBest) return wanted;
    const auto best = rankedCheckpoints(all, run.metric);
    const auto count = std::min(best.size(), static_cast<std::size_t>(*rules_.keepBest));
    for (std::size_t i = 0; i < count; ++i) wanted.insert(best[i].step);
    return wanted;
  }

  void addUnfinished(const RunSummary& run, const fs::path& parent) {
    for (const auto& removal : unfinishedRemovals(parent))
      add(PruneKind::kUnfinished, run, removal, bytesBelow(removal));
  }

  void add(PruneKind kind, const RunSummary& run, const fs::path& folder, std::uint64_t bytes) {
    plan_.items.push_back({kind, run.id, run.name, folder, bytes});
  }
  void keep(const RunSummary& run, const std::string& why) {
    plan_.kept.push_back({run.id, run.name, why});
  }

  Workspace& workspace_;
  const PruneRules& rules_;
  RunPattern pattern_;
  StartingPoints starts_;
  std::map<std::int64_t, double> lastSeen_;
  double now_ = 0;
  PrunePlan plan_;
};

}  // namespace

std::string_view nameOf(PruneKind kind) {
  constexpr std::string_view kNames[] = {"run",        "trashed run", "trashed dataset",
                                         "checkpoint", "recording",   "unfinished removal"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::uint64_t PrunePlan::bytes(bool toTrash) const {
  std::uint64_t sum = 0;
  for (const PruneItem& item : items)
    if ((item.kind == PruneKind::kRun) == toTrash) sum += item.bytes;
  return sum;
}

PrunePlan planPrune(Workspace& workspace, const PruneRules& rules) {
  checkRules(rules);
  return Planner(workspace, rules).plan();
}

}  // namespace strata
