#pragma once
#include <cstdint>
#include <string>

#include "core/store/workspace.h"

namespace strata {

// Whether a process trains the run: one that holds its lock, or one elsewhere that showed itself
// lately (a run that was merged while it trains, or locks that do not reach this computer).
bool isTrained(Workspace& workspace, std::int64_t run);
// Why a run without an end is not being trained: the process that is gone.
std::string interruptionOf(Workspace& workspace, std::int64_t run);

// Tidies up after processes that died, in the index alone: nobody answers their commands any more.
// Jobs that a dead worker had claimed go back to the queue. Returns how many runs and jobs.
int noticeDeadProcesses(Workspace& workspace);

// What nobody will answer any more.
void answerCommands(Workspace& workspace, std::int64_t run, const std::string& outcome);

}  // namespace strata
