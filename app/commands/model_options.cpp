#include "app/commands/model_options.h"

#include "core/base/error.h"

namespace strata {

void addModelOptions(CLI::App& verb, ModelOptions& options) {
  auto* run =
      verb.add_option("--run", options.choice.run, "Run by id or name, with @best, @last or @STEP");
  verb.add_option("--model", options.choice.model, "Folder with config.json and model.safetensors")
      ->excludes(run);
  verb.add_option("--batch", options.batch, "Sentences at once (default: the run's)")
      ->check(CLI::Range(1, 100000));
  verb.add_option("--device", options.device, "auto, cpu, cuda or cuda:N")->capture_default_str();
  verb.add_option("--threads", options.threads, "Threads; 0 takes every core")
      ->capture_default_str();
}

std::shared_ptr<ServedModel> openModel(ModelOptions& options, const GlobalOptions& global) {
  ServeModels models({.workspace = global.workspace,
                      .device = options.device,
                      .threads = options.threads,
                      .maximum = 1});
  auto served = models.get(options.choice);
  if (options.batch == 0) options.batch = served->decoding.batchSentences;
  return served;
}

TextPipeline& textOf(const ServedModel& served, std::string_view remedy) {
  if (!served.text)
    throw Error("{} has no text pipeline (text/) beside it{}", served.folder.string(), remedy);
  return *served.text;
}

}  // namespace strata
