#pragma once
#include <cstddef>
#include <optional>
#include <span>

namespace strata {

// What runs that differ only in their seed have in common: their mean, and how far they are apart.
struct SeedMean {
  std::size_t count = 0;                      // finite values
  std::optional<double> mean = {};            // none without values
  std::optional<double> deviation = {};       // standard (n - 1)
  std::optional<double> low = {}, high = {};  // 95 % interval of the mean: Student's t
};
// Values that are not finite are left out.
SeedMean seedMean(std::span<const double> values);

// The two-sided 95 % quantile of Student's t with these degrees of freedom (at least 1).
double studentQuantile(std::size_t degrees);

}  // namespace strata
