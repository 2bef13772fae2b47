#include "core/store/run_activity.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/store/jobs.h"
#include "core/store/scalars.h"

namespace strata {
namespace {

constexpr std::size_t kEstimateParts = 4;

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

// Of the start that is going on: a resumed run waited between its starts.
std::vector<ScalarPoint> pointsSince(Workspace& workspace, const RunSummary& run,
                                     const std::string& series, double start) {
  auto points = readLastPoints(workspace, run.id, series, kEstimateIntervals + 1);
  std::erase_if(points, [start](const ScalarPoint& point) { return point.wallTime < start; });
  return points;
}

double newestValue(Workspace& workspace, std::int64_t run, const std::string& series,
                   double otherwise) {
  const auto points = readLastPoints(workspace, run, series, 1);
  return points.empty() ? otherwise : points.back().value;
}

// Unknown if the folder is damaged, which others report.
RunLimits limitsOrNone(const RunSummary& run) {
  try {
    return limitsOf(runConfig(run));
  } catch (const Error&) {
    return {};
  }
}

RunActivity runningRun(Workspace& workspace, const RunSummary& run) {
  RunActivity activity{.run = run.id,
                       .name = run.name,
                       .status = run.status,
                       .pending = run.pending,
                       .step = run.step};
  const auto starts = runStarts(workspace, run.id);
  if (!starts.empty()) {
    activity.device = starts.back().device;
    activity.host = starts.back().host;
    activity.threads = starts.back().threads;
    activity.processes = starts.back().processes;
  }
  const auto points = pointsSince(workspace, run, "train/tokens_per_second",
                                  starts.empty() ? 0 : starts.back().time);
  for (const ScalarPoint& point : points) activity.speeds.push_back(point.value);
  activity.loss = newestValue(workspace, run.id, "train/nll", activity.loss);
  activity.residentMib = newestValue(workspace, run.id, "memory/resident_mib", 0);
  activity.deviceMib = newestValue(workspace, run.id, "memory/device_mib", 0);
  const auto left = updatesLeft(workspace, run);
  if (!left) return activity;
  activity.lastStep = run.step + *left;
  activity.left = timeLeft(points, *left);
  if (activity.left) activity.intervals = static_cast<int>(points.size()) - 1;
  return activity;
}

}  // namespace

RunLimits limitsOf(const Json& config) {
  const auto number = [&](const char* key) -> std::int64_t {
    const Json::json_pointer place("/training/" + std::string(key));
    return config.contains(place) && config.at(place).is_number_integer()
               ? config.at(place).get<std::int64_t>()
               : 0;
  };
  return {number("max_updates"), number("max_epochs")};
}

std::optional<std::int64_t> updatesLeft(const RunLimits& limits, std::int64_t step, double epoch) {
  std::optional<std::int64_t> left;
  if (limits.updates > 0) left = std::max<std::int64_t>(0, limits.updates - step);
  if (limits.epochs > 0 && epoch > 0 && step > 0) {
    const double updatesPerEpoch = static_cast<double>(step) / epoch;
    const double rest = std::max(0.0, static_cast<double>(limits.epochs) - epoch);
    const auto byEpochs = std::llround(rest * updatesPerEpoch);
    left = left ? std::min<std::int64_t>(*left, byEpochs) : byEpochs;
  }
  return left;
}

std::optional<std::int64_t> updatesLeft(Workspace& workspace, const RunSummary& run) {
  return updatesLeft(limitsOrNone(run), run.step, newestValue(workspace, run.id, "train/epoch", 0));
}

std::optional<TimeRange> timeLeft(const std::vector<ScalarPoint>& points, std::int64_t updates) {
  if (points.size() < 2) return {};
  const std::size_t intervals = points.size() - 1, parts = std::min(kEstimateParts, intervals);
  std::optional<TimeRange> range;
  for (std::size_t part = 0; part < parts; ++part) {
    const ScalarPoint& first = points[part * intervals / parts];
    const ScalarPoint& last = points[(part + 1) * intervals / parts];
    if (last.step <= first.step || last.wallTime < first.wallTime) continue;
    const double seconds = (last.wallTime - first.wallTime) /
                           static_cast<double>(last.step - first.step) *
                           static_cast<double>(updates);
    if (!range) range = TimeRange{seconds, seconds};
    range->least = std::min(range->least, seconds);
    range->most = std::max(range->most, seconds);
  }
  return range;
}

double RunActivity::share() const {
  if (!lastStep || *lastStep <= 0) return std::numeric_limits<double>::quiet_NaN();
  return std::clamp(static_cast<double>(step) / static_cast<double>(*lastStep), 0.0, 1.0);
}

bool RunActivity::operator==(const RunActivity& other) const {
  return run == other.run && name == other.name && status == other.status &&
         pending == other.pending && place == other.place && step == other.step &&
         lastStep == other.lastStep && left == other.left && same(loss, other.loss) &&
         std::ranges::equal(speeds, other.speeds, same) && device == other.device &&
         host == other.host && processes == other.processes && threads == other.threads &&
         residentMib == other.residentMib && deviceMib == other.deviceMib;
}

std::vector<RunActivity> activeRuns(Workspace& workspace) {
  const auto runs = listRuns(workspace);
  std::vector<RunActivity> active;
  for (const RunSummary& run : runs) {
    if (run.status == RunStatus::kRunning) active.push_back(runningRun(workspace, run));
  }
  int place = 0;
  for (const Job& job : listJobs(workspace)) {
    const auto run = std::ranges::find(runs, job.run, &RunSummary::id);
    if (run == runs.end() || run->status != RunStatus::kQueued) continue;
    active.push_back({.run = run->id,
                      .name = run->name,
                      .status = run->status,
                      .pending = run->pending,
                      .place = ++place,
                      .step = run->step,
                      .device = job.device});
  }
  return active;
}

}  // namespace strata
