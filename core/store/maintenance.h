#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/store/workspace.h"

namespace strata {

struct WorkspaceReport {
  std::int64_t runs = 0, trashed = 0, series = 0, points = 0, checkpoints = 0;
  std::uintmax_t indexBytes = 0;
  bool networkFileSystem = false;
  std::vector<std::string>
      problems;                   // one sentence each: what, where, what to do. Empty: all is well
  std::vector<std::string> done;  // what repair did
};

// Compares index and folders and reads every event log; changes nothing. An unreadable index is a
// problem of the report, not an Error.
WorkspaceReport checkWorkspace(const std::filesystem::path& root);

// Rebuilds the index from the folders in a new file, which replaces the old one when it is whole.
// No log is written: what holds no record there is copied to a file next to it and named among the
// problems; the old index is kept then, too, as a damaged one always is. Processes that train keep
// their hold. Refused where the index is unreadable while a run is trained.
WorkspaceReport repairWorkspace(const std::filesystem::path& root);

// A consistent copy of the index, also while others write. Refuses to overwrite `file`.
void backupIndex(Workspace& workspace, const std::filesystem::path& file);

// Gives unused space of the index back to the file system. Returns the bytes saved.
std::int64_t vacuumIndex(Workspace& workspace);

}  // namespace strata
