#pragma once
#include <cstdint>
#include <set>

#include "core/run/checkpoint_files.h"
#include "core/store/runs.h"

namespace strata {

inline std::set<std::int64_t> checkpointSteps(const RunSummary& run) {
  std::set<std::int64_t> steps;
  for (const auto& info : listCheckpoints(run.folder)) steps.insert(info.step);
  return steps;
}

}  // namespace strata
