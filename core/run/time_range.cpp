#include "core/run/time_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

// Of a step if nothing else had used the cores.
double secondsAlone(const MeasuredStep& step, int threads) {
  if (step.ownCores <= 0 || step.otherCores <= 0) return step.seconds;
  const double wanted = std::max(0.0, static_cast<double>(threads) - step.ownCores);
  return step.seconds * step.ownCores / (step.ownCores + std::min(step.otherCores, wanted));
}

struct RoughTime {
  std::string number, unit;
};

RoughTime roughTime(double seconds, const TimeUnits& units) {
  const auto whole = [](double value) { return std::to_string(std::llround(value)); };
  const auto rounded = [&](double value) {
    return value < 9.95 && std::fmod(value, 1) > 0.05 ? fmt::format("{:.1f}", value) : whole(value);
  };
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  if (seconds < 1.5 * kMinute) return {whole(seconds), units.seconds};
  if (seconds < 1.5 * kHour) return {whole(seconds / kMinute), units.minutes};
  if (seconds < 2 * kDay) return {rounded(seconds / kHour), units.hours};
  return {rounded(seconds / kDay), units.days};
}

}  // namespace

std::string textOf(const TimeRange& range, const TimeUnits& units) {
  const RoughTime least = roughTime(range.least, units), most = roughTime(range.most, units);
  if (least.unit != most.unit)
    return fmt::format("{} {} – {} {}", least.number, least.unit, most.number, most.unit);
  if (least.number == most.number) return fmt::format("{} {}", most.number, most.unit);
  return fmt::format("{}–{} {}", least.number, most.number, most.unit);
}

double SpeedMeasurement::medianSeconds() const {
  if (steps.empty()) return 0;
  std::vector<double> seconds;
  for (const MeasuredStep& step : steps) seconds.push_back(step.seconds);
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

double SpeedMeasurement::otherCores() const {
  double sum = 0;
  for (const MeasuredStep& step : steps) sum += step.otherCores;
  return steps.empty() ? 0 : sum / static_cast<double>(steps.size());
}

TimeRange timeRange(const SpeedMeasurement& measured, double seconds) {
  const double median = measured.medianSeconds();
  if (median <= 0) return {seconds, seconds};
  double fastest = median, slowest = median;
  for (const MeasuredStep& step : measured.steps) {
    fastest = std::min(fastest, secondsAlone(step, measured.threads));
    slowest = std::max(slowest, step.seconds);
  }
  return {seconds * fastest / median, seconds * slowest / median};
}

Json TimeBasis::json() const {
  return {{"steps", steps},
          {"threads", threads},
          {"cores", cores},
          {"other_runs", otherRuns},
          {"other_cores", otherCores}};
}

TimeBasis TimeBasis::read(const Json& json) {
  return {.steps = json.at("steps").get<int>(),
          .threads = json.at("threads").get<int>(),
          .cores = json.at("cores").get<int>(),
          .otherRuns = json.at("other_runs").get<int>(),
          .otherCores = json.at("other_cores").get<double>()};
}

TimeBasis basisOf(const SpeedMeasurement& measured) {
  return {.steps = static_cast<int>(measured.steps.size()),
          .threads = measured.threads,
          .cores = measured.cores,
          .otherRuns = measured.otherRuns,
          .otherCores = std::round(10 * measured.otherCores()) / 10};
}

std::string textOf(const TimeBasis& basis) {
  std::string text = fmt::format("{} steps measured here on {} thread{}", basis.steps,
                                 basis.threads, basis.threads == 1 ? "" : "s");
  if (basis.otherRuns > 0)
    text += fmt::format("; {} other run{} in training", basis.otherRuns,
                        basis.otherRuns == 1 ? "" : "s");
  if (basis.otherCores >= 0.1)
    text += fmt::format("; other work uses {:.1f} of {} cores", basis.otherCores, basis.cores);
  return text;
}

}  // namespace strata
