#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/engine/model_options.h"
#include "core/data/dataset.h"
#include "core/decode/scorer.h"
#include "core/nn/interventions.h"
#include "core/store/runs.h"

namespace strata {

// The replacements of a model's internals requested by --intervene.
struct InterventionFlags {
  std::vector<std::string> texts;
  Interventions interventions;

  // Parses the arguments, checks the names against the model, and computes the requested means
  // over the validation set of the model's run; they are cached in the run's folder.
  void prepare(const ServedModel& served, const ModelOptions& model, const GlobalOptions& global);
  // Null if nothing is replaced.
  const Interventions* given() const { return interventions.empty() ? nullptr : &interventions; }
};

// The means of internals over a set, from the cache in the run's folder as far as possible, by
// name.
struct MeansRequest {
  const Dataset& dataset;
  const EvaluationSet& set;
  const RunSummary& run;
  std::vector<std::string> names;
  int batch = 64;  // sentences
};
std::map<std::string, torch::Tensor> meansOfRun(const ServedModel& served,
                                                const MeansRequest& request);

// A set's pairs, </s> included; the first `limit` if that is above 0.
ScoredPairs pairsOf(const EvaluationSet& set, std::int64_t limit = 0);

// The model's folder below the run's checkpoints as part of a file name: "step-00012000".
std::string checkpointName(const ServedModel& served, const RunSummary& run);

// Adds --intervene; `flags` must outlive the verb.
void addInterventionOption(CLI::App& verb, InterventionFlags& flags);

}  // namespace strata
