#pragma once
#include <string>

#include "core/data/dataset.h"
#include "core/store/runs.h"

namespace strata {

// The dataset that a run trains on, in the version that it was started on. An Error when that is
// gone.
Dataset datasetOfRun(Workspace& workspace, const RunSummary& run);
// Of "RUN", "RUN@best" and so on.
Dataset datasetOfRun(Workspace& workspace, const std::string& selector);

}  // namespace strata
