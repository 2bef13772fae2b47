// Times that are known only roughly, and how long a run would take, from training steps measured on
// this computer.
#pragma once
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata {

// How long something takes; other work on the computer changes it.
struct TimeRange {
  double least = 0, most = 0;  // seconds
  bool operator==(const TimeRange&) const = default;
};
struct TimeUnits {
  std::string seconds = "s", minutes = "min", hours = "h", days = "days";
};
// "14–40 min", "50 s – 2 min", "3 h".
std::string textOf(const TimeRange& range, const TimeUnits& units = {});

// A measured step: how long it took, how many cores it got, and how many others kept busy.
struct MeasuredStep {
  double seconds = 0;
  double ownCores = 0, otherCores = 0;
};

struct SpeedMeasurement {
  std::vector<MeasuredStep> steps = {};  // of equal work
  int threads = 1;                       // of the training
  int cores = 1;                         // of the computer
  int otherRuns = 0;                     // of the workspace, which train now

  double medianSeconds() const;  // 0: nothing was measured
  double otherCores() const;     // mean over the steps
};

// The range of work that takes `seconds` at the median speed of the measurement: at least as long
// as if nothing else used the cores from now on, at most as with the slowest of the measured steps.
// A step that got `own` cores while others used `other` would alone have got own + other, at most
// its threads (on the GPU only the spread of the steps counts: no cores are given).
TimeRange timeRange(const SpeedMeasurement& measured, double seconds);

// What an estimate rests on.
struct TimeBasis {
  int steps = 0, threads = 1, cores = 1, otherRuns = 0;
  double otherCores = 0;
  bool operator==(const TimeBasis&) const = default;

  Json json() const;
  static TimeBasis read(const Json& json);
};
TimeBasis basisOf(const SpeedMeasurement& measured);
// "3 steps measured here on 2 threads; 1 other run in training; other work uses 1.6 of 2 cores".
std::string textOf(const TimeBasis& basis);

}  // namespace strata
