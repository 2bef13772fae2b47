// strata-run runs wait: returns when runs have ended, and says by its status how.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <limits>
#include <memory>
#include <set>

#include "app/commands/duration.h"
#include "app/commands/listing.h"
#include "app/commands/run_json.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/store/alerts.h"
#include "core/store/run_activity.h"
#include "core/store/run_pattern.h"
#include "core/store/waiting.h"
#include "core/store/worker_place.h"

namespace strata {
namespace {

constexpr int kNotFinished = 3;
constexpr int kTimedOut = 124;  // as timeout(1)
constexpr int kPatience = 3;    // looks at a run before somebody is missed who trains it
constexpr int kLooksToAlerts = 20;

struct WaitRequest {
  std::vector<std::string> runs;
  std::string filter, timeout;
  bool any = false;
};

volatile std::sig_atomic_t received = 0;  // the signal that ends the waiting
void endWaiting(int signal) {
  received = signal;
}

// "failed (diverged)", "finished", ...
std::string stateOf(const RunSummary& run) {
  return fmt::format("{}{}", nameOf(run.status), run.diverged ? " (diverged)" : "");
}

// Alerts of a training's course, not of how it ended.
bool isOfCourse(AlertKind kind) {
  return kind != AlertKind::kDiverged && kind != AlertKind::kFailed &&
         kind != AlertKind::kProcessDied && kind != AlertKind::kFolderMissing;
}

// Tells what the runs do while they are waited for.
class Watch {
 public:
  Watch(Workspace& workspace, bool silent) : workspace_(workspace), silent_(silent) {}

  void look(const std::vector<RunSummary>& runs) {
    if (received != 0) stop_.request_stop();
    for (const RunSummary& run : runs) {
      if (ended_.contains(run.id)) continue;
      const bool ends = hasEnded(run.status);
      if (ends) {
        ended_.insert(run.id);
        sayEnd(run);
      }
      // Other runs about every ten seconds.
      const bool due = run.status == RunStatus::kRunning && looks_ % kLooksToAlerts == 0;
      if (ends || due) sayAlerts(run);
    }
    if (++looks_ >= kPatience) sayWhoIsMissing(runs);
    if (std::ssize(runs) > std::ssize(ended_)) draw(runs);
  }

  void close() {
    if (std::exchange(drawing_, false)) progress_.end();
  }

  std::stop_token stop() const { return stop_.get_token(); }

 private:
  void sayEnd(const RunSummary& run) {
    if (silent_) return;
    close();
    std::string text = fmt::format("{}: {} at step {}", run.name, stateOf(run), run.step);
    if (run.bestStep >= 0)
      text += fmt::format(", {} best {:.5g} at step {}", run.metric, run.best, run.bestStep);
    if (run.status != RunStatus::kFinished && !run.message.empty()) text += ": " + run.message;
    fmt::print("{}\n", text);
    std::fflush(stdout);
  }

  // Each kind once; how a run ended has been said.
  void sayAlerts(const RunSummary& run) {
    for (const Alert& alert : alertsOf(workspace_, run)) {
      if (!isOfCourse(alert.kind) || !alerts_.insert({run.id, alert.kind}).second) continue;
      close();
      spdlog::warn("{}, step {}: {}: {}", run.name, alert.step, nameOf(alert.kind), alert.text);
    }
  }

  // Once: nothing is wrong with waiting for somebody who comes later.
  void sayWhoIsMissing(const std::vector<RunSummary>& runs) {
    if (said_) return;
    const auto first = [&](RunStatus status) {
      return std::ranges::find(runs, status, &RunSummary::status);
    };
    if (const auto queued = first(RunStatus::kQueued);
        queued != runs.end() && !hasWorker(workspace_))
      miss(*queued, "is queued, but nobody trains what is queued: `strata-run work` does");
    else if (const auto created = first(RunStatus::kCreated); created != runs.end())
      miss(*created, "has been created, but is neither trained nor queued so far");
  }

  void miss(const RunSummary& run, std::string_view what) {
    close();
    spdlog::warn("the run '{}' {}", run.name, what);
    said_ = true;
  }

  // A bar over the updates that the runs have to make, if all say how many.
  void draw(const std::vector<RunSummary>& runs) {
    std::int64_t steps = 0;
    for (const RunSummary& run : runs) steps += run.step;
    if (!drawing_ || total_ == 0) {
      const std::int64_t total = updatesOf(runs);
      if (!drawing_ || total > 0) {
        total_ = total;
        begun_ = steps;
        progress_.begin("Training", total_, "updates");
      }
      drawing_ = true;
    }
    progress_.advance(std::max<std::int64_t>(0, steps - begun_));
  }

  // 0: unknown.
  std::int64_t updatesOf(const std::vector<RunSummary>& runs) {
    std::int64_t total = 0;
    for (const RunSummary& run : runs) {
      if (hasEnded(run.status)) continue;
      const auto left = updatesLeft(workspace_, run);
      if (!left) return 0;
      total += *left;
    }
    return total;
  }

