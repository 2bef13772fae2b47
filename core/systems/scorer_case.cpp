#include "core/systems/scorer_case.h"

#include <algorithm>

#include "core/base/key_path.h"

namespace strata {

bool ignoresCase(const RunSummary& run) {
  const Json config = runConfig(run);
  const Json* choice = findAt(config, "scoring.case");
  return choice != nullptr && *choice == "lc";
}

bool ignoreCase(Workspace& workspace, const std::vector<StoredSystem>& systems) {
  return !systems.empty() && std::ranges::all_of(systems, [&](const StoredSystem& system) {
    return system.run != 0 && ignoresCase(runById(workspace, system.run));
  });
}

}  // namespace strata
