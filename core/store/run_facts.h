#pragma once
#include "core/base/json.h"
#include "core/store/runs.h"

namespace strata {

// The first record of a run's log: the parts of its configuration that a table shows.
Json createdEvent(const NewRun& run);

// The value of a dotted path; null if absent.
Json valueAt(const Json& config, const std::string& path);

}  // namespace strata
