#pragma once
#include "core/base/json.h"
#include "core/store/runs.h"

namespace strata {

// The first record of a run's log: the parts of its configuration that a table shows.
Json createdEvent(const NewRun& run);

}  // namespace strata
