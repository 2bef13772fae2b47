#pragma once
#include <cmath>
#include <limits>

namespace strata {

// A mean over words; NaN values are ignored.
struct MeanValue {
  double sum = 0;
  int count = 0;

  void add(double value) {
    if (std::isnan(value)) return;
    sum += value;
    ++count;
  }
  double mean() const { return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN(); }
};

}  // namespace strata
