#include "core/run/compute.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/base/error.h"

namespace strata {
namespace {

// In the order of Compute.
constexpr std::array<std::string_view, 3> kComputeNames{"float32", "bf16", "int8"};

}  // namespace

std::string_view nameOf(Compute compute) {
  return kComputeNames.at(static_cast<std::size_t>(compute));
}

std::vector<std::string> computeNames() {
  return {kComputeNames.begin(), kComputeNames.end()};
}

Compute computeNamed(std::string_view name) {
  const auto found = std::ranges::find(kComputeNames, name);
  if (found == kComputeNames.end())
    throw usageError("unknown way to compute '{}'; expected one of {}", name,
                     fmt::join(kComputeNames, ", "));
  return static_cast<Compute>(found - kComputeNames.begin());
}

}  // namespace strata
