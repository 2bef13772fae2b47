// What is being trained now, or waits for it: how far it is, how fast, and when it may end.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/run/events.h"
#include "core/run/time_range.h"
#include "core/store/runs.h"
#include "core/store/workspace.h"

namespace strata {

// Where a run ends at the latest; training may end earlier (early stopping, a learning rate that is
// too low).
struct RunLimits {
  std::int64_t updates = 0;  // 0: no limit
  std::int64_t epochs = 0;
};
RunLimits limitsOf(const Json& config);

// The updates that are left after `step` at `epoch` (fractional); empty: without a limit, or
// unknown before the first value of `epoch`.
std::optional<std::int64_t> updatesLeft(const RunLimits& limits, std::int64_t step, double epoch);
// The same of a run, by its configuration and its newest value of `epoch`.
std::optional<std::int64_t> updatesLeft(Workspace& workspace, const RunSummary& run);

// Number of newest intervals between logged points that an estimate rests on.
inline constexpr int kEstimateIntervals = 40;

// How long `updates` take, by the newest logged points of one start of a run. The intervals between
// them are divided into up to four equal parts; the range goes from the speed of the fastest to
// that of the slowest part, validations and checkpoints included. Empty for less than two points.
std::optional<TimeRange> timeLeft(const std::vector<ScalarPoint>& points, std::int64_t updates);

struct RunActivity {
  std::int64_t run = 0;
  std::string name = {};
  RunStatus status = RunStatus::kQueued;  // or running
  std::string pending = {};               // as in RunSummary
  int place = 0;                          // in the queue, from 1; 0: it is running
  std::int64_t step = 0;
  std::optional<std::int64_t> lastStep = {};  // at the latest; empty: no limit, or unknown so far
  std::optional<TimeRange> left = {};
  int intervals = 0;                                       // that `left` rests on
  double loss = std::numeric_limits<double>::quiet_NaN();  // newest train/nll
  std::vector<double> speeds = {};  // newest tokens/s, oldest first, at most kEstimateIntervals + 1
  std::string device = {}, host = {};     // of its newest start
  int processes = 1, threads = 0;         // that train together; of each
  double residentMib = 0, deviceMib = 0;  // memory of its process; 0: unknown

  // 0 .. 1; NaN: unknown
  double share() const;
  bool operator==(const RunActivity& other) const;  // NaN equals NaN
};

// The running runs, then the queued ones in the queue's order. Runs in the trash are left out.
std::vector<RunActivity> activeRuns(Workspace& workspace);

}  // namespace strata
