// Two runs next to each other: what they were made with, where, and what came out.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/run/series_direction.h"
#include "core/store/runs.h"
#include "core/store/workspace.h"

namespace strata {

// A setting, or a circumstance of the last start of each run. null: that one does not have it.
struct ComparedValue {
  std::string key;
  Json left, right;

  bool differs() const { return left != right; }
};

// A final metric. NaN: that run does not have it.
struct ComparedMetric {
  std::string name;  // see finalMetrics
  double left = std::numeric_limits<double>::quiet_NaN();
  double right = std::numeric_limits<double>::quiet_NaN();
  SeriesDirection direction = SeriesDirection::kUnknown;

  bool differs() const;  // also if only one of them has it
  double difference() const { return right - left; }
  int better() const;  // -1: left, 1: right, 0: none, or nobody knows
};

struct RunComparison {
  std::vector<ComparedValue> settings;     // in the order of the left configuration
  std::vector<ComparedValue> environment;  // program, libtorch, device, digests of the data, ...
  std::vector<ComparedMetric> metrics;     // of validation and test sets
};
// Everything, equal or not.
RunComparison compareRuns(Workspace& workspace, const RunSummary& left, const RunSummary& right);

RunComparison onlyDifferences(RunComparison comparison);
// A compared value as people read it; empty for null.
std::string comparedText(const Json& value);

}  // namespace strata
