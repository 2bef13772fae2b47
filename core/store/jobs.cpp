#include "core/store/jobs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "core/run/more_updates.h"
#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/imported.h"
#include "core/store/index.h"
#include "core/store/kept_config.h"
#include "core/store/process_id.h"
#include "core/store/reaper.h"
#include "core/store/run_session.h"
#include "core/store/workspace_checks.h"

namespace strata {
namespace {

constexpr std::array<std::string_view, 8> kStateNames{
    "queued", "claimed", "running", "paused", "stopped", "finished", "failed", "interrupted"};
constexpr std::array<std::string_view, 3> kCommandNames{"stop", "pause", "checkpoint"};

#define STRATA_JOB_COLUMNS                                                                      \
  "SELECT j.id, j.run, j.position, j.state, r.name, r.dataset, j.config, j.resume, j.device, "  \
  "j.host, j.pid, j.process, j.message, j.created, j.claimed, j.ended FROM jobs j JOIN runs r " \
  "ON r.id = j.run "
constexpr std::string_view kSelectOneJob = STRATA_JOB_COLUMNS "WHERE j.id = ?";
constexpr std::string_view kSelectAllJobs = STRATA_JOB_COLUMNS "ORDER BY j.position, j.id";
constexpr std::string_view kSelectActive = STRATA_JOB_COLUMNS
    "WHERE j.state IN ('queued', 'claimed', 'running') ORDER BY j.position, j.id";
constexpr std::string_view kSelectWaiting = STRATA_JOB_COLUMNS
    "WHERE j.state = 'queued' AND r.folder LIKE 'runs/%' ORDER BY j.position, j.id";
constexpr std::string_view kSelectNewest =
    STRATA_JOB_COLUMNS "WHERE j.run = ? ORDER BY j.id DESC LIMIT 1";
#undef STRATA_JOB_COLUMNS

// An index may be damaged: one row of it does not keep the others from being listed.
Job jobOf(Query& row) {
  const std::string state = row.text(3);
  const auto config = tryParseJson(row.text(6));
  const bool known = isJobState(state) && config;
  return {.id = row.integer(0),
          .run = row.integer(1),
          .position = row.number(2),
          .state = known ? jobStateFrom(state) : JobState::kFailed,
          .name = row.text(4),
          .dataset = row.text(5),
          .config = config.value_or(nullptr),
          .resume = row.integer(7) != 0,
          .device = row.text(8),
          .host = row.text(9),
          .pid = row.integer(10),
          .process = row.text(11),
          .message = known ? row.text(12) : fmt::format("the index is damaged: {}", kRepair),
          .created = row.number(13),
          .claimed = row.number(14),
          .ended = row.number(15)};
}

template <typename E, std::size_t N>
E valueNamed(const std::array<std::string_view, N>& names, std::string_view name,
             std::string_view what) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw Error("unknown {}: '{}'", what, name);
  return static_cast<E>(found - names.begin());
}

// As lists show it: a job is interrupted if its run's process has died and this is not recorded
// yet.
Job shown(Workspace& workspace, Job job) {
  if (job.state != JobState::kRunning || isTrained(workspace, job.run)) return job;
  job.state = JobState::kInterrupted;
  job.message = interruptionOf(workspace, job.run);
  return job;
}

// According to its run's log.
Job storedJob(Workspace& workspace, std::int64_t id) {
  Query row(workspace.database(), kSelectOneJob, id);
  if (!row.next()) throw usageError("there is no job {} in {}", id, workspace.root().string());
  return jobOf(row);
}

std::optional<Job> newestJob(Workspace& workspace, std::int64_t run) {
  Query row(workspace.database(), kSelectNewest, run);
  if (!row.next()) return {};
  return shown(workspace, jobOf(row));
}

Job addJob(Workspace& workspace, const RunSummary& run, Json config, bool resume,
           const std::string& device) {
  Database& database = workspace.database();
  // One at a time: together they would read every job with its configuration.
  Query next(database,
             "SELECT (SELECT COALESCE(MAX(id), 0) FROM jobs) + 1, (SELECT COALESCE(MAX(position), "
             "0) FROM jobs) + 1");
  next.next();
  Job job{.id = next.integer(0),
          .run = run.id,
          .position = next.number(1),
          .name = run.name,
          .dataset = run.dataset,
          .config = std::move(config),
          .resume = resume,
          .device = device,
          .created = nowSeconds()};
  appendJob(workspace, job);
  return job;
}

void endJob(Workspace& workspace, Job job, JobState state, const std::string& message) {
  job.state = state;
  job.message = message;
  job.ended = nowSeconds();
  appendJob(workspace, job);
}

// In the queue's order.
std::vector<Job> waitingJobs(Workspace& workspace) {
  std::vector<Job> jobs;
  Query row(workspace.database(), kSelectWaiting);
  while (row.next()) jobs.push_back(jobOf(row));
  return jobs;
}

std::size_t placeOf(Workspace& workspace, const std::vector<Job>& jobs, std::int64_t run) {
  const auto found = std::ranges::find(jobs, run, &Job::run);
  if (found == jobs.end())
    throw Error("the run '{}' is not in the queue", runById(workspace, run).name);
  return static_cast<std::size_t>(found - jobs.begin());
}

Job takeJob(Workspace& workspace, std::vector<Job>& jobs, std::int64_t run) {
  const auto place = jobs.begin() + static_cast<std::ptrdiff_t>(placeOf(workspace, jobs, run));
  Job job = std::move(*place);
  jobs.erase(place);
  return job;
}

// Puts a job at a place among the others, with a position between its neighbours'. Where there is
// no number left between them, all get new ones.
void placeJob(Workspace& workspace, std::vector<Job>& others, Job job, std::size_t place) {
  const bool last = place == others.size();
  const double above =
      place == 0 ? (last ? 1 : others.front().position - 2) : others[place - 1].position;
  const double below = last ? above + 2 : others[place].position;
  const double old = job.position;
  if (above < old && old < below) return;  // it is there
  job.position = above + (below - above) / 2;
  const bool fits = above < job.position && job.position < below;
  if (fits) return appendJob(workspace, job);
  others.insert(others.begin() + static_cast<std::ptrdiff_t>(place), std::move(job));
  double next = std::floor(others.front().position);
  for (Job& each : others) {
    each.position = next++;
    appendJob(workspace, each);
  }
}

std::int64_t addCommand(Database& database, std::int64_t run, Command command) {
  Query same(database, "SELECT id FROM commands WHERE run = ? AND command = ? AND acknowledged = 0",
             run, nameOf(command));
  if (same.next()) return same.integer(0);
  change(database, "INSERT INTO commands (run, command, created) VALUES (?, ?, ?)", run,
         nameOf(command), nowSeconds());
  return lastInsertId(database);
}

}  // namespace

