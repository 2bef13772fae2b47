#include "core/papers/printed_number.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

int PrintedNumber::digits() const {
  const auto point = text.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(text.size() - point - 1);
}

PrintedNumber gainOver(const PrintedNumber& theirs, const PrintedNumber& ours) {
  const double gain = ours.value - theirs.value;
  return {gain, fmt::format("{:.{}f}", gain, std::max(ours.digits(), theirs.digits()))};
}

}  // namespace strata
