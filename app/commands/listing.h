// What the verbs that list the workspace share.
#pragma once
#include <string>

#include "app/commands/verbs.h"
#include "core/store/workspace.h"

namespace strata {

// The workspace with what other programs have written since its index was made.
Workspace openFresh(const GlobalOptions& global);

// Seconds since 1970 as 2026-03-01 14:05, local time.
std::string dateText(double seconds);

}  // namespace strata
