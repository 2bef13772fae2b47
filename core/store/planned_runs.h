#pragma once
#include <string>
#include <vector>

#include "app/paper_plan.h"
#include "core/store/workspace.h"

namespace strata {

// What became of one planned run.
struct QueuedRun {
  PlannedRun plan;
  // "queued", "resumed" now; or how it stood: "queued already", "running", "finished", "failed",
  // "stopped", ...
  std::string outcome;
};

// Queues what is missing and nothing else: runs that are not there are made and queued, interrupted
// ones are queued to go on; with `retry` failed, stopped and paused ones too. A run of the name
// with other settings is a usage error that names the key. Calling it again after an interruption
// goes on where it was. Doubles are queued once.
std::vector<QueuedRun> queueRuns(Workspace& workspace, const std::vector<PlannedRun>& runs,
                                 bool retry);

// A run's configuration as it is queued, and the settings that differ from what a stored run has:
// "training.dropout is 0.1 there and 0.2 here"; keys that a resumption may change do not count.
Json configOf(const PlannedRun& run);
std::vector<std::string> differencesOf(const Json& stored, const Json& wanted);

}  // namespace strata
