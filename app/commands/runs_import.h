#pragma once
#include "app/commands/verbs.h"

namespace strata {

void addImportCommand(CLI::App& runs, const GlobalOptions& global);  // below `runs`
void addExportCommand(CLI::App& runs, const GlobalOptions& global);  // below `runs`

}  // namespace strata
