#include "app/engine/measured_set.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "app/engine/interventions.h"
#include "app/run_dataset.h"
#include "core/base/digest.h"
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

void addMeasuredSetOptions(CLI::App& verb, MeasuredSetRequest& request) {
  verb.add_option("RUN", request.run, "Run by id or name, with @best, @last or @STEP")->required();
  verb.add_option("--set", request.set, "Validation set of the run (default: its first)");
  verb.add_option("--limit", request.limit, "Only the set's first sentences; 0: all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_flag("--again", request.again, "Measure anew what is stored in the run's folder");
}

MeasuredSet measuredSet(const MeasuredSetRequest& request, const GlobalOptions& global) {
  Workspace workspace(global.workspace, {.access = Access::kRead, .networkFileSystem = {}});
  const RunSummary run = findRun(workspace, request.run.substr(0, request.run.rfind('@')));
  Dataset dataset = datasetOfRun(workspace, run);
  const EvaluationSet set = validationSet(dataset, run, request.set);
  ScoredPairs pairs = pairsOf(set, request.limit);
  if (pairs.sources.empty()) throw usageError("The set {} has no sentences", set.name);
  return {run, std::move(dataset), set, std::move(pairs)};
}

MeasuredOn measuredOn(const ServedModel& served, const MeasuredSet& subject) {
  return {.checkpoint = checkpointName(served, subject.run),
          .set = subject.set.name,
          .sentences = std::ssize(subject.pairs.sources),
          .setSentences = subject.set.sentences,
          .model = digestOfFile(served.folder / "model.safetensors"),
          .dataset = subject.dataset.digest()};
}

}  // namespace strata
