#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/report/table.h"
#include "core/sweeps/sweep_runs.h"

namespace strata {

// What is drawn over what.
struct SweepQuery {
  std::string metric = {};    // one of SweptRuns::metrics
  std::string x = {};         // a key of the configuration, or a cost
  std::string lines = {};     // a key whose values are lines; empty: one line
  std::string baseline = {};  // name of a run whose group's mean is drawn across; empty: none
};

struct SweepPoint {
  std::int64_t run = 0;
  std::string name = {};
  std::int64_t seed = 0;
  double y = 0;
};

// The runs of a line with one value of x; over a cost: of one configuration, x is their mean.
struct SweepValue {
  std::string line = {};
  std::string label = {};  // of x
  double x = 0;            // number, or the place among all labels if some value is not a number
  std::vector<SweepPoint> points = {};
  double mean = 0;
  std::optional<double> deviation = {};  // standard (n - 1)
  std::optional<double> low = {},
                        high = {};  // 95 % interval of the mean: Student's t over the runs
  bool onFront = false;             // over a cost: no other value is cheaper and better
};

struct SweepTable {
  SweepQuery query = {};
  SeriesDirection direction =
      SeriesDirection::kUnknown;  // of the metric; unknown: there is no front
  bool numeric = true;            // x are numbers
  bool isCost = false;
  std::vector<SweepValue> values = {};   // by line, then x
  std::vector<std::string> lines = {};   // in the order of their first value
  std::vector<std::string> labels = {};  // of x = 0, 1, ... if not numeric
  std::optional<double> baseline = {};
  std::vector<std::string> leftOut = {};  // runs without the metric or x, and why
};

// Unknown metrics, keys and runs are usage errors that name the nearest.
SweepTable sweepTable(const SweptRuns& runs, const SweepQuery& query);

// Each configuration as a line over several axes: keys, the last one the metric.
struct SweepAxis {
  std::string name = {}, low = {}, high = {};  // the values at 0 and 1
};
struct SweepLine {
  std::string name = {};                // of its first run
  std::int64_t run = 0;                 // the first
  std::vector<double> places = {};      // on each axis, 0 .. 1
  std::vector<std::string> texts = {};  // the values
};
struct SweepAxes {
  std::vector<SweepAxis> axes = {};
  // The best first, by the mean of the metric over seeds; the lowest if nobody knows what is best.
  std::vector<SweepLine> lines = {};
};
// Over every key that differs. Values that are not all numbers are in the order of their names;
// runs without a key or the metric are left out.
SweepAxes sweepAxes(const SweptRuns& runs, const std::string& metric);

Table shownTable(const SweepTable& table);
Json toJson(const SweepTable& table);

}  // namespace strata
