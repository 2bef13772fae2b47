// How scores of a run's translations treat case: its setting scoring.case.
#pragma once
#include <vector>

#include "core/store/runs.h"
#include "core/systems/stored_systems.h"

namespace strata {

// Whether the run's scorer ignores case. False for imported runs.
bool ignoresCase(const RunSummary& run);

// Whether a comparison of these ignores case if nothing else is asked for: all are translations of
// runs whose scorers do. Imported systems keep case.
bool ignoreCase(Workspace& workspace, const std::vector<StoredSystem>& systems);

}  // namespace strata
