#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/run/events.h"
#include "core/run/series_direction.h"
#include "core/store/workspace.h"

namespace strata {

struct SeriesSummary {
  std::int64_t run = 0;
  std::string name = {};
  std::int64_t count = 0;
  std::int64_t lastStep = -1;
  double lastValue = std::numeric_limits<double>::quiet_NaN();
  // Over the finite values; NaN if there are none. The first and the last step with that value.
  double minimum = std::numeric_limits<double>::quiet_NaN();
  double maximum = std::numeric_limits<double>::quiet_NaN();
  std::int64_t minimumStep = -1, maximumStep = -1;
  std::int64_t minimumLast = -1, maximumLast = -1;
  std::int64_t nonFinite = 0;  // number of values that are NaN or infinite
  SeriesDirection direction = SeriesDirection::kUnknown;

  // NaN if nobody knows which values are better, or if none is finite.
  double best() const;
  // The last step with that value: of equally good models the later is better. -1: there is none.
  std::int64_t bestStep() const;
};

// A reader's position. A series that was rewound (a resumed run repeats steps) has a new
// generation.
struct SeriesCursor {
  std::int64_t generation = -1;
  std::int64_t count = 0;
};

struct SeriesIncrement {
  std::vector<ScalarPoint> points;
  bool replaces = false;  // `points` is the full series: points read earlier are obsolete
  SeriesCursor next;
};

// The series of a run, by name. Empty for a run without any.
std::vector<SeriesSummary> listSeries(Workspace& workspace, std::int64_t run);
// All points in the order of their steps; empty for an unknown series.
std::vector<ScalarPoint> readSeries(Workspace& workspace, std::int64_t run,
                                    const std::string& name);
std::vector<ScalarPoint> readSeries(Database& index, std::int64_t run, const std::string& name);
// The newest `count` points, in the order of their steps.
std::vector<ScalarPoint> readLastPoints(Workspace& workspace, std::int64_t run,
                                        const std::string& name, std::int64_t count);
// The points after `since`; use a separate cursor for each series. The default cursor reads all,
// with `replaces` set.
SeriesIncrement readSeriesSince(Workspace& workspace, std::int64_t run, const std::string& name,
                                const SeriesCursor& since);

}  // namespace strata
