#pragma once
#include <string>
#include <vector>

#include "core/store/database.h"
#include "core/store/event_log.h"
#include "core/store/index.h"
#include "core/store/workspace.h"

namespace strata {

// Whether an index says what the logs say: each log is read again, into an index in memory, and the
// two are compared row by row and point by point.
class IndexCheck {
 public:
  // `workspace` outlives the object.
  explicit IndexCheck(Workspace& workspace);

  // What the index's tables are not as they should be made, one sentence each.
  std::vector<std::string> schemaProblems();
  // Compares a run that the index knows with its log, as far as the index has read it. A log with
  // damage is not compared: the index may know more. Returns what was found in that part, of which
  // `fileBytes` is the length.
  LogScan compareRun(const RunPlace& place, std::vector<std::string>& problems);
  // The same for the log that belongs to no run.
  void compareLooks(std::vector<std::string>& problems);

 private:
  bool sameName(std::int64_t run);
  void leaveOutJobsOfOthers(std::int64_t run);
  std::vector<std::string> seriesThatDiffer(std::int64_t run);

  Workspace& workspace_;
  Database again_;  // what the logs say
};

}  // namespace strata
