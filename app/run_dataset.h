#pragma once
#include <string>

#include "core/data/dataset.h"
#include "core/store/runs.h"

namespace strata {

// The dataset of a run, in the version that it was started with. An Error if that version no longer
// exists.
Dataset datasetOfRun(Workspace& workspace, const RunSummary& run);
// From "RUN", "RUN@best" and so on.
Dataset datasetOfRun(Workspace& workspace, const std::string& selector);

}  // namespace strata
