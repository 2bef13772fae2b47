// Runs that differ only in their seed, as one line of a table.
#pragma once
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/report/table.h"
#include "core/store/runs.h"
#include "core/sweeps/seed_mean.h"

namespace strata {

// "dec-sa4" of "dec-sa4-s2", "dec-sa4-seed2" and "dec-sa4-2"; other names as they are.
std::string nameWithoutSeed(const std::string& name);
// What runs that differ only in their seed have in common. Of runs whose group is unknown,
// everything that is known of it: preset, dataset and name without seed.
std::string groupKeyOf(const RunSummary& run);

struct RunGroup {
  std::string name = {};  // unique among the groups; without the seed if there are several runs
  std::vector<RunSummary> runs = {};  // at least one
  SeedMean best = {}, last = {};      // of the runs' metric
};
// In the order of their first runs.
std::vector<RunGroup> runGroups(const std::vector<RunSummary>& runs);

Table shownTable(const std::vector<RunGroup>& groups);
Json toJson(const std::vector<RunGroup>& groups);

}  // namespace strata
