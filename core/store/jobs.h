#pragma once
#include <cstdint>
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

// One order to train. A run has one for each time that it goes through the queue.
struct Job {
  std::int64_t id = 0;
  std::int64_t run = 0;
  double position = 0;  // the queue's order, ascending
  JobState state = JobState::kQueued;
  std::string name = {};  // of the run
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

// Makes a run (createRun) and queues it. The run's folder is there at once.
Job enqueueRun(Workspace& workspace, const NewRun& run, const std::string& device = "");
// Queues a run again, to continue from its last good checkpoint (from the start where it has none).
// `config`: its configuration with changed resumable keys; empty: as it is. A paused order that was
// never started goes back to the queue. A run that is running or queued is an error.
Job enqueueResume(Workspace& workspace, std::int64_t run, const std::optional<Json>& config = {},
                  const std::string& device = "");

Job jobById(Workspace& workspace, std::int64_t id);
// In the queue's order. `all`: those that ended, too.
std::vector<Job> listJobs(Workspace& workspace, bool all = false);
// Puts a queued job in front of another; before = 0: at the end.
void moveJob(Workspace& workspace, std::int64_t job, std::int64_t before);

// The first queued job that this worker may take ("": a job without a device), now claimed by this
// process. No two processes get the same one.
std::optional<Job> claimJob(Workspace& workspace, const std::string& device = "");
// A claimed job whose process never came to report itself.
void markJobEnded(Workspace& workspace, std::int64_t job, JobState state,
                  const std::string& message);

enum class Command { kStop, kPause, kCheckpoint };
std::string_view nameOf(Command command);  // "stop", "pause", "checkpoint"

struct CommandState {
  std::int64_t id = 0;
  std::int64_t run = 0;
  Command command = Command::kStop;
  double created = 0;
  double acknowledged = 0;  // 0: the process has not yet
  std::string outcome;      // what it said: "saved at step 1200"
};

// Asks a run's process to stop (save and end), pause (the same, but to be continued) or write a
// checkpoint. A run that waits in the queue is stopped or paused at once. A run that does neither
// is an error. Returns the id to wait for.
std::int64_t sendCommand(Workspace& workspace, std::int64_t run, Command command);
CommandState commandState(Workspace& workspace, std::int64_t id);

}  // namespace strata
