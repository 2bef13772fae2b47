#include "core/store/planned_runs.h"

#include <set>

#include "core/base/error.h"
#include "core/base/key_path.h"
#include "core/run/measured_series.h"
#include "core/store/jobs.h"

namespace strata {
namespace {

// A run's configuration with what measures the plan's series; none if it does so already.
std::optional<Json> extended(const RunSummary& run, const PlannedRun& plan) {
  Json config = runConfig(run);
  if (unmeasuredSeries(config, plan.series).empty()) return {};
  measureSeries(config, plan.series);
  return config;
}

QueuedRun queueOne(Workspace& workspace, const PlannedRun& run, const Json& config,
                   const RunSummary* found, bool retry) {
  if (found == nullptr) {
    enqueueRun(workspace, {.name = run.name, .config = config, .preset = run.preset});
    return {run, QueueOutcome::kQueued};
  }
  if (isToQueue(found->status, retry)) {
    enqueueResume(workspace, found->id, extended(*found, run));
    return {run, QueueOutcome::kResumed, found->status};
  }
  if (found->status == RunStatus::kQueued) {
    if (const auto more = extended(*found, run)) {
      // A queued order keeps its configuration: it is taken back and given anew.
      PlannedRun named = run;
      named.series = unmeasuredSeries(runConfig(*found), run.series);
      sendCommand(workspace, found->id, Command::kPause);
      enqueueResume(workspace, found->id, more);
      return {named, QueueOutcome::kExtended, found->status};
    }
  }
  return {run, QueueOutcome::kUnchanged, found->status};
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
  if (outcome == QueueOutcome::kExtended)
    return fmt::format("queued already, now with {}", fmt::join(plan.series, ", "));
  return std::string(nameOf(status)) + (status == RunStatus::kQueued ? " already" : "");
}

bool isToQueue(const std::optional<RunStatus>& status, bool retry) {
  if (!status || *status == RunStatus::kCreated || *status == RunStatus::kInterrupted) return true;
  return retry && (*status == RunStatus::kFailed || *status == RunStatus::kStopped ||
                   *status == RunStatus::kPaused);
}

Json configOf(const PlannedRun& run, const ConfigSources& sources) {
  Json config = resolveConfig({.preset = run.preset, .overrides = run.overrides}, sources);
  measureSeries(config, run.series);
  return config;
}

std::vector<std::string> differencesOf(const Json& stored, const Json& wanted,
                                       const ConfigSources& sources) {
  std::vector<std::string> differences;
  const ConfigSchema schema = schemaFor(wanted, sources);
  for (const ConfigKey& key : schema.keys()) {
    if (key.resumable || key.scoreless) continue;
    const Json *found = valueOf(stored, key), *now = valueOf(wanted, key);
    const Json theirs = found == nullptr ? Json() : *found, ours = now == nullptr ? Json() : *now;
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
