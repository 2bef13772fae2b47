#include "ui/data/run_inspection.h"

#include "core/base/key_path.h"
#include "ui/data/text.h"

namespace strata::ui {

RunInspection inspectRun(Workspace& workspace, qint64 run, qint64 other) {
  RunInspection seen;
  seen.run = runById(workspace, run);
  const Json config = runConfig(seen.run);
  seen.settings = settingsOf(config);
  if (other != 0 && other != run) {
    const RunSummary right = runById(workspace, other);
    seen.other = other;
    seen.otherName = qs(right.name);
    seen.differences = differencesOf(config, runConfig(right));
  }
  seen.starts = runStarts(workspace, run);
  seen.checkpoints = listCheckpoints(seen.run.folder);
  seen.averages = listAverages(seen.run.folder);
  seen.disk = diskUseOf(seen.run.folder);
  if (const Json* from = findAt(config, "training.from"); from && from->is_string())
    seen.from = from->get<std::string>();
  seen.samples = readSamples(workspace, run);
  return seen;
}

}  // namespace strata::ui
