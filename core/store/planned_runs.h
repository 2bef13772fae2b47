// The runs that a paper's table or a sweep needs, identified by their names in the workspace. Only
// missing runs are queued.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/run/config.h"
#include "core/store/runs.h"
#include "core/store/workspace.h"

namespace strata {

struct PlannedRun {
  std::string name, preset, dataset;
  std::uint64_t seed = 1;
  std::vector<std::string> overrides;  // complete, including dataset and seed
  // What a figure draws of it (core/run/measured_series.h); its configuration measures them.
  std::vector<std::string> series = {};
};

// The runs of a workspace by name, read once.
class RunsByName {
 public:
  explicit RunsByName(Workspace& workspace);
  const RunSummary* find(const std::string& name) const;  // null if it does not exist

 private:
  std::map<std::string, RunSummary> runs_;
};

// The result of queueing a run.
enum class QueueOutcome {
  kQueued,    // created and queued now
  kExtended,  // was queued already; now measures the plan's series, too
  kResumed,   // queued now to continue
  kUnchanged  // unchanged: see `status`
};
struct QueuedRun {
  PlannedRun plan;
  QueueOutcome outcome = QueueOutcome::kUnchanged;
  RunStatus status = RunStatus::kQueued;  // before this call

  bool isNew() const {
    return outcome == QueueOutcome::kQueued || outcome == QueueOutcome::kResumed;
  }
  std::string text() const;  // "queued", "resumed", "queued already", "running", "finished", ...
};

// Whether queueRuns would queue a run with this status; none: it does not exist.
bool isToQueue(const std::optional<RunStatus>& status, bool retry = false);
// Creates and queues the runs that do not exist, and queues interrupted ones to continue; with
// `retry` also failed, stopped and paused ones. What has not ended is made to measure the plan's
// series, unless it is training. A run of the same name with other settings is a usage error that
// names the keys. Duplicates are queued once; a second call changes nothing.
std::vector<QueuedRun> queueRuns(Workspace& workspace, const std::vector<PlannedRun>& runs,
                                 const ConfigSources& sources, bool retry);

// The configuration that a run is queued with.
Json configOf(const PlannedRun& run, const ConfigSources& sources);
// Lists settings that differ from a stored run's: "training.dropout is 0.1 there and 0.2 here".
// Ignores keys that may change on resuming or change no score.
std::vector<std::string> differencesOf(const Json& stored, const Json& wanted,
                                       const ConfigSources& sources);

}  // namespace strata