  Workspace& workspace_;
  const bool silent_;  // about runs that end: --json
  Progress& progress_ = terminalProgress();
  std::stop_source stop_;
  std::set<std::int64_t> ended_;
  std::set<std::pair<std::int64_t, AlertKind>> alerts_;  // that were said
  std::int64_t total_ = 0, begun_ = 0;                   // updates
  int looks_ = 0;
  bool drawing_ = false, said_ = false;
};

std::vector<std::int64_t> chosenRuns(Workspace& workspace, const WaitRequest& request) {
  std::vector<std::int64_t> chosen;
  const auto add = [&](std::int64_t run) {
    if (std::ranges::find(chosen, run) == chosen.end()) chosen.push_back(run);
  };
  for (const std::string& run : request.runs) add(findRun(workspace, run).id);
  if (request.filter.empty() && !chosen.empty()) return chosen;
  if (request.filter.empty()) throw usageError("which runs? Name some, or choose by --filter");
  const RunPattern pattern(request.filter);
  for (const RunSummary& run : listRuns(workspace)) {
    if (pattern.matches(run)) add(run.id);
  }
  if (chosen.empty()) throw usageError("no run matches --filter {}", request.filter);
  return chosen;
}

void printRuns(Workspace& workspace, const std::vector<RunSummary>& runs, bool ended) {
  const Json list = jsonList(runs, [&](const RunSummary& run) {
    Json json = toJson(run);
    json["alerts"] =
        jsonList(alertsOf(workspace, run), [](const Alert& alert) { return toJson(alert); });
    json["ended"] = hasEnded(run.status);
    json["diverged"] = run.diverged;
    return json;
  });
  printJson({{"timed_out", !ended}, {"runs", list}});
}

// The status that the program ends with; 0: all that ended have finished.
int statusOf(const std::vector<RunSummary>& runs, const WaitRequest& request) {
  std::vector<std::string> open;
  bool finished = true;
  for (const RunSummary& run : runs) {
    if (!hasEnded(run.status))
      open.push_back(fmt::format("{} is {} at step {}", run.name, nameOf(run.status), run.step));
    else if (run.status != RunStatus::kFinished)
      finished = false;
  }
  const bool enough = open.empty() || (request.any && std::ssize(open) < std::ssize(runs));
  if (enough) return finished ? 0 : kNotFinished;
  spdlog::warn("{} of {} runs have not ended after {}: {}", open.size(), runs.size(),
               request.timeout, fmt::join(open, ", "));
  return kTimedOut;
}

void wait(const GlobalOptions& global, const WaitRequest& request) {
  const double seconds = request.timeout.empty() ? std::numeric_limits<double>::infinity()
                                                 : secondsFrom("--timeout", request.timeout);
  Workspace workspace = openFresh(global);
  const auto chosen = chosenRuns(workspace, request);
  std::signal(SIGINT, endWaiting);
  std::signal(SIGTERM, endWaiting);
  Watch watch(workspace, global.json);
  std::vector<RunSummary> runs;
  try {
    runs = awaitRunEnds(workspace, chosen,
                        {.seconds = seconds,
                         .any = request.any,
                         .stop = watch.stop(),
                         .look = [&](const auto& now) { watch.look(now); }});
  } catch (const Cancelled&) {
    watch.close();
    spdlog::info("stopped waiting; the runs go on");
    throw CLI::RuntimeError(128 + received);
  }
  watch.close();
  const int status = statusOf(runs, request);
  if (global.json) printRuns(workspace, runs, status != kTimedOut);
  if (status != 0) throw CLI::RuntimeError(status);
}

}  // namespace

void addWaitCommand(CLI::App& runs, const GlobalOptions& global) {
  auto request = std::make_shared<WaitRequest>();
  auto* verb = runs.add_subcommand("wait", "Wait until runs have ended, queued ones included");
  verb->add_option("RUN", request->runs, "Numbers or names of runs");
  verb->add_option("--filter", request->filter,
                   "Also runs with this regular expression in the name, preset or dataset");
  verb->add_option("--timeout", request->timeout, "At most this long: 90s, 30m, 8h, 2d");
  verb->add_flag("--any", request->any, "Only until one of them has ended");
  verb->footer(
      "A run has ended when it is finished, failed, stopped or paused, or when its process has "
      "died. Ctrl+C ends the waiting only. Alerts (`runs alerts`) are warned of.\n"
      "Exit status: 0 if the runs that ended have finished, 3 if one failed, diverged, was "
      "stopped, paused or interrupted, 124 after the time-out, 128 + its number after a signal.\n"
      "Examples:\n"
      "  strata-run runs wait base mlrf && strata-run runs diff base mlrf\n"
      "  strata-run runs wait --filter tuning --timeout 8h\n"
      "  strata-run runs wait base mlrf --any --json");
  verb->callback([&global, request] { wait(global, *request); });
}

}  // namespace strata
