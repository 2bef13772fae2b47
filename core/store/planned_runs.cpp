#include "app/paper_queue.h"

#include <set>

#include "app/paper_outputs.h"
#include "core/base/error.h"
#include "core/run/config.h"
#include "core/store/jobs.h"
#include "models/presets.h"

namespace strata {
namespace {

bool canGoOn(RunStatus status, bool retry) {
  switch (status) {
    case RunStatus::kCreated:
    case RunStatus::kInterrupted:
      return true;
    case RunStatus::kFailed:
    case RunStatus::kStopped:
    case RunStatus::kPaused:
      return retry;
    default:
      return false;
  }
}

std::string queueOne(Workspace& workspace, const PlannedRun& run, const RunSummary* found,
                     bool retry) {
  const Json config = configOf(run);
  if (found == nullptr) {
    enqueueRun(workspace, {.name = run.name, .config = config, .preset = run.preset});
    return "queued";
  }
  const auto differences = differencesOf(runConfig(*found), config);
  if (!differences.empty()) {
    throw usageError(
        "the run '{}' is there with other settings: {}; name these with --label, or trash that run",
        run.name, fmt::join(differences, "; "));
  }
  if (!canGoOn(found->status, retry))
    return std::string(nameOf(found->status)) +
           (found->status == RunStatus::kQueued ? " already" : "");
  enqueueResume(workspace, found->id);
  return "resumed";
}

}  // namespace

Json configOf(const PlannedRun& run) {
  return resolveConfig({.preset = run.preset, .overrides = run.overrides}, builtInSources());
}

std::vector<std::string> differencesOf(const Json& stored, const Json& wanted) {
  std::vector<std::string> differences;
  const ConfigSchema schema = schemaFor(wanted, builtInSources());
  for (const ConfigKey& key : schema.keys()) {
    if (key.resumable) continue;
    const Json& ours = configAt(wanted, key.path);
    Json theirs;
    try {
      theirs = configAt(stored, key.path);
    } catch (const Error&) {
    }
    if (theirs != ours)
      differences.push_back(
          fmt::format("{} is {} there and {} here", key.path, theirs.dump(), ours.dump()));
  }
  return differences;
}

std::vector<QueuedRun> queueRuns(Workspace& workspace, const std::vector<PlannedRun>& runs,
                                 bool retry) {
  refreshWorkspace(workspace);
  const RunsByName known(workspace);
  std::vector<QueuedRun> queued;
  std::set<std::string> seen;
  // Everything is looked at before anything is queued, so that a mistake queues nothing.
  for (const PlannedRun& run : runs) {
    if (known.find(run.name) == nullptr) configOf(run);
  }
  for (const PlannedRun& run : runs) {
    if (!seen.insert(run.name).second) continue;
    queued.push_back({run, queueOne(workspace, run, known.find(run.name), retry)});
  }
  return queued;
}

}  // namespace strata
