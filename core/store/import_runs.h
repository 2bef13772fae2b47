#pragma once
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/curves/tool_run.h"
#include "core/store/workspace.h"

namespace strata {

inline constexpr const char* kImportOrigin = "imported.json";  // in an imported run's folder

struct ImportOptions {
  std::string name = {};  // of the run, or what the names of several begin with; empty: from files
  std::vector<std::string> tags = {};  // besides "imported"
  bool update = false;                 // runs that were imported before take over what is new
  // Series of which higher or lower values are better, whatever their names say: whole names, or
  // what follows their last '/'.
  std::vector<std::string> higherIsBetter = {}, lowerIsBetter = {};
  Progress* progress = nullptr;  // in points
  std::stop_token stop = {};
};

enum class ImportOutcome { kAdded, kGrown, kUnchanged };
std::string_view nameOf(ImportOutcome outcome);  // "added", ...

struct ImportedRun {
  std::int64_t id = 0;  // 0: planned
  std::string name;
  ImportOutcome outcome = ImportOutcome::kAdded;
};

// Makes finished runs of the curves of other tools, all or none: folders as those of Strata's own
// runs, without a model. They remember the source: it is a usage error if a run of the same source
// is there, unless `update` is set. Then the run continues from the first step that differs, and
// takes over the directions. A series that is to have a direction and is in none of the runs is a
// usage error.
std::vector<ImportedRun> importRuns(Workspace& workspace, std::span<const ToolRun> runs,
                                    const ImportOptions& options);
// What importRuns would do, with the same errors; changes nothing.
std::vector<ImportedRun> planImport(Workspace& workspace, std::span<const ToolRun> runs,
                                    const ImportOptions& options);

}  // namespace strata
