#include "core/sweeps/seed_mean.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

double studentQuantile(std::size_t degrees) {
  static constexpr std::array kQuantiles{
      12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281,
      2.2010,  2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
      2.0796,  2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
  if (degrees <= kQuantiles.size()) return kQuantiles[std::max<std::size_t>(degrees, 1) - 1];
  const double z = 1.959964, n = static_cast<double>(degrees);
  return z + (z * z * z + z) / (4 * n);  // the first term of its expansion: exact to 0.002
}

SeedMean seedMean(std::span<const double> values) {
  SeedMean made;
  double sum = 0, squares = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++made.count;
  }
  if (made.count == 0) return made;
  const auto count = static_cast<double>(made.count);
  made.mean = sum / count;
  if (made.count < 2) return made;
  for (const double value : values) {
    if (std::isfinite(value)) squares += (value - *made.mean) * (value - *made.mean);
  }
  made.deviation = std::sqrt(squares / (count - 1));
  const double half = studentQuantile(made.count - 1) * *made.deviation / std::sqrt(count);
  made.low = *made.mean - half;
  made.high = *made.mean + half;
  return made;
}

}  // namespace strata
