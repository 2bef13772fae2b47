#pragma once
#include "core/base/json.h"
#include "core/store/runs.h"

namespace strata {

// The first record of a run's log: what a table shows of its configuration.
Json createdEvent(const NewRun& run);

// The value of a dotted path; null where it is absent.
Json valueAt(const Json& config, const std::string& path);

}  // namespace strata
