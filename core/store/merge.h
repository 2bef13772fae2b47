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
  std::vector<std::string> waiting;   // its tasks that wait, train, or were saved and wait again
  std::vector<std::string> failed;    // its tasks that ended with an error, one sentence each
  std::vector<std::string> problems;  // one sentence each; other runs are merged anyway
};

// Merges run folders from elsewhere (another workspace, a cluster job's folders) into this
// workspace: those in `from`, in from/runs and in runs/ of folders directly below `from`, also
// while their processes write. A run gets its own number in this workspace and remembers where it
// came from, so that calling this again merges what has been added since: the log grows by its new
// complete records; checkpoints, recordings and outputs are copied when complete, and those that
// were copied are removed when the source removes them, unless they are pinned here; what was
// removed here by `runs prune` or one by one stays away. A run that was trained here in the
// meantime belongs to this workspace from then on. The source is only read. A source whose log does
// not go on from what was merged of it, or is of another run now, is a problem: it changes nothing
// here.
MergeReport mergeRuns(Workspace& workspace, const std::filesystem::path& from);
// For the next of several passes over the same folder: `digests` of the last one.
class LogDigests;
MergeReport mergeRuns(Workspace& workspace, const std::filesystem::path& from, LogDigests& digests);

// Whether more is expected: runs train in the source, nothing is there yet, or tasks of a sweep
// have not ended.
bool awaitsMore(const MergeReport& report);

}  // namespace strata
