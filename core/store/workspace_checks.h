#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/store/database.h"
#include "core/store/maintenance.h"

namespace strata {

// What checking and repairing a workspace share.

inline std::filesystem::path indexOf(const std::filesystem::path& root) {
  return root / "workspace.db";
}

// What the index counts, into the report.
void fillCounts(Database& database, WorkspaceReport& report);
// What SQLite finds wrong in the index, one sentence each.
void checkIntegrity(Database& database, std::vector<std::string>& problems);
// Folders in which a process makes a run, or was killed while it did. Making one is a writing
// transaction of the index.
std::vector<fs::path> unfinishedFolders(const fs::path& root);

}  // namespace strata
