#include "app/engine/model_options.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/decode/ensemble.h"

namespace strata {
namespace {

bool sameSteps(const PipelineSide& a, const PipelineSide& b) {
  return a.language == b.language && a.tokenizer == b.tokenizer && a.lowercase == b.lowercase &&
         a.casing == b.casing && a.truecaser == b.truecaser && a.codes == b.codes &&
         a.bpeVocabulary == b.bpeVocabulary && a.bpeThreshold == b.bpeThreshold;
}

// Checks that both map the same text to the same ids.
void checkSameText(const ServedModel& first, const ServedModel& other) {
  if (!first.text || !other.text) return;  // without text pipelines only sizes can be compared
  for (const Side side : {Side::kSource, Side::kTarget}) {
    const char* name = side == Side::kSource ? "vocabulary.source" : "vocabulary.target";
    const auto refuse = [&](const char* file, const char* what) {
      throw usageError("The models of an ensemble must share their {}: {} and {} differ", what,
                       (first.textFolder / file).string(), (other.textFolder / file).string());
    };
    if (!first.text->vocabulary(side).sameWords(other.text->vocabulary(side)))
      refuse(name, "vocabularies");
    if (!sameSteps(first.text->side(side), other.text->side(side)))
      refuse("pipeline.yaml", "text pipeline");
  }
}

std::shared_ptr<ServedModel> ensembleOf(const std::vector<std::shared_ptr<ServedModel>>& all,
                                        const std::string& kind) {
  auto together = std::make_shared<ServedModel>(*all.front());
  std::vector<std::shared_ptr<TranslationModel>> members;
  for (const auto& served : all) {
    if (!together->text) {
      together->text = served->text;
      together->textFolder = served->textFolder;
    }
    checkSameText(*together, *served);
    members.push_back(served->model);
  }
  together->step.reset();
  together->model = std::make_shared<Ensemble>(std::move(members), ensembleKindNamed(kind));
  together->model->eval();
  return together;
}

}  // namespace

void addRunningOptions(CLI::App& verb, ModelOptions& options) {
  verb.add_option("--batch", options.batch, "Sentences per batch (default: the run's setting)")
      ->check(CLI::Range(1, 100000));
  verb.add_option("--device", options.device, "auto, cpu, cuda or cuda:N")->capture_default_str();
  verb.add_option("--threads", options.threads, "Threads; 0: all cores")->capture_default_str();
}

void addModelOptions(CLI::App& verb, ModelOptions& options) {
  verb.add_option("--run", options.runs,
                  "Run by id or name, with @best, @last or @STEP; several runs form an ensemble")
      ->allow_extra_args(false);
  verb.add_option("--model", options.folders, "Folder with config.json and model.safetensors")
      ->allow_extra_args(false);
  verb.add_option("--ensemble", options.ensemble,
                  "How to combine several models: linear (mean of probabilities) or log (of their "
                  "logarithms)")
      ->check(CLI::IsMember({"linear", "log"}));
  addRunningOptions(verb, options);
}

std::shared_ptr<ServedModel> openModel(ModelOptions& options, const GlobalOptions& global) {
  std::vector<ModelChoice> choices;
  for (const std::string& run : options.runs) choices.push_back({.run = run});
  for (const std::string& folder : options.folders) choices.push_back({.model = folder});
  if (choices.empty()) throw usageError("Select a model with --run or --model");
  if (choices.size() > 1 && options.ensemble.empty())
    throw usageError("Several models need --ensemble linear or --ensemble log");
  if (choices.size() == 1 && !options.ensemble.empty())
    throw usageError("--ensemble needs several --run or --model");
  LoadedModels models({.workspace = global.workspace,
                       .device = options.device,
                       .threads = options.threads,
                       .maximum = choices.size()});
  std::vector<std::shared_ptr<ServedModel>> all;
  for (const ModelChoice& choice : choices) all.push_back(models.get(choice));
  auto served = all.size() > 1 ? ensembleOf(all, options.ensemble) : all.front();
  if (options.batch == 0) options.batch = served->decoding.batchSentences;
  return served;
}

TextPipeline& textOf(const ServedModel& served, std::string_view remedy) {
  if (!served.text)
    throw Error("{} has no text pipeline (text/) next to it{}", served.folder.string(), remedy);
  return *served.text;
}

}  // namespace strata
