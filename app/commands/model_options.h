#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "app/commands/verbs.h"
#include "app/serve_models.h"

namespace strata {

// What verbs that read a trained model share: which one, and how it is run.
struct ModelOptions {
  ModelChoice choice;
  std::string device = "auto";
  int batch = 0, threads = 0;  // sentences at once; 0: the run's setting, every core
};

// --run, --model, --batch, --device and --threads; `options` must outlive the verb.
void addModelOptions(CLI::App& verb, ModelOptions& options);

// The model on its device. Sets its batch where the options name none.
std::shared_ptr<ServedModel> openModel(ModelOptions& options, const GlobalOptions& global);

// The model's text pipeline. Throws where it has none; `remedy` ends the message.
TextPipeline& textOf(const ServedModel& served, std::string_view remedy = {});

}  // namespace strata
