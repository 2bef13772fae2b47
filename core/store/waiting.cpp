#include "core/store/waiting.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/base/progress.h"

namespace strata {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSlice = std::chrono::milliseconds(100);  // until a stop request is seen
constexpr int kRunSlices = 5;                            // between two looks at runs

Clock::time_point endOf(const WaitOptions& options) {
  if (std::isinf(options.seconds)) return Clock::time_point::max();
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(options.seconds));
}

// False: the time is over.
bool sleepUntil(Clock::time_point end, int slices, const std::stop_token& stop) {
  for (int i = 0; i < slices; ++i) {
    checkCancelled(stop);
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(kSlice);
  }
  checkCancelled(stop);
  return true;
}

}  // namespace

bool hasEnded(RunStatus status) {
  switch (status) {
    case RunStatus::kCreated:
    case RunStatus::kQueued:
    case RunStatus::kRunning:
      return false;
    case RunStatus::kPaused:
    case RunStatus::kStopped:
    case RunStatus::kFinished:
    case RunStatus::kFailed:
    case RunStatus::kInterrupted:
      return true;
  }
  return false;
}

std::vector<RunSummary> awaitRunEnds(Workspace& workspace, const std::vector<std::int64_t>& runs,
                                     const WaitOptions& options) {
  const auto end = endOf(options);
  for (;;) {
    refreshWorkspace(workspace);
    std::vector<RunSummary> now;
    for (const std::int64_t run : runs) now.push_back(runById(workspace, run));
    if (options.look) options.look(now);
    const auto ended = [](const RunSummary& run) { return hasEnded(run.status); };
    const bool enough =
        options.any ? std::ranges::any_of(now, ended) : std::ranges::all_of(now, ended);
    if (enough || !sleepUntil(end, kRunSlices, options.stop)) return now;
  }
}

CommandState awaitAcknowledgement(Workspace& workspace, std::int64_t command,
                                  const WaitOptions& options) {
  const auto end = endOf(options);
  for (;;) {
    const CommandState state = commandState(workspace, command);
    if (state.acknowledged != 0 || !sleepUntil(end, 1, options.stop)) return state;
    refreshWorkspace(workspace);
  }
}

}  // namespace strata
