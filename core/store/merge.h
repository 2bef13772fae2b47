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
  std::int64_t unfinished = 0;        // runs that neither finished nor failed
  std::vector<std::string> problems;  // a sentence each; other runs are merged all the same
};

// Brings run folders from elsewhere (another workspace, a cluster job's folders) into this
// workspace: those in `from`, in from/runs and in runs/ of folders directly below `from`, also
// while their processes write. A run becomes one of this workspace with a number of its own and
// remembers where it came from, so that calling this again brings what has been added since: the
// log grows by its whole new records; checkpoints, recordings and outputs come when they are whole
// and go when they went. The source is only read.
MergeReport mergeRuns(Workspace& workspace, const std::filesystem::path& from);

// Whether more is to come from `from`: runs train there, nothing is there yet, or it is a sweep's
// folder whose tasks have not all finished or failed (those that wait, or saved and wait again).
bool awaitsMore(const MergeReport& report, const std::filesystem::path& from);

}  // namespace strata
