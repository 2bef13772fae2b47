#pragma once
#include <filesystem>

#include "core/store/workspace.h"

namespace strata::mcp {

// Opens a workspace and adds to its index what other programs have written since. An Error if there
// is none: a tool that reads must not create it.
Workspace openExisting(const std::filesystem::path& root);

}  // namespace strata::mcp
