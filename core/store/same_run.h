#pragma once
#include <cstdint>
#include <optional>

#include "core/store/runs.h"

namespace strata {

// A run with the same configuration as one that is about to start, seed included.
struct SameRun {
  RunSummary run;              // the newest of them
  std::uint64_t freeSeed = 1;  // the lowest seed that no run of this configuration has
};

// Searches the runs that are not in the trash; nothing if there is none.
std::optional<SameRun> sameRun(Workspace& workspace, const Json& config);

}  // namespace strata
