#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/verbs.h"
#include "app/server/loaded_models.h"

namespace strata {

// Options shared by the verbs that run a trained model or an ensemble.
struct ModelOptions {
  std::vector<std::string> runs, folders;
  std::string ensemble;  // how several models are combined
  std::string device = "auto";
  int batch = 0, threads = 0;  // sentences per batch; 0: the run's setting, all cores
};

// Adds --batch, --device and --threads; `options` must outlive the verb.
void addRunningOptions(CLI::App& verb, ModelOptions& options);
// Adds those and --run, --model and --ensemble.
void addModelOptions(CLI::App& verb, ModelOptions& options);

// Loads the model on its device. Several form one Ensemble with the first one's text pipeline and
// settings; a usage error names the files in which vocabularies or pipelines differ. Sets the batch
// size if the options do not.
std::shared_ptr<ServedModel> openModel(ModelOptions& options, const GlobalOptions& global);

// The model's text pipeline. Throws if it has none; `remedy` is appended to the message.
TextPipeline& textOf(const ServedModel& served, std::string_view remedy = {});

}  // namespace strata
