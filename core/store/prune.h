#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/store/runs.h"
#include "core/store/workspace.h"

namespace strata {

// Frees disk space by rules. Never touched are runs that train, are queued, paused, or have a
// command pending; checkpoints that are pinned, that an average was made of, or that another run
// began with (training.from); and averages.
struct PruneRules {
  // Which runs: all of these hold.
  std::vector<RunStatus> statuses = {};  // empty: any
  double olderThan = 0;                  // seconds since its last event; in the trash: since it is
  std::string filter = {};               // see RunPattern
  std::string tag = {};                  // empty: any

  // What goes of them.
  bool runs = false;         // the whole run, to the trash
  bool emptyTrash = false;   // runs and datasets in the trash, for good
  bool checkpoints = false;  // all
  // Checkpoints except the newest, and so many: of the newest, and of the best.
  std::optional<int> keepLast = {}, keepBest = {};
  bool recordings = false;

  double now = 0;  // seconds since the Unix epoch; 0: the time of the call
};

enum class PruneKind {
  kRun,         // moves to the trash
  kTrashed,     // is deleted with its folder
  kDataset,     // in the trash: is deleted
  kCheckpoint,  // is deleted, as are the next two
  kRecording,
  kUnfinished  // what an earlier removal left when it was killed
};
std::string_view nameOf(PruneKind kind);  // "run", "trashed run", "checkpoint", ...

struct PruneItem {
  PruneKind kind = PruneKind::kCheckpoint;
  std::int64_t run = 0;          // 0: of none
  std::string name = {};         // of the run
  std::filesystem::path folder;  // absolute
  std::uint64_t bytes = 0;
};

struct PruneKept {
  std::int64_t run = 0;
  std::string name = {}, why = {};  // "a checkpoint is pinned: step-00000100"
};

struct PrunePlan {
  std::vector<PruneItem> items = {};  // by run
  std::vector<PruneKept> kept = {};   // what the rules choose, and why it stays

  std::uint64_t bytes(bool toTrash) const;  // of those that move to the trash, or of the others
};

// What the rules would remove; changes nothing. Rules that name nothing that goes, or whole runs
// without saying which, are a usage error.
PrunePlan planPrune(Workspace& workspace, const PruneRules& rules);

// Does it. Each run is looked at again, and is left alone if it must not be touched any more; what
// was done is returned. A run's parts disappear at once; a process that is killed meanwhile leaves
// a complete workspace, and what it was deleting is deleted by the next one.
PrunePlan applyPrune(Workspace& workspace, const PrunePlan& plan,
                     Progress& progress = noProgress());

}  // namespace strata