std::string_view nameOf(JobState state) {
  return kStateNames[static_cast<std::size_t>(state)];
}

bool isJobState(std::string_view name) {
  return std::ranges::find(kStateNames, name) != kStateNames.end();
}

JobState jobStateFrom(std::string_view name) {
  return valueNamed<JobState>(kStateNames, name, "state of a job");
}

std::string_view nameOf(Command command) {
  return kCommandNames[static_cast<std::size_t>(command)];
}

Command commandFrom(std::string_view name) {
  return valueNamed<Command>(kCommandNames, name, "command");
}

void appendJob(Workspace& workspace, const Job& job) {
  Json event{{"type", "job"},
             {"time", job.created},
             {"job", job.id},
             {"position", job.position},
             {"state", nameOf(job.state)},
             {"resume", job.resume},
             {"device", job.device},
             {"host", job.host},
             {"pid", job.pid},
             {"process", job.process},
             {"message", job.message},
             {"claimed", job.claimed},
             {"ended", job.ended}};
  // The configuration does not change: only the job's first record contains it.
  Query known(workspace.database(), "SELECT 1 FROM jobs WHERE id = ?", job.id);
  if (!known.next()) event["config"] = job.config;
  appendToRun(workspace, job.run, event);
}

Job enqueueRun(Workspace& workspace, const NewRun& run, const std::string& device) {
  const RunSummary made = createRun(workspace, run);
  return workspace.database().write(
      [&] { return addJob(workspace, made, run.config, /*resume=*/false, device); });
}

Job enqueueResume(Workspace& workspace, std::int64_t id, const std::optional<Json>& config,
                  const std::string& device) {
  return workspace.database().write([&] {
    const RunSummary run = runById(workspace, id);
    if (run.trashed) throw usageError("the run '{}' is in the trash: restore it first", run.name);
    requireModel(run);
    if (run.status == RunStatus::kRunning || run.status == RunStatus::kQueued)
      throw Error("the run '{}' is {} already", run.name, nameOf(run.status));
    // Nobody may start training it while its configuration changes.
    const RunLock lock = takeRun(workspace, id);
    auto last = newestJob(workspace, id);
    const bool neverStarted = runStarts(workspace, id).empty();
    if (last && last->state == JobState::kPaused && neverStarted && !config) {
      last->state = JobState::kQueued;
      last->message.clear();
      last->ended = 0;
      appendJob(workspace, *last);
      return *last;
    }
    checkConfig(workspace, run);
    if (config) replaceConfig(workspace, id, *config);
    return addJob(workspace, run, config ? *config : runConfig(run), !neverStarted, device);
  });
}

Job enqueueUpdates(Workspace& workspace, std::int64_t id, std::int64_t updates,
                   const std::string& device) {
  const RunSummary run = runById(workspace, id);
  requireModel(run);
  if (updates <= run.step)
    throw usageError("the run '{}' has made {} updates: give more than that, not {}", run.name,
                     run.step, updates);
  return enqueueResume(workspace, id, withUpdates(runConfig(run), updates), device);
}

