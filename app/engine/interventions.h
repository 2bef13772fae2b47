#pragma once
#include <string>
#include <vector>

#include "app/engine/model_options.h"
#include "core/nn/interventions.h"

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

// Adds --intervene; `flags` must outlive the verb.
void addInterventionOption(CLI::App& verb, InterventionFlags& flags);

}  // namespace strata
