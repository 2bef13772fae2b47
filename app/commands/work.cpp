#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <thread>

#include "app/child_process.h"
#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/store/jobs.h"
#include "core/store/runs.h"

namespace strata {
namespace {

constexpr int kTerminated = 143;
constexpr auto kQueuePoll = std::chrono::milliseconds(500);
constexpr auto kChildPoll = std::chrono::milliseconds(50);

struct WorkOptions {
  bool once = false;
  std::string device;
};

volatile std::sig_atomic_t signals = 0;  // how often the worker was asked to end
void onSignal(int) {
  signals = signals + 1;
}

void catchSignals() {
  struct sigaction action {};
  action.sa_handler = onSignal;
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
  ::signal(SIGHUP, SIG_IGN);  // the terminal or window that started it may go
}

// One worker a device and workspace.
class WorkerLock {
 public:
  WorkerLock(const fs::path& root, std::string device) {
    std::ranges::replace_if(
        device, [](unsigned char c) { return !std::isalnum(c); }, '-');
    const fs::path file = root / (device.empty() ? ".worker" : ".worker-" + device);
    fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd_ < 0) throw Error("cannot open {}: {}", file.string(), std::strerror(errno));
    held_ = ::flock(fd_, LOCK_EX | LOCK_NB) == 0;
  }
  ~WorkerLock() { ::close(fd_); }
  WorkerLock(const WorkerLock&) = delete;
  WorkerLock& operator=(const WorkerLock&) = delete;
  bool held() const { return held_; }

 private:
  int fd_ = -1;
  bool held_ = false;
};

// Starts `strata-run train --job ID`, its words in the run's folder.
ChildProcess startTraining(const GlobalOptions& global, const WorkOptions& options, const Job& job,
                           const fs::path& output) {
  std::vector<std::string> words{"--workspace", fs::absolute(global.workspace).string(), "train",
                                 "--job", std::to_string(job.id)};
  const std::string device = job.device.empty() ? options.device : job.device;
  if (!device.empty()) words.insert(words.end(), {"--device", device});
  return ChildProcess(words, {.errorFile = output});
}

// Waits for the child; each signal that the worker gets is passed on.
int waitFor(ChildProcess& child) {
  int passed = 0;
  for (;;) {
    for (; passed < signals; ++passed) child.signal(SIGTERM);
    if (const auto status = child.poll()) return *status;
    std::this_thread::sleep_for(kChildPoll);
  }
}

void runJob(const GlobalOptions& global, const WorkOptions& options, Workspace& workspace,
            const Job& job) {
  const fs::path output = runById(workspace, job.run).folder / "stderr.log";
  spdlog::info("job={} run={} name={} resume={} starts", job.id, job.run, job.name, job.resume);
  ChildProcess child = startTraining(global, options, job, output);
  const int status = waitFor(child);
  // A child that came so far has said itself how it ended; what remains is a crash, or a refusal
  // before the first step.
  const bool crashed = WIFSIGNALED(status) || WEXITSTATUS(status) == kTerminated;
  markJobEnded(workspace, job.id, crashed ? JobState::kInterrupted : JobState::kFailed,
               "its process " + ChildProcess::describe(status, child.lastWords()));
  const Job after = jobById(workspace, job.id);
  spdlog::info("job={} state={}{}", job.id, nameOf(after.state),
               after.message.empty() ? "" : " message=" + after.message);
}

struct Totals {
  int jobs = 0, failed = 0;
};

// Takes jobs until it is asked to end, or with --once until none waits.
void drain(const GlobalOptions& global, const WorkOptions& options, Workspace& workspace,
           Totals& totals) {
  while (signals == 0) {
    refreshWorkspace(workspace);
    const auto job = claimJob(workspace, options.device);
    if (job) {
      try {
        runJob(global, options, workspace, *job);
      } catch (const Error& error) {
        spdlog::error("job={} {}", job->id, error.what());
        markJobEnded(workspace, job->id, JobState::kFailed, error.what());
      }
      ++totals.jobs;
      if (jobById(workspace, job->id).state == JobState::kFailed) ++totals.failed;
    } else if (options.once) {
      return;
    } else {
      std::this_thread::sleep_for(kQueuePoll);
    }
  }
}

void work(const GlobalOptions& global, const WorkOptions& options) {
  catchSignals();
  Workspace workspace(global.workspace);
  Totals totals;
  bool held = true, again = false;
  do {
    const int before = totals.jobs;
    const WorkerLock lock(workspace.root(), options.device);
    held = lock.held();
    if (held) drain(global, options, workspace, totals);
    // A job that came while this worker was about to end found the lock taken: look once more.
    again = held && signals == 0 && totals.jobs > before;
  } while (again);
  if (!held) spdlog::info("another worker serves {} already", workspace.root().string());
  if (global.json)
    fmt::print("{}\n", Json{{"jobs", totals.jobs}, {"failed", totals.failed}}.dump(2));
  if (signals > 0) throw CLI::RuntimeError(kTerminated);
}

}  // namespace

void addWorkCommand(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<WorkOptions>();
  auto* verb = app.add_subcommand("work", "Run the queued jobs, each in a process of its own");
  verb->add_flag("--once", options->once, "End when no job waits");
  verb->add_option("--device", options->device,
                   "Take jobs of this device (cpu, cuda:N) and train on it; empty: any");
  verb->footer(
      "Examples:\n  strata-run work --once\n  setsid strata-run work --device cuda:0 &\n"
      "SIGTERM saves the run that is training and ends with status 143.");
  verb->callback([&global, options] { work(global, *options); });
}

}  // namespace strata
