#pragma once
#include <cstdint>
#include <string>

#include "core/store/process_id.h"
#include "core/store/workspace.h"

namespace strata {

// Whether a process trains the run: one that holds its lock, or one elsewhere with a recent
// heartbeat (a run that was merged while it trains, or locks that do not reach this computer).
bool isTrained(Workspace& workspace, std::int64_t run);
// Why a run without an end is not being trained: its process has died.
std::string interruptionOf(Workspace& workspace, std::int64_t run);

// Cleans up after processes that died, only in the index: their commands will not be answered. Jobs
// claimed by dead workers go back to the queue. Returns the number of runs and jobs.
int noticeDeadProcesses(Workspace& workspace);

// The next three write within the caller's transaction.

// Records the process that trains the run, and when it was last seen alive.
void registerProcess(Workspace& workspace, std::int64_t run, const ProcessId& process,
                     double heartbeat);

// Removes that record, and answers the commands that the process has left.
void forgetProcess(Workspace& workspace, std::int64_t run, const std::string& outcome);

// Commands that will never be answered.
void answerCommands(Workspace& workspace, std::int64_t run, const std::string& outcome);

}  // namespace strata
