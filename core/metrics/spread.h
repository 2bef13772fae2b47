#pragma once
#include <cstddef>
#include <span>

namespace strata {

// Figures of one thing measured several times, such as with several seeds.
struct Spread {
  std::size_t count = 0;
  double mean = 0;
  double deviation = 0;  // of the sample, with count - 1; 0 for one value
  double halfWidth = 0;  // of the 95 % interval of the mean (Student's t); 0 for one value
};

// At least one value.
Spread spreadOf(std::span<const double> values);

}  // namespace strata
