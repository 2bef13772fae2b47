#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/verbs.h"
#include "app/server/loaded_models.h"

namespace strata {

// What verbs that read a trained model share: which one or, as an ensemble, which ones, and how
// they are run.
struct ModelOptions {
  std::vector<std::string> runs, folders;
  std::string ensemble;  // how several predict together
  std::string device = "auto";
  int batch = 0, threads = 0;  // sentences at once; 0: the run's setting, every core
};

// --batch, --device and --threads; `options` must outlive the verb.
void addRunningOptions(CLI::App& verb, ModelOptions& options);
// Those and --run, --model and --ensemble.
void addModelOptions(CLI::App& verb, ModelOptions& options);

// The model on its device. Several are one Ensemble with the first one's text pipeline and
// settings; a usage error names the files in which their vocabularies or pipelines differ. Sets the
// batch where the options name none.
std::shared_ptr<ServedModel> openModel(ModelOptions& options, const GlobalOptions& global);

// The model's text pipeline. Throws where it has none; `remedy` ends the message.
TextPipeline& textOf(const ServedModel& served, std::string_view remedy = {});

}  // namespace strata
