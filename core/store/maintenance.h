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
      problems;                   // one sentence each: what, where, what to do. Empty: no problems
  std::vector<std::string> done;  // what repair did
};

// Compares index and folders and reads every event log; changes nothing. An unreadable index is
// reported as a problem, not as an Error.
WorkspaceReport checkWorkspace(const std::filesystem::path& root);

// Rebuilds the index from the folders, whatever state it is in, in a new file, which replaces the
// old one when complete. No log is written: damaged parts are copied to a file next to the log and
// listed among the problems; in that case the old index is kept, as a damaged one always is.
// Training processes keep their hold. An Error if the index is another program's or a newer
// version's, if it is unreadable while a run is training, or unreadable without any run's log.
WorkspaceReport repairWorkspace(const std::filesystem::path& root);

// Makes an index of an older version this version's, from the folders; programs that have it open
// go on. What no log has any more is kept in a copy of the old one.
void renewIndex(const std::filesystem::path& root);

// Removes a run from the index whose folder is no longer there; repairWorkspace does so for all. A
// run with a folder is an Error: it belongs into the trash.
void forgetRun(Workspace& workspace, std::int64_t run);

// A consistent copy of the index, also while others write. Does not overwrite `file`.
void backupIndex(Database& index, const std::filesystem::path& file);

// Returns unused space of the index to the file system. Returns the bytes saved.
std::int64_t vacuumIndex(Workspace& workspace);

}  // namespace strata
