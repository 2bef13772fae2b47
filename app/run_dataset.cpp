#include "app/run_dataset.h"

#include "app/training_setup.h"
#include "core/run/experiment.h"
#include "core/store/imported.h"

namespace strata {

Dataset datasetOfRun(Workspace& workspace, const RunSummary& run) {
  requireModel(run);
  const auto starts = runStarts(workspace, run.id);
  return openDataset(workspace.datasetsFolder(), parseExperiment(runConfig(run)).data.dataset,
                     starts.empty() ? "" : starts.front().datasetDigest);
}

Dataset datasetOfRun(Workspace& workspace, const std::string& selector) {
  return datasetOfRun(workspace, findRun(workspace, selector.substr(0, selector.rfind('@'))));
}

}  // namespace strata
