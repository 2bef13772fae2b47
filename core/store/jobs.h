#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/store/runs.h"
#include "core/store/workspace.h"

namespace strata {

enum class JobState {
  kQueued,
  kClaimed,
  kRunning,
  kPaused,
  kStopped,
  kFinished,
  kFailed,
  kInterrupted
};
std::string_view nameOf(JobState state);  // "queued", "claimed", ...
JobState jobStateFrom(std::string_view name);
bool isJobState(std::string_view name);

// One order to train. A run has one for each time that it is queued.
struct Job {
  std::int64_t id = 0;
  std::int64_t run = 0;
  double position = 0;  // the queue's order, ascending
  JobState state = JobState::kQueued;
  std::string name = {};  // the run's name
  std::string dataset = {};
  Json config = {};         // effective
  bool resume = false;      // continue from the run's last good checkpoint
  std::string device = {};  // "": any worker
  std::string host = {};    // of the worker that claimed it
  std::int64_t pid = 0;
  std::string process = {};
  std::string message = {};
  double created = 0, claimed = 0, ended = 0;  // seconds since the Unix epoch; 0: not yet

  bool isActive() const { return state <= JobState::kRunning; }
};

// Creates a run (createRun) and queues it. The run's folder exists immediately.
Job enqueueRun(Workspace& workspace, const NewRun& run, const std::string& device = "");
// Queues a run again, to continue from its last good checkpoint (from the start if it has none).
// `config`: its configuration with changed resumable keys; empty: unchanged. A paused order that
// was never started goes back to the queue. A run that is running or queued is an error.
Job enqueueResume(Workspace& workspace, std::int64_t run, const std::optional<Json>& config = {},
                  const std::string& device = "");

// Queues a run to go on until it has made `updates` updates, whatever has ended it
// (core/run/more_updates.h). A usage error if it has made as many already.
Job enqueueUpdates(Workspace& workspace, std::int64_t run, std::int64_t updates,
                   const std::string& device = "");

Job jobById(Workspace& workspace, std::int64_t id);
// Writes a job's current state to its run's log and to the index.
void appendJob(Workspace& workspace, const Job& job);
// In the queue's order. `all`: includes those that have ended.
std::vector<Job> listJobs(Workspace& workspace, bool all = false);

// Puts a queued run before all that wait in the queue. An Error if it is not queued.
void queueFirst(Workspace& workspace, std::int64_t run);

// Puts a queued run directly before another one of the queue; 0: behind all. An Error if one of
// them is not queued.
void queueBefore(Workspace& workspace, std::int64_t run, std::int64_t before);
// Moves a queued run by so many places, -1: one earlier; at an end of the queue it stays.
void queueBy(Workspace& workspace, std::int64_t run, std::int64_t places);

// Claims the first queued job that this worker may take (of a job without a device, or its own; "":
// any) for this process. No two processes get the same job.
std::optional<Job> claimJob(Workspace& workspace, const std::string& device = "");
// The same for the first one that is accepted.
std::optional<Job> claimJob(Workspace& workspace, const std::function<bool(const Job&)>& accepts);
// A claimed job whose process died before reporting.
void markJobEnded(Workspace& workspace, std::int64_t job, JobState state,
                  const std::string& message);

enum class Command { kStop, kPause, kCheckpoint };
std::string_view nameOf(Command command);  // "stop", "pause", "checkpoint"
Command commandFrom(std::string_view name);

struct CommandState {
  std::int64_t id = 0;
  std::int64_t run = 0;
  Command command = Command::kStop;
  double created = 0;
  double acknowledged = 0;  // 0: not yet
  std::string outcome;      // its reply: "saved at step 1200"
};

// Asks a run's process to stop (save and end), pause (the same, to be continued later) or write a
// checkpoint. A queued run is stopped or paused at once. Any other run is an error. Returns the id
// to wait for.
std::int64_t sendCommand(Workspace& workspace, std::int64_t run, Command command);
CommandState commandState(Workspace& workspace, std::int64_t id);

}  // namespace strata
