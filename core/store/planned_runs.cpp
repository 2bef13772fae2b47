#include "core/store/planned_runs.h"

#include <set>

#include "core/base/error.h"
#include "core/base/key_path.h"
#include "core/store/jobs.h"

namespace strata {
namespace {

QueuedRun queueOne(Workspace& workspace, const PlannedRun& run, const Json& config,
                   const RunSummary* found, bool retry) {
  if (found == nullptr) {
    enqueueRun(workspace, {.name = run.name, .config = config, .preset = run.preset});
    return {run, QueueOutcome::kQueued};
  }
  if (!isToQueue(found->status, retry)) return {run, QueueOutcome::kUnchanged, found->status};
  enqueueResume(workspace, found->id);
  return {run, QueueOutcome::kResumed, found->status};
}

}  // namespace

RunsByName::RunsByName(Workspace& workspace) {
  for (const RunSummary& run : listRuns(workspace)) runs_.emplace(run.name, run);
}

const RunSummary* RunsByName::find(const std::string& name) const {
  const auto at = runs_.find(name);
  return at == runs_.end() ? nullptr : &at->second;
}

std::string QueuedRun::text() const {
  if (outcome == QueueOutcome::kQueued) return "queued";
  if (outcome == QueueOutcome::kResumed) return "resumed";
  return std::string(nameOf(status)) + (status == RunStatus::kQueued ? " already" : "");
}

bool isToQueue(const std::optional<RunStatus>& status, bool retry) {
  if (!status || *status == RunStatus::kCreated || *status == RunStatus::kInterrupted) return true;
  return retry && (*status == RunStatus::kFailed || *status == RunStatus::kStopped ||
                   *status == RunStatus::kPaused);
}

Json configOf(const PlannedRun& run, const ConfigSources& sources) {
  return resolveConfig({.preset = run.preset, .overrides = run.overrides}, sources);
}

std::vector<std::string> differencesOf(const Json& stored, const Json& wanted,
                                       const ConfigSources& sources) {
  std::vector<std::string> differences;
  const ConfigSchema schema = schemaFor(wanted, sources);
  for (const ConfigKey& key : schema.keys()) {
    if (key.resumable) continue;
    const Json& ours = configAt(wanted, key.path);
    const Json* found = findAt(stored, key.path);
    const Json theirs = found == nullptr ? Json() : *found;
    if (theirs != ours)
      differences.push_back(
          fmt::format("{} is {} there and {} here", key.path, theirs.dump(), ours.dump()));
  }
  return differences;
}

std::vector<QueuedRun> queueRuns(Workspace& workspace, const std::vector<PlannedRun>& runs,
                                 const ConfigSources& sources, bool retry) {
  refreshWorkspace(workspace);
  const RunsByName known(workspace);
  // Checks everything first, so that nothing is queued if there is a mistake.
  std::map<std::string, Json> configs;
  for (const PlannedRun& run : runs) {
    const auto [config, isNew] = configs.try_emplace(run.name);
    if (!isNew) continue;
    config->second = configOf(run, sources);
    const RunSummary* found = known.find(run.name);
    if (found == nullptr) continue;
    const auto differences = differencesOf(runConfig(*found), config->second, sources);
    if (!differences.empty()) {
      throw usageError(
          "the run '{}' exists with other settings: {}; choose another name with --label, or move "
          "that run to the trash",
          run.name, fmt::join(differences, "; "));
    }
  }
  std::vector<QueuedRun> queued;
  std::set<std::string> seen;
  for (const PlannedRun& run : runs) {
    if (seen.insert(run.name).second)
      queued.push_back(queueOne(workspace, run, configs.at(run.name), known.find(run.name), retry));
  }
  return queued;
}

}  // namespace strata
