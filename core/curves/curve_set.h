#pragma once
#include <cstdint>
#include <map>
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
  // Removes the points at `step` and beyond of every series: the run goes on from before it.
  void cutFrom(std::int64_t step);
  // Adds a file that was written later. Series that are in both are replaced from the first step
  // of the later file on.
  void follow(CurveSet later);

  bool empty() const { return points_ == 0; }
  bool has(std::string_view name) const { return curves_.contains(name); }
  // Renames a series that exists, to a name that does not, and multiplies its values.
  void rename(std::string_view from, const std::string& to, double factor = 1);

  // The curves by name. Bytes of names that are no UTF-8 and control characters become U+FFFD;
  // names that are the same then get numbers.
  std::vector<Curve> take();
  std::vector<std::string> notes() const;

 private:
  struct Left {
    std::int64_t negative = 0, huge = 0, longNames = 0, crowded = 0, replaced = 0, undated = 0;
  };

  std::vector<ScalarPoint>* pointsOf(std::string_view name);
  void cut(std::vector<ScalarPoint>& points, std::int64_t step);
  std::int64_t firstStep() const;

  CurveLimits limits_;
  StringMap<std::vector<ScalarPoint>> curves_;
  std::size_t points_ = 0;
  Left left_;
};

}  // namespace strata
