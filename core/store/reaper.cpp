#include "core/store/reaper.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/job_events.h"
#include "core/store/process_id.h"

namespace strata {
namespace {

struct Holder {
  ProcessId id;
  double heartbeat = 0;
};

// The process that said that it trains the run: by its registration, else by the run's last start.
std::optional<Holder> holderOf(Database& database, std::int64_t run) {
  Query row(database,
            "SELECT host, pid, process, heartbeat FROM processes WHERE run = ?1 "
            "UNION ALL SELECT * FROM (SELECT host, pid, process, last_seen FROM starts WHERE run = "
            "?1 ORDER BY number DESC LIMIT 1) LIMIT 1");
  if (!row.with(run).next()) return {};
  return Holder{{row.text(0), row.integer(1), row.text(2)}, row.number(3)};
}

std::vector<std::int64_t> runsWithStatus(Database& database, const char* status) {
  std::vector<std::int64_t> runs;
  Query row(database, "SELECT id FROM runs WHERE status = ? ORDER BY id");
  for (row.with(status); row.next();) runs.push_back(row.integer(0));
  return runs;
}

bool interrupt(Workspace& workspace, std::int64_t run) {
  Database& database = workspace.database();
  return database.write([&] {
    Query status(database, "SELECT step FROM runs WHERE id = ? AND status = 'running'");
    if (!status.with(run).next() || isTrained(workspace, run)) return false;
    const auto holder = holderOf(database, run);
    const std::string who =
        holder ? fmt::format("the process {} on {} is gone", holder->id.pid, holder->id.host)
               : "its process is gone";
    appendToRun(workspace, run,
                {{"type", "ended"},
                 {"time", holder ? std::max(holder->heartbeat, 0.0) : nowSeconds()},
                 {"outcome", "interrupted"},
                 {"step", status.integer(0)},
                 {"message", who + "; resume the run to continue"}});
    Query(database, "DELETE FROM processes WHERE run = ?").with(run).run();
    answerCommands(workspace, run, who);
    return true;
  });
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
  const auto holder = holderOf(workspace.database(), run);
  return holder && isAlive(holder->id, holder->heartbeat);
}

void answerCommands(Workspace& workspace, std::int64_t run, const std::string& outcome) {
  workspace.database().write([&] {
    Query(workspace.database(),
          "UPDATE commands SET acknowledged = ?, outcome = ? WHERE run = ? AND acknowledged = 0")
        .with(nowSeconds(), outcome, run)
        .run();
  });
}

int markDeadRuns(Workspace& workspace) {
  int changed = 0;
  for (const auto run : runsWithStatus(workspace.database(), "running")) {
    if (!isTrained(workspace, run) && interrupt(workspace, run)) ++changed;
  }
  for (const auto& job : listJobs(workspace)) {
    if (job.state != JobState::kClaimed) continue;
    double heartbeat = job.claimed;
    {
      Query beat(workspace.database(), "SELECT heartbeat FROM processes WHERE run = ?");
      if (beat.with(job.run).next()) heartbeat = beat.number(0);
    }
    if (!isAlive({job.host, job.pid, job.process}, heartbeat) && requeue(workspace, job)) ++changed;
  }
  return changed;
}

}  // namespace strata
