#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/string_map.h"
#include "core/curves/tool_run.h"

namespace strata {

// The curves of one run while its files are read: ascending steps within each, and counts of what
// had to be left out.
class CurveSet {
 public:
  explicit CurveSet(const CurveLimits& limits = {}) : limits_(limits) {}

  // A step that is not beyond the series' last one replaces the series from there on, as in a run
  // that is resumed from an earlier checkpoint.
  void add(std::string_view name, const ScalarPoint& point);
  // Keeps what is beyond the step: of points of the same step the one that is put last counts.
  void put(std::string_view name, const ScalarPoint& point);
  // Removes the points at `step` and beyond of every series, or of one: the run goes on from before
  // it.
  void cutFrom(std::int64_t step);
  void cutFrom(std::string_view name, std::int64_t step);
  // Forgets the series whose names begin so.
  void remove(std::string_view begin);

  bool empty() const { return points_ == 0; }
  bool has(std::string_view name) const { return curves_.contains(name); }
  // Renames a series that exists, to a name that does not, and multiplies its values.
  void rename(std::string_view from, const std::string& to, double factor = 1);

  std::vector<std::string> notes();
  // The curves by name. Bytes of names that are no UTF-8 and control characters become U+FFFD;
  // names that are the same then get numbers. Afterwards the set is empty.
  std::vector<Curve> take();

 private:
  struct Series {
    std::vector<ScalarPoint> points;
    std::vector<std::int64_t> removed;  // steps of points that others replaced, or that were cut
    bool sorted = true;
  };
  struct Left {
    std::int64_t negative = 0, huge = 0, longNames = 0, crowded = 0, undated = 0;
  };

  Series* seriesFor(std::string_view name, std::int64_t step);
  void append(Series& series, const ScalarPoint& point);
  void sort(Series& series);
  void cut(Series& series, std::int64_t step);

  CurveLimits limits_;
  StringMap<Series> curves_;
  std::size_t points_ = 0;
  Left left_;
};

}  // namespace strata
