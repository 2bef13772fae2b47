#pragma once
#include <string>
#include <string_view>

#include "core/metrics/ter.h"

namespace strata {

// The words of a line for TER, joined by one space: Tercom's normaliser as in sacreBLEU. Bytes that
// are not UTF-8 are Errors.
std::string terTokenized(std::string_view line, const TerOptions& options);

}  // namespace strata
