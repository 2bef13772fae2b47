// Waits for what other processes do with runs.
#pragma once
#include <functional>
#include <stop_token>
#include <vector>

#include "core/store/jobs.h"
#include "core/store/runs.h"

namespace strata {

// Whether nobody trains it and it does not wait for that: finished, failed, stopped, paused, or
// interrupted because its process died.
bool hasEnded(RunStatus status);

struct WaitOptions {
  double seconds = 30;        // at most; infinity: without limit
  bool any = false;           // only until one of the runs has ended
  std::stop_token stop = {};  // throws Cancelled
  // Called about twice per second with the runs as they are.
  std::function<void(const std::vector<RunSummary>& runs)> look = {};
};

// Waits until all of these runs, or one, have ended, or the time is over; returns them as they are
// then.
std::vector<RunSummary> awaitRunEnds(Workspace& workspace, const std::vector<std::int64_t>& runs,
                                     const WaitOptions& options);

// Waits until a run's process has acknowledged a command (sendCommand), or the time is over.
CommandState awaitAcknowledgement(Workspace& workspace, std::int64_t command,
                                  const WaitOptions& options);

}  // namespace strata
