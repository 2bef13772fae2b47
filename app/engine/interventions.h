#pragma once
#include <string>
#include <vector>

#include "app/engine/model_options.h"
#include "core/nn/interventions.h"

namespace strata {

// What --intervene replaces among a model's internals.
struct InterventionFlags {
  std::vector<std::string> texts;
  Interventions interventions;

  // Reads the texts, checks the names against the model, and finds the means that they ask for:
  // over the validation set of the model's run, kept in the run's folder for the next time.
  void prepare(const ServedModel& served, const ModelOptions& model, const GlobalOptions& global);
  // Null where nothing is replaced.
  const Interventions* given() const { return interventions.empty() ? nullptr : &interventions; }
};

// --intervene; `flags` must outlive the verb.
void addInterventionOption(CLI::App& verb, InterventionFlags& flags);

}  // namespace strata
