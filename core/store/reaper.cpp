#include "core/store/reaper.h"
#include "core/store/removals.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/files.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/jobs.h"
#include "core/store/process_id.h"
#include "core/store/run_session.h"

namespace strata {
namespace {

struct Process {
  ProcessId id;
  double heartbeat = 0;
};

// The process that claims to train the run: by its registration, else by the run's last start.
std::optional<Process> lastProcess(Database& database, std::int64_t run) {
  Query row(database,
            "SELECT host, pid, process, heartbeat FROM processes WHERE run = ?1 "
            "UNION ALL SELECT * FROM (SELECT host, pid, process, last_seen FROM starts WHERE run = "
            "?1 ORDER BY number DESC LIMIT 1) LIMIT 1",
            run);
  if (!row.next()) return {};
  return Process{{row.text(0), row.integer(1), row.text(2)}, row.number(3)};
}

// Whether the run's log has a start without an end.
bool isOpenEnded(Database& database, std::int64_t run) {
  return Query(database, "SELECT 1 FROM runs WHERE id = ? AND status = 'running'", run).next();
}

// The caller holds the run's lock.
void endInterrupted(Workspace& workspace, std::int64_t run) {
  const auto process = lastProcess(workspace.database(), run);
  const std::string message = interruptionOf(workspace, run);
  appendToRun(workspace, run,
              {{"type", "ended"},
               {"time", process ? std::max(process->heartbeat, 0.0) : nowSeconds()},
               {"outcome", "interrupted"},
               {"step", runById(workspace, run).step},
               {"message", message}});
  forgetProcess(workspace, run, message);
}

// Runs without an end whose registered process has died.
std::vector<std::int64_t> abandonedRuns(Workspace& workspace) {
  std::vector<std::int64_t> runs;
  Query row(workspace.database(),
            "SELECT r.id FROM runs r JOIN processes p ON p.run = r.id WHERE r.status = 'running' "
            "ORDER BY r.id");
  while (row.next()) {
    if (!isTrained(workspace, row.integer(0))) runs.push_back(row.integer(0));
  }
  return runs;
}

bool isClaimAlive(Workspace& workspace, const Job& job) {
  if (holderOf(runById(workspace, job.run).folder)) return true;
  double heartbeat = job.claimed;
  Query beat(workspace.database(), "SELECT heartbeat FROM processes WHERE run = ?", job.run);
  if (beat.next()) heartbeat = beat.number(0);
  return isAlive({job.host, job.pid, job.process}, heartbeat);
}

bool requeue(Workspace& workspace, const Job& job) {
  return workspace.database().write([&] {
    Job now = jobById(workspace, job.id);
    if (now.state != JobState::kClaimed || now.process != job.process) return false;
    now.state = JobState::kQueued;
    now.message = fmt::format("the worker {} on {} is gone; queued again", job.pid, job.host);
    now.host.clear();
    now.process.clear();
    now.pid = 0;
    now.claimed = 0;
    appendJob(workspace, now);
    return true;
  });
}

}  // namespace

bool isTrained(Workspace& workspace, std::int64_t run) {
  const fs::path folder = workspace.root() / folderOfRun(workspace, run);
  if (holderOf(folder)) return true;
  const auto process = lastProcess(workspace.database(), run);
  if (!process || (hasRunLock(folder) && sharesKernel(process->id))) return false;
  return isAlive(process->id, process->heartbeat);
}

std::string interruptionOf(Workspace& workspace, std::int64_t run) {
  const auto process = lastProcess(workspace.database(), run);
  const std::string who =
      process ? fmt::format("the process {} on {} is gone", process->id.pid, process->id.host)
              : "its process is gone";
  return who + "; resume the run to continue";
}

RunLock takeRun(Workspace& workspace, std::int64_t run) {
  Database& database = workspace.database();
  return database.write([&] {
    const RunSummary summary = runById(workspace, run);
    if (summary.trashed)
      throw usageError("the run '{}' is in the trash: restore it first", summary.name);
    if (summary.status == RunStatus::kRunning && !holderOf(summary.folder))
      throw Error("the run '{}' is trained elsewhere: stop that process first", summary.name);
    RunLock lock(summary.folder);
    for (const char* part :
         {"checkpoints", "recordings"}) {  // that a killed process began to remove
      for (const fs::path& removal : unfinishedRemovals(summary.folder / part)) endRemoval(removal);
    }
    // The previous process may have written events that the index has not read.
    indexRun(workspace, {run, folderOfRun(workspace, run)});
    if (isOpenEnded(database, run)) endInterrupted(workspace, run);
    return lock;
  });
}

void registerProcess(Workspace& workspace, std::int64_t run, const ProcessId& process,
                     double heartbeat) {
  change(workspace.database(),
         "INSERT OR REPLACE INTO processes (run, host, pid, process, heartbeat) VALUES (?, ?, ?, "
         "?, ?)",
         run, process.host, process.pid, process.process, heartbeat);
}

void forgetProcess(Workspace& workspace, std::int64_t run, const std::string& outcome) {
  change(workspace.database(), "DELETE FROM processes WHERE run = ?", run);
  answerCommands(workspace, run, outcome);
}

void answerCommands(Workspace& workspace, std::int64_t run, const std::string& outcome) {
  change(workspace.database(),
         "UPDATE commands SET acknowledged = ?, outcome = ? WHERE run = ? AND acknowledged = 0",
         nowSeconds(), outcome, run);
}

int noticeDeadProcesses(Workspace& workspace) {
  int changed = 0;
  for (const auto run : abandonedRuns(workspace)) {
    workspace.database().write([&] {
      if (isTrained(workspace, run)) return;
      forgetProcess(workspace, run, interruptionOf(workspace, run));
      ++changed;
    });
  }
  for (const auto& job : listJobs(workspace)) {
    if (job.state != JobState::kClaimed || isClaimAlive(workspace, job)) continue;
    if (requeue(workspace, job)) ++changed;
  }
  return changed;
}

}  // namespace strata
