#pragma once
#include <optional>
#include <span>

#include "core/run/events.h"

namespace strata {

// A learning curve that falls by less than this share over its last quarter counts as flat.
inline constexpr double kFlatBelow = 0.02;

// How much a loss still fell over the last quarter of its updates: the share of what it was before
// them, negative if it rose. None if it was not measured before them, or was not above 0 then.
std::optional<double> fallAtEnd(std::span<const ScalarPoint> points);

}  // namespace strata
