#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/store/workspace.h"

namespace strata {

struct MergeReport {
  std::vector<std::string> added, grown;  // names of runs
  std::int64_t unchanged = 0;
  bool running = false;               // a process elsewhere trains one of the runs
  std::int64_t tasks = 0;             // of a sweep, whose folder it is; 0: of none
  std::vector<std::string> waiting;   // its tasks that wait, train, or saved and wait again
  std::vector<std::string> failed;    // its tasks that ended with an error, a sentence each
  std::vector<std::string> problems;  // a sentence each; other runs are merged all the same
};

// Brings run folders from elsewhere (another workspace, a cluster job's folders) into this
// workspace: those in `from`, in from/runs and in runs/ of folders directly below `from`, also
// while their processes write. A run becomes one of this workspace with a number of its own and
// remembers where it came from, so that calling this again brings what has been added since: the
// log grows by its whole new records; checkpoints, recordings and outputs come when they are whole
// and go when they went. A run that was trained on here is this workspace's own from then on. The
// source is only read.
MergeReport mergeRuns(Workspace& workspace, const std::filesystem::path& from);

// Whether more is to come: runs train there, nothing is there yet, or tasks of a sweep have not
// ended.
bool awaitsMore(const MergeReport& report);

}  // namespace strata
