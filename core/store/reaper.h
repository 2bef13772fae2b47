#pragma once
#include "core/store/workspace.h"

namespace strata {

// Runs that are running while their process is not become interrupted; jobs that a dead worker had
// claimed go back to the queue. Returns how many.
int markDeadRuns(Workspace& workspace);

// Whether the process that trains the run lives.
bool isTrained(Workspace& workspace, std::int64_t run);

// What nobody will answer any more.
void answerCommands(Workspace& workspace, std::int64_t run, const std::string& outcome);

}  // namespace strata
