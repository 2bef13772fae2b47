#pragma once
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/curves/find_runs.h"
#include "core/curves/tf_records.h"
#include "fixture.h"

namespace strata {

// The event at step 7 and time 2.5 with the value 0.5 of "loss", as its protocol buffer: wall_time
// (field 1), step (2), summary (5) with one value (1) with tag (1) and simple_value (2).
inline const std::string kLossEvent(
    "\x09\x00\x00\x00\x00\x00\x00\x04\x40\x10\x07\x2a\x0d\x0a\x0b\x0a\x04loss\x15\x00\x00\x00\x3f",
    26);
// The same as a record: length, masked sum of the length, data, masked sum of the data. Both sums
// were computed bit by bit by another program.
inline const std::string kLossRecord = std::string(
                                           "\x1a\x00\x00\x00\x00\x00\x00\x00"
                                           "\x12\x9b\xd8\x2d",
                                           12) +
                                       kLossEvent + "\x58\x75\x45\xb7";

inline const Curve* curveOf(const ToolRun& run, std::string_view name) {
  const auto found = std::ranges::find(run.curves, name, &Curve::name);
  return found == run.curves.end() ? nullptr : &*found;
}

inline std::vector<std::string> namesOf(const ToolRun& run) {
  std::vector<std::string> names;
  for (const Curve& curve : run.curves) names.push_back(curve.name);
  return names;
}

inline std::vector<std::int64_t> stepsOf(const Curve& curve) {
  std::vector<std::int64_t> steps;
  for (const ScalarPoint& point : curve.points) steps.push_back(point.step);
  return steps;
}

inline std::vector<double> valuesOf(const Curve& curve) {
  std::vector<double> values;
  for (const ScalarPoint& point : curve.points) values.push_back(point.value);
  return values;
}

inline bool says(const ToolRun& run, std::string_view part) {
  return std::ranges::any_of(
      run.notes, [&](const auto& note) { return note.find(part) != std::string::npos; });
}

}  // namespace strata
