#pragma once
#include "app/commands/verbs.h"

namespace strata {

// strata-run systems scores: scores of stored translations that other programs made.
void addScoresCommand(CLI::App& systems, const GlobalOptions& global);

}  // namespace strata
