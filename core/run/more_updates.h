#pragma once
#include <cstdint>

#include "core/base/json.h"

namespace strata {

// The configuration of a run that is to go on until it has made `updates` updates: its other
// limits (epochs, also of the last phase, tokens, hours, early stopping) are lifted; min_lr stays.
Json withUpdates(Json config, std::int64_t updates);

}  // namespace strata
