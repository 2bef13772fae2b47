// Removes what a plan names, run by run.
#include <spdlog/spdlog.h>

#include <span>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/store/database.h"
#include "core/store/left_out.h"
#include "core/store/maintenance.h"
#include "core/store/protected_runs.h"
#include "core/store/prune.h"
#include "core/store/removals.h"

namespace strata {
namespace {

class Pruning {
 public:
  Pruning(Workspace& workspace, const PrunePlan& plan, Progress& progress)
      : workspace_(workspace), plan_(plan), progress_(progress) {}

  PrunePlan run() {
    progress_.begin("remove", std::ssize(plan_.items), "folders");
    const std::span<const PruneItem> items(plan_.items);
    for (std::size_t begin = 0, end = 0; begin < items.size(); begin = end) {
      while (end < items.size() && items[end].run == items[begin].run) ++end;
      removeOf(items.subspan(begin, end - begin));
    }
    if (workspace_.readOnly()) followUp();
    progress_.end();
    done_.kept.insert(done_.kept.begin(), plan_.kept.begin(), plan_.kept.end());
    return std::move(done_);
  }

 private:
  using Renamed = std::vector<std::pair<fs::path, fs::path>>;  // from, to

  // Nothing can begin to train the run within the transaction, in which folders are only renamed.
  // Without space for one, nothing can begin to train either.
  void removeOf(std::span<const PruneItem> items) {
    Renamed renamed;
    const std::size_t before = done_.items.size();
    const auto beginAll = [&] {
      const PruneItem& first = items.front();
      const std::string why = first.run == 0 ? std::string() : reasonNow(first);
      if (!why.empty()) return done_.kept.push_back({first.run, first.name, why});
      for (const PruneItem& item : items) begin(item, renamed);
    };
    try {
      if (workspace_.readOnly())
        beginAll();
      else
        workspace_.database().write(beginAll);
    } catch (const Error& error) {
      putBack(renamed);
      done_.items.resize(before);
      done_.kept.push_back({items.front().run, items.front().name, error.what()});
    }
    progress_.advance(passed_ += std::ssize(items));
    for (const auto& [folder, removal] : renamed) {
      endRemoval(removal);
      if (!workspace_.readOnly() || removal.parent_path() != workspace_.trashFolder()) continue;
      std::error_code failed;  // empty, it tells the index that the run is gone
      if (fs::create_directory(removal, failed)) emptied_.push_back(removal);
    }
    progress_.advance(passed_);
  }

  // There is space now, for the index, too. If not, it follows when it is next opened.
  void followUp() {
    try {
      Workspace workspace(workspace_.root());
      refreshWorkspace(workspace);
      for (const auto& removal : emptied_) endRemoval(removal);
    } catch (const Error& error) {
      spdlog::warn("{}", error.what());
    }
  }

  std::string reasonNow(const PruneItem& item) {
    Query row(workspace_.database(), "SELECT 1 FROM runs WHERE id = ?", item.run);
    if (!row.next()) return "it is gone";
    const RunSummary now = runById(workspace_, item.run);
    if ((item.kind == PruneKind::kTrashed) != now.trashed)
      return now.trashed ? "it is in the trash by now" : "it was restored";
    return now.trashed ? std::string() : reasonToKeep(workspace_, now);
  }

  void begin(const PruneItem& item, Renamed& renamed) {
    if (item.kind == PruneKind::kRun) {
      trashRun(workspace_, item.run);
    } else if (item.kind == PruneKind::kUnfinished) {
      renamed.emplace_back(fs::path(), item.folder);
    } else if (!fs::exists(item.folder)) {
      return;  // somebody else removed it
    } else {
      if (item.kind != PruneKind::kTrashed) leaveOut(item.folder);
      renamed.emplace_back(item.folder, beginRemoval(item.folder));
      if (item.kind == PruneKind::kTrashed && !workspace_.readOnly())
        forgetRun(workspace_, item.run);
    }
    done_.items.push_back(item);
  }

  // The transaction failed: the index knows the folders by their names.
  static void putBack(Renamed& renamed) {
    std::error_code ignored;
    for (const auto& [folder, removal] : renamed)
      if (!folder.empty()) fs::rename(removal, folder, ignored);
    renamed.clear();
  }

  Workspace& workspace_;
  const PrunePlan& plan_;
  Progress& progress_;
  PrunePlan done_;
  std::vector<fs::path> emptied_;  // removals that the index does not know yet
  std::int64_t passed_ = 0;
};

}  // namespace

PrunePlan applyPrune(Workspace& workspace, const PrunePlan& plan, Progress& progress) {
  return Pruning(workspace, plan, progress).run();
}

}  // namespace strata
