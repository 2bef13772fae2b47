#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/run/series_direction.h"
#include "core/store/run_settings.h"
#include "core/store/runs.h"
#include "core/store/workspace.h"

namespace strata {

// What a run costs: x axes beside the keys of the configuration.
inline constexpr const char* kSweepParameters = "parameters";    // trainable values
inline constexpr const char* kSweepHours = "hours";              // of training
inline constexpr const char* kSweepSpeed = "tokens_per_second";  // of training

// A run with what a sweep can draw of it.
struct SweptRun {
  std::int64_t id = 0;
  std::string name = {}, preset = {}, group = {};  // see RunSettings
  std::int64_t seed = 0;
  // Of the configuration, by path.
  std::shared_ptr<const RunSettings::Values> values = std::make_shared<RunSettings::Values>();
  std::map<std::string, double> metrics = {};              // see finalMetrics
  std::map<std::string, SeriesDirection> directions = {};  // of these
  std::map<std::string, double> costs = {};  // those of the constants above that are known
};

struct SweptRuns {
  std::vector<SweptRun> runs = {};
  // "best SERIES", "last SERIES", "score SET SCORER" (the newest stored score): of any run.
  std::vector<std::string> metrics = {};
  // Which values of a metric are better; absent: nobody knows, or the runs contradict each other.
  std::map<std::string, SeriesDirection> directions = {};
  // Keys of the configuration, except the seed, that differ between runs; "preset" if it differs.
  std::vector<std::string> keys = {};
  std::vector<std::string> leftOut = {};  // "NAME: running", ...
};

struct FinalMetric {
  double value = 0;
  SeriesDirection direction = SeriesDirection::kUnknown;
};
// "best SERIES" (if it is known which values are better), "last SERIES" and "score SET SCORER" of a
// run, the finite ones.
std::map<std::string, FinalMetric> finalMetrics(Workspace& workspace, std::int64_t run);

// The runs outside the trash that have ended. `filter`: a regular expression, without regard to
// case, found in the name, preset or dataset; empty: all. An invalid one is a usage error.
SweptRuns sweptRuns(Workspace& workspace, const std::string& filter, RunSettings& settings);

// Which values of one of the metrics are better.
SeriesDirection directionIn(const SweptRuns& runs, const std::string& metric);

// The metric to look at first: the best value of the validation series that most runs have, the
// first of several; empty if none has one.
std::string usualMetric(const SweptRuns& runs);

}  // namespace strata
