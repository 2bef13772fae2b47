#pragma once
#include <cstdint>

#include "core/store/workspace.h"

namespace strata {

// Tells without reading them whether a run has other samples than before.
struct SamplesSize {
  std::int64_t samples = 0, characters = 0;  // of the translations

  bool operator==(const SamplesSize&) const = default;
};
SamplesSize samplesSize(Workspace& workspace, std::int64_t run);

}  // namespace strata
