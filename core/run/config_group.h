#pragma once
#include <string>

#include "core/base/json.h"

namespace strata {

// What runs have in common that differ only in their seed: a digest of the effective configuration
// without `seed`.
std::string configurationGroup(const Json& config);

}  // namespace strata
