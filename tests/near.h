#pragma once
#include <algorithm>
#include <cmath>

namespace strata::testing {

// To nine digits: absolute up to 1, relative to `b` beyond.
inline bool near(double a, double b, double tolerance = 1e-9) {
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

// The same whatever their size.
inline bool nearAbsolutely(double a, double b, double tolerance = 1e-9) {
  return std::abs(a - b) <= tolerance;
}

// Of numbers that were float32.
inline bool nearSingle(double a, double b) {
  return nearAbsolutely(a, b, 1e-6);
}

}  // namespace strata::testing
