#pragma once
#include "core/store/jobs.h"

namespace strata {

// Writes a job's current state to its run's log and to the index.
void appendJob(Workspace& workspace, const Job& job);

}  // namespace strata
