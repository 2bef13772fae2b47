#pragma once
#include <filesystem>
#include <functional>

#include "core/store/runs.h"

namespace strata {

// Adds to a new run's folder before the run appears: `folder` has the configuration and a log with
// the run's creation.
using FillRunFolder = std::function<void(const std::filesystem::path& folder)>;

// createRun for a run that has data from the start; all of it appears at once, or none.
RunSummary createRun(Workspace& workspace, const NewRun& run, const FillRunFolder& fill);

}  // namespace strata
