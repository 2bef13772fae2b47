#pragma once
#include "core/store/jobs.h"

namespace strata {

// Writes a job as it is now to its run's log and to the index.
void appendJob(Workspace& workspace, const Job& job);

}  // namespace strata
