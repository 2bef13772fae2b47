// What somebody who watches runs should know at once.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/store/runs.h"
#include "core/store/workspace.h"

namespace strata {

enum class AlertKind {
  kDiverged,       // training ended at numbers that are not finite
  kNotFinite,      // a series of a running run has, or an ended run's loss is no finite value
  kDiverging,      // a validation loss is far from where it was or should be (divergence.h)
  kGradientJump,   // gradient norms have grown by orders of magnitude
  kNoImprovement,  // the run's metric has not improved for some validations
  kDiskSpace,      // the next checkpoint does not fit on the disk
  kProcessDied,    // the process of a run, or the worker of a job, is gone
  kFailed,         // for another reason
  kFolderMissing   // the run's folder was removed outside of Strata
};
std::string_view nameOf(AlertKind kind);  // "diverged", "not finite", ...

struct AlertRules {
  int validations = 10;  // without improvement of the run's metric
  double hours = 48;     // runs that ended longer ago raise no alert; 0: without limit
  std::optional<std::uintmax_t> freeBytes = {};  // empty: of the workspace's file system
};

struct Alert {
  AlertKind kind = AlertKind::kFailed;
  std::int64_t run = 0;
  std::string name;       // of the run
  std::int64_t step = 0;  // that it concerns
  double time = 0;        // seconds since the Unix epoch
  std::string text;       // one sentence

  bool operator==(const Alert&) const = default;
};

// Of the runs outside the trash, newest first.
std::vector<Alert> runAlerts(Workspace& workspace, const AlertRules& rules = {});
// Of one run, without those of its worker.
std::vector<Alert> alertsOf(Workspace& workspace, const RunSummary& run,
                            const AlertRules& rules = {});
// {"kind", "run", "name", "step", "time", "text"}
Json toJson(const Alert& alert);

}  // namespace strata
