#pragma once
#include <compare>
#include <string>

namespace strata {

// A number as a paper prints it: 36.3 is not 36.30, and 16.50 is not 16.5.
struct PrintedNumber {
  double value = 0;
  std::string text = {};  // "36.3"

  int digits() const;  // after the point
  bool operator==(const PrintedNumber&) const = default;
};
// What `ours` is above `theirs`, with the digits of the one that has more: "1.4", "-0.05".
PrintedNumber gainOver(const PrintedNumber& theirs, const PrintedNumber& ours);

}  // namespace strata
