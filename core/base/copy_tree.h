#pragma once
#include "core/base/files.h"

namespace strata {

// Copies a file, or a folder with the files and folders in it, durably; links and other nodes are
// left out. Throws if a file of it is in `to` already.
void copyTree(const fs::path& from, const fs::path& to);

}  // namespace strata
