#pragma once
#include <string>
#include <string_view>

#include "core/metrics/ter.h"

namespace strata {

// What TER counts as words of a line, joined by one space: Tercom's normaliser as sacreBLEU has it.
// Bytes that are not UTF-8 are Errors.
std::string terTokenized(std::string_view line, const TerOptions& options);

}  // namespace strata
