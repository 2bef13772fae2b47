#include "core/run/flatness.h"

#include <cmath>

namespace strata {

std::optional<double> fallAtEnd(std::span<const ScalarPoint> points) {
  if (points.empty()) return {};
  const ScalarPoint& last = points.back();
  std::optional<double> before;
  for (const ScalarPoint& point : points) {
    if (4 * point.step <= 3 * last.step) before = point.value;
  }
  if (!before || !(*before > 0) || !std::isfinite(*before) || !std::isfinite(last.value)) return {};
  return (*before - last.value) / *before;
}

}  // namespace strata
