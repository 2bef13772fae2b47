#pragma once
#include <algorithm>
#include <cmath>

namespace strata::testing {

// `tolerance` is absolute up to 1, relative to `b` beyond.
inline bool near(double a, double b, double tolerance = 1e-9) {
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

// Of numbers that were float32.
inline bool nearSingle(double a, double b) {
  return near(a, b, 1e-6);
}

}  // namespace strata::testing
