#include "core/store/same_run.h"

#include <set>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/run/config.h"

namespace strata {
namespace {

// Without the keys that do not change what is trained.
Json comparable(Json config) {
  config.erase("preset");
  config.erase("seed");
  config.erase("scoring");
  return config;
}

std::uint64_t seedOf(const Json& config) {
  const auto seed = config.find("seed");
  return seed != config.end() && seed->is_number_integer() ? seed->get<std::uint64_t>() : 0;
}

// Whether a run was made with this configuration, but for its seed. One whose configuration cannot
// be read was not.
bool isLike(const RunSummary& run, const Json& wanted) {
  try {
    return comparable(runConfig(run)) == wanted;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::optional<SameRun> sameRun(Workspace& workspace, const Json& config) {
  const Json wanted = comparable(withNewKeys(config));
  const std::string dataset = wanted.at("data").value("dataset", ""),
                    family = wanted.at("model").value("family", "");
  const auto seed = seedOf(config);
  std::vector<RunSummary> others;  // read only if there is a run like this
  std::optional<SameRun> same;
  for (RunSummary& run : listRuns(workspace)) {
    if (run.dataset != dataset || run.family != family) continue;
    if (static_cast<std::uint64_t>(run.seed) != seed)
      others.push_back(std::move(run));
    else if (isLike(run, wanted))
      same = SameRun{.run = std::move(run)};
  }
  if (!same) return same;
  std::set<std::uint64_t> taken{seed};
  for (const RunSummary& run : others) {
    if (isLike(run, wanted)) taken.insert(static_cast<std::uint64_t>(run.seed));
  }
  while (taken.contains(same->freeSeed)) ++same->freeSeed;
  return same;
}

}  // namespace strata