Job jobById(Workspace& workspace, std::int64_t id) {
  return shown(workspace, storedJob(workspace, id));
}

std::vector<Job> listJobs(Workspace& workspace, bool all) {
  std::vector<Job> jobs;
  Query row(workspace.database(), all ? kSelectAllJobs : kSelectActive);
  while (row.next()) {
    Job job = shown(workspace, jobOf(row));
    if (all || job.isActive()) jobs.push_back(std::move(job));
  }
  return jobs;
}

void queueFirst(Workspace& workspace, std::int64_t id) {
  workspace.database().write([&] {
    std::vector<Job> others = waitingJobs(workspace);
    placeJob(workspace, others, takeJob(workspace, others, id), 0);
  });
}

void queueBefore(Workspace& workspace, std::int64_t id, std::int64_t before) {
  if (id == before) return;
  workspace.database().write([&] {
    std::vector<Job> others = waitingJobs(workspace);
    const Job job = takeJob(workspace, others, id);
    const std::size_t place = before == 0 ? others.size() : placeOf(workspace, others, before);
    placeJob(workspace, others, job, place);
  });
}

void queueBy(Workspace& workspace, std::int64_t id, std::int64_t places) {
  workspace.database().write([&] {
    std::vector<Job> others = waitingJobs(workspace);
    const auto now = static_cast<std::int64_t>(placeOf(workspace, others, id));
    const Job job = takeJob(workspace, others, id);
    const auto last = static_cast<std::int64_t>(others.size());
    placeJob(workspace, others, job,
             static_cast<std::size_t>(std::clamp<std::int64_t>(now + places, 0, last)));
  });
}

std::optional<Job> claimJob(Workspace& workspace, const std::string& device) {
  return claimJob(workspace, [&](const Job& job) {
    return device.empty() || job.device.empty() || job.device == device;
  });
}

std::optional<Job> claimJob(Workspace& workspace, const std::function<bool(const Job&)>& accepts) {
  Database& database = workspace.database();
  return database.write([&]() -> std::optional<Job> {
    std::optional<Job> job;
    {
      Query next(database, kSelectWaiting);
      while (!job && next.next()) {
        if (Job candidate = jobOf(next); accepts(candidate)) job = std::move(candidate);
      }
    }
    if (!job) return {};
    const ProcessId self = thisProcess();
    job->state = JobState::kClaimed;
    job->host = self.host;
    job->pid = self.pid;
    job->process = self.process;
    job->message.clear();
    job->claimed = nowSeconds();
    appendJob(workspace, *job);
    return job;
  });
}

void markJobEnded(Workspace& workspace, std::int64_t id, JobState state,
                  const std::string& message) {
  workspace.database().write([&] {
    const std::int64_t run = storedJob(workspace, id).run;
    indexRun(workspace, {run, folderOfRun(workspace, run)});
    Job job = storedJob(workspace, id);
    if (!job.isActive()) return;
    const bool started = job.state == JobState::kRunning;
    if (!started) return endJob(workspace, std::move(job), state, message);
    const fs::path folder = workspace.root() / folderOfRun(workspace, run);
    if (holderOf(folder)) return;  // another process has taken the run and will report its end
    const RunLock lock(folder);
    appendToRun(workspace, run,
                {{"type", "ended"},
                 {"time", nowSeconds()},
                 {"outcome", nameOf(state)},
                 {"step", runById(workspace, run).step},
                 {"message", message}});
    forgetProcess(workspace, run, message);
  });
}

std::int64_t sendCommand(Workspace& workspace, std::int64_t run, Command command) {
  Database& database = workspace.database();
  return database.write([&] {
    const RunSummary summary = runById(workspace, run);
    const auto job = newestJob(workspace, run);
    const bool claimed = job && job->state == JobState::kClaimed;
    if (summary.status == RunStatus::kRunning || claimed) return addCommand(database, run, command);
    if (summary.status != RunStatus::kQueued || !job || command == Command::kCheckpoint) {
      throw Error("the run '{}' is not running (it is {}): there is nothing to {}", summary.name,
                  nameOf(summary.status), nameOf(command));
    }
    const bool stops = command == Command::kStop;
    const std::int64_t id = addCommand(database, run, command);
    const std::string outcome = stops ? "taken out of the queue" : "waits in the queue";
    endJob(workspace, *job, stops ? JobState::kStopped : JobState::kPaused, outcome);
    answerCommands(workspace, run, outcome);
    return id;
  });
}

CommandState commandState(Workspace& workspace, std::int64_t id) {
  Query row(workspace.database(),
            "SELECT run, command, created, acknowledged, outcome FROM commands WHERE id = ?", id);
  if (!row.next()) throw Error("there is no command {}", id);
  return {id, row.integer(0), commandFrom(row.text(1)), row.number(2), row.number(3), row.text(4)};
}

}  // namespace strata
