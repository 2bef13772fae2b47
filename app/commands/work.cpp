#include <fmt/format.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>
#include <vector>

#include "app/child_process.h"
#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/threads.h"
#include "core/store/jobs.h"
#include "core/store/queue_settings.h"
#include "core/store/runs.h"
#include "core/store/worker_place.h"

namespace strata {
namespace {

constexpr auto kQueuePoll = std::chrono::milliseconds(500);
constexpr auto kChildPoll = std::chrono::milliseconds(50);

struct WorkOptions {
  bool once = false;
  std::string device;
  int jobs = 0;      // at a time; 0: as set for the workspace's queue
  int threads = -1;  // per job; negative: as in its configuration, or a share of the cores
};

volatile std::sig_atomic_t signals = 0;  // number of termination signals received
void onSignal(int) {
  signals = signals + 1;
}

void catchSignals() {
  struct sigaction action {};
  action.sa_handler = onSignal;
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
  ::signal(SIGHUP, SIG_IGN);   // the terminal or window that started it may close
  ::signal(SIGPIPE, SIG_IGN);  // and so may the reader of its output
}

// What was given on the command line, else what is set for the workspace's queue.
QueueSettings settingsOf(const WorkOptions& options, const Workspace& workspace) {
  const bool given = options.jobs > 0 || !options.device.empty();
  QueueSettings settings = given ? QueueSettings{} : queueSettings(workspace);
  if (options.jobs > 0) settings.atOnce = options.jobs;
  if (!options.device.empty()) settings.devices = {options.device};
  return settings;
}

// Starts `strata-run train --job ID` with its output in the run's folder.
ChildProcess startTraining(const GlobalOptions& global, const Job& job, const std::string& device,
                           int threads, const ChildStreams& streams) {
  std::vector<std::string> words{"--workspace", fs::absolute(global.workspace).string(), "train",
                                 "--job", std::to_string(job.id)};
  if (!device.empty()) words.insert(words.end(), {"--device", device});
  if (threads >= 0) words.insert(words.end(), {"--threads", std::to_string(threads)});
  return ChildProcess(words, streams);
}

struct Totals {
  int jobs = 0, failed = 0;
};

// The jobs of one worker: taken from the queue, each run in its own child process.
class Queue {
 public:
  Queue(const GlobalOptions& global, const WorkOptions& options, Workspace& workspace,
        const WorkerPlace& place, Totals& totals)
      : global_(global), options_(options), workspace_(workspace), place_(place), totals_(totals) {}

