// Shared by the benchmarks.
#pragma once
#include <algorithm>
#include <chrono>
#include <vector>

#include "core/base/json.h"

namespace strata {

using BenchClock = std::chrono::steady_clock;

inline double secondsSince(BenchClock::time_point begin) {
  return std::chrono::duration<double>(BenchClock::now() - begin).count();
}

// Minimum, median and maximum of several runs.
inline Json spreadOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {{"minimum", values.front()},
          {"median", values[values.size() / 2]},
          {"maximum", values.back()},
          {"runs", values.size()}};
}

}  // namespace strata
