#include "app/engine/measured_set.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "app/engine/interventions.h"
#include "app/run_dataset.h"
#include "core/base/error.h"
#include "core/run/experiment.h"

namespace strata {
namespace {

const EvaluationSet& validationSet(const Dataset& dataset, const RunSummary& run,
                                   const std::string& wanted) {
  const auto sets = parseExperiment(runConfig(run)).validation.sets;
  if (sets.empty()) throw usageError("Run {} has no validation set to measure on", run.name);
  if (wanted.empty()) return dataset.set(sets.front());
  if (std::ranges::find(sets, wanted) == sets.end())
    throw usageError("expected a validation set of the run, not '{}': {} validates on {}", wanted,
                     run.name, fmt::join(sets, ", "));
  return dataset.set(wanted);
}

}  // namespace

MeasuredSet measuredSet(const MeasuredSetRequest& request, const GlobalOptions& global) {
  Workspace workspace(global.workspace, {.access = Access::kRead, .networkFileSystem = {}});
  const RunSummary run = findRun(workspace, request.run.substr(0, request.run.rfind('@')));
  Dataset dataset = datasetOfRun(workspace, run);
  const EvaluationSet set = validationSet(dataset, run, request.set);
  ScoredPairs pairs = pairsOf(set, request.limit);
  if (pairs.sources.empty()) throw usageError("The set {} has no sentences", set.name);
  return {run, std::move(dataset), set, std::move(pairs)};
}

}  // namespace strata