  // Runs until a termination signal, or with --once until no job is queued or running.
  void drain() {
    auto asked = Clock::now() - kQueuePoll;
    bool idle = false;  // whether nothing was running or waiting at the last poll
    while (signals == 0 || !running_.empty()) {
      forwardSignals();
      const bool hasPlace = reap();  // for the next job, at once
      if (signals == 0 && (hasPlace || Clock::now() - asked >= kQueuePoll)) {
        if (startNext()) continue;
        idle = running_.empty() && devicesOfOthers().empty();
        asked = Clock::now();
      }
      if (idle && options_.once) return;
      std::this_thread::sleep_for(running_.empty() ? kQueuePoll : kChildPoll);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    Job job;
    std::string device;  // given to it; empty: that of its configuration
    WorkerPlace::Slot slot;
    ChildProcess child;
  };

  // Of trainings that a worker before this one began and that have survived it.
  std::vector<std::string> devicesOfOthers() const {
    std::vector<const WorkerPlace::Slot*> own;
    for (const Running& each : running_) own.push_back(&each.slot);
    return place_.devicesOfOthers(own);
  }

  // False: nothing waits that there is a place for.
  bool startNext() {
    const QueueSettings settings = settingsOf(options_, workspace_);
    if (std::ssize(running_) >= settings.places()) return false;
    refreshWorkspace(workspace_);
    std::vector<std::string> busy = devicesOfOthers();
    for (const Running& each : running_) busy.push_back(each.device);
    std::optional<TrainingPlace> place;
    const auto job = claimJob(workspace_, [&](const Job& next) {
      if (!options_.device.empty() && !next.device.empty() && next.device != options_.device)
        return false;
      place = freePlace(settings, busy, next.device);
      return place.has_value();
    });
    if (!job) return false;
    ++totals_.jobs;
    try {
      const fs::path output = runById(workspace_, job->run).folder / "stderr.log";
      spdlog::info("job={} run={} name={} resume={} starts", job->id, job->run, job->name,
                   job->resume);
      WorkerPlace::Slot slot = place_.takeSlot(place->device);
      ChildProcess child = startTraining(global_, *job, place->device, threads(settings),
                                         {.errorFile = output, .kept = slot.descriptor()});
      running_.push_back({*job, place->device, std::move(slot), std::move(child)});
    } catch (const Error& error) {
      markEnded(*job, JobState::kFailed, error.what());
    }
    return true;
  }

  // Of a job; negative: as in its configuration.
  int threads(const QueueSettings& settings) const {
    if (options_.threads >= 0 || settings.places() == 1) return options_.threads;
    return std::max(1, availableCores() / settings.places());
  }

  // Forwards each signal that the worker receives to all children.
  void forwardSignals() {
    for (; forwarded_ < signals; ++forwarded_) {
      for (const Running& each : running_) each.child.signal(SIGTERM);
    }
  }

  // Whether a child has ended.
  bool reap() {
    const auto ended = std::erase_if(running_, [this](Running& each) {
      const auto status = each.child.poll();
      if (!status) return false;
      // A child that got this far has recorded its outcome; the rest are crashes, or errors before
      // the first step.
      const bool crashed = WIFSIGNALED(*status) || WEXITSTATUS(*status) == kTerminated;
      markEnded(each.job, crashed ? JobState::kInterrupted : JobState::kFailed,
                "its process " + ChildProcess::describe(*status, each.child.lastErrorLine()));
      return true;
    });
    return ended > 0;
  }

  void markEnded(const Job& job, JobState state, const std::string& message) {
    markJobEnded(workspace_, job.id, state, message);
    const Job after = jobById(workspace_, job.id);
    spdlog::info("job={} state={}{}", job.id, nameOf(after.state),
                 after.message.empty() ? "" : " message=" + after.message);
    if (after.state == JobState::kFailed) ++totals_.failed;
  }

  const GlobalOptions& global_;
  const WorkOptions& options_;
  Workspace& workspace_;
  const WorkerPlace& place_;
  Totals& totals_;
  std::vector<Running> running_;
  int forwarded_ = 0;  // signals
};

void work(const GlobalOptions& global, const WorkOptions& options) {
  catchSignals();
  Workspace workspace(global.workspace);
  Totals totals;
  bool held = true, again = false;
  do {
    const int before = totals.jobs;
    const WorkerPlace place(workspace, options.device);
    held = place.isHeld();
    if (held) Queue(global, options, workspace, place, totals).drain();
    // A job that arrived while this worker was ending found the lock taken: check once more.
    again = held && signals == 0 && totals.jobs > before;
  } while (again);
  if (!held) spdlog::info("another worker already serves {}", workspace.root().string());
  if (global.json) printJson({{"jobs", totals.jobs}, {"failed", totals.failed}});
  if (signals > 0) throw CLI::RuntimeError(kTerminated);
}

}  // namespace

void addWorkCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<WorkOptions>();
  auto* verb = app.add_subcommand("work", "Run the queued jobs, each in its own process");
  verb->add_flag("--once", options->once, "Exit when the queue is empty");
  verb->add_option("--device", options->device,
                   "Take jobs for this device (cpu, cuda:N) and train on it; empty: any");
  verb->add_option("--jobs", options->jobs,
                   "Number of jobs to run at a time (default, without --device: as `runs queue` "
                   "has set, else 1)")
      ->check(CLI::Range(1, 1024));
  verb->add_option(
          "--threads", options->threads,
          "Threads per job; 0: all cores (default: the run's setting, or with --jobs a share "
          "of the cores)")
      ->check(CLI::NonNegativeNumber);
  verb->footer(
      "Examples:\n  strata-run work --once\n  strata-run work --once --jobs 2\n  setsid strata-run "
      "work --device cuda:0 &\n"
      "SIGTERM saves the running jobs and exits with status 143.");
  verb->callback([&global, options] { work(global, *options); });
}

}  // namespace strata
