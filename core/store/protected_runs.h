#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "core/store/runs.h"
#include "core/store/workspace.h"

namespace strata {

// Why nothing of a run may be removed now: it trains, is queued or paused, or has a command
// pending. Empty: something may.
std::string reasonToKeep(Workspace& workspace, const RunSummary& run);

// What other runs began with: the model that they recorded (BeganWith), else what training.from in
// their configuration may have been.
class StartingPoints {
 public:
  explicit StartingPoints(Workspace& workspace);

  // The name of a run that began with a model of this run, or with this checkpoint; empty: none.
  // If only the configuration says it, "last" and "best" may have been another checkpoint then: all
  // of the run count.
  std::string userOf(std::int64_t run) const;
  std::string userOf(std::int64_t run, const std::filesystem::path& checkpoint) const;

 private:
  void addNamed(Workspace& workspace, const RunSummary& user, const std::string& from);
  void addFolder(Workspace& workspace, const RunSummary& user, const std::filesystem::path& from);
  void addModel(Workspace& workspace, const RunSummary& user, std::int64_t run,
                const std::filesystem::path& model);

  std::map<std::int64_t, std::string> runs_;         // by run: who began with one of its models
  std::map<std::int64_t, std::string> checkpoints_;  // the same, where any checkpoint may be it
  std::map<std::filesystem::path, std::string> folders_;  // with these checkpoints
  std::map<std::string, std::int64_t> ids_;               // of runs, by name and by number
};

}  // namespace strata
