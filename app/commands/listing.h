// Shared by the verbs that list the workspace.
#pragma once
#include <string>

#include "app/commands/verbs.h"
#include "core/base/json.h"
#include "core/store/workspace.h"

namespace strata {

// Opens the workspace and adds to its index what other programs have written since.
Workspace openFresh(const GlobalOptions& global);

// JSON has no NaN or infinity: null.
Json finiteOrNull(double value);

// Seconds since 1970 as 2026-03-01 14:05, local time.
std::string dateText(double seconds);

}  // namespace strata
