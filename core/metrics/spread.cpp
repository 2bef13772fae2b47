#include "core/metrics/spread.h"

#include <cmath>
#include <iterator>

namespace strata {
namespace {

// The 97.5 % quantile of Student's t; beyond the table its expansion in 1 / degrees.
double tQuantile(std::size_t degrees) {
  static constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                      2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                      2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                      2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  if (degrees <= std::size(kTable)) return kTable[degrees - 1];
  const double z = 1.959964;
  const double z3 = z * z * z, n = static_cast<double>(degrees);
  return z + (z3 + z) / (4 * n) + (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * n * n);
}

}  // namespace

Spread spreadOf(std::span<const double> values) {
  Spread spread;
  spread.count = values.size();
  const auto count = static_cast<double>(values.size());
  for (const double value : values) spread.mean += value / count;
  if (values.size() < 2) return spread;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.deviation = std::sqrt(squares / (count - 1));
  spread.halfWidth = tQuantile(values.size() - 1) * spread.deviation / std::sqrt(count);
  return spread;
}

}  // namespace strata
