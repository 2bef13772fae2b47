#pragma once

namespace strata {

// part / whole; 0 if the denominator is 0.
template <typename Part, typename Whole>
double ratio(Part part, Whole whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace strata
