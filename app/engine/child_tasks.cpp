#include "app/engine/child_tasks.h"

#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "app/child_process.h"
#include "app/commands/verbs.h"
#include "core/base/error.h"

namespace strata {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(200);

volatile std::sig_atomic_t stopped = 0;
void onStop(int number) {
  stopped = number;
}

struct Running {
  const ChildTask* task;
  ChildProcess process;
};

}  // namespace

void catchStops() {
  std::signal(SIGINT, onStop);
  std::signal(SIGTERM, onStop);
}

void runTasks(const std::vector<ChildTask>& tasks, int atOnce,
              const std::function<void(std::size_t)>& watch) {
  std::vector<Running> running;
  std::string failure;
  bool forwarded = false;
  for (std::size_t next = 0, ended = 0;;) {
    while (next < tasks.size() && std::ssize(running) < atOnce && stopped == 0 && failure.empty()) {
      const ChildTask& task = tasks[next++];
      running.push_back({&task, ChildProcess(task.arguments, {.errorFile = task.log})});
    }
    if (running.empty()) break;
    std::this_thread::sleep_for(kPoll);
    if (stopped != 0 && !std::exchange(forwarded, true)) {
      for (const Running& each : running) each.process.signal(SIGTERM);
    }
    std::erase_if(running, [&](Running& each) {
      const auto status = each.process.poll();
      if (!status) return false;
      ++ended;
      if (*status != 0 && failure.empty())
        failure = fmt::format("{}: its process {} (see {})", each.task->name,
                              ChildProcess::describe(*status, each.process.lastErrorLine()),
                              each.task->log.string());
      return true;
    });
    watch(ended);
  }
  if (stopped != 0) throw CLI::RuntimeError(kTerminated);
  if (!failure.empty()) throw Error("{}", failure);
}

}  // namespace strata
