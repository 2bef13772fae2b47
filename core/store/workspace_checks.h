#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/files.h"
#include "core/store/database.h"
#include "core/store/maintenance.h"

namespace strata {

// Shared by checking and repairing a workspace.

// How each sentence about what repair mends ends.
inline constexpr std::string_view kRepair = "run `strata-run workspace repair`";

inline std::filesystem::path indexOf(const std::filesystem::path& root) {
  return root / "workspace.db";
}

// Adds the index's counts to the report.
void fillCounts(Database& database, WorkspaceReport& report);
// Problems that SQLite finds in the index, one sentence each.
std::vector<std::string> integrityProblems(Database& database);
// What differs in its tables' definitions from `fresh`, the program's own.
std::vector<std::string> schemaProblems(Database& database, Database& fresh);
// Folders in which a process is creating or merging a run, or was killed doing so. Both are writing
// transactions of the index: within another one they are left over.
std::vector<fs::path> unfinishedFolders(const fs::path& root);
// Removes what is left over; returns what it was.
std::vector<fs::path> removeUnfinished(Workspace& workspace);

}  // namespace strata
