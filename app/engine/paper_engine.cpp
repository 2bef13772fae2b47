#include "app/engine/paper_engine.h"

#include "app/engine/model_options.h"
#include "app/engine/translated_lines.h"
#include "core/data/lexicon.h"
#include "core/data/lines.h"
#include "core/train/average.h"
#include "core/train/memory.h"
#include "models/presets.h"

namespace strata {

PaperEngine presetsOnly() {
  PaperEngine engine;
  engine.sources = builtInSources();
  engine.isPreset = isPreset;
  engine.parameters = [](const Json& model, const VocabularySizes& sizes) {
    return parameterCountOf(modelConfig(model, sizes.source, sizes.target));
  };
  return engine;
}

PaperEngine paperEngine(const GlobalOptions& global, const std::string& device, int threads) {
  keepFreedMemory();
  PaperEngine engine = presetsOnly();
  engine.translate = [&global, device, threads](const TranslationTask& task) -> Translation {
    ModelOptions chosen;
    chosen.device = device;
    chosen.threads = threads;
    if (task.models.size() > 1) chosen.ensemble = task.decode.ensemble;
    for (const auto& folder : task.models) chosen.folders.push_back(folder.string());
    const auto served = openModel(chosen, global);
    LinesToTranslate asked{.lines = readLines(task.input.string())};
    asked.options.search = beamOptionsOf({.beam = task.decode.beam}, task.decoding);
    asked.options.batchSentences = task.decoding.batchSentences;
    if (task.decode.posunk) asked.lexicon.emplace(lexiconOf(*task.dataset, LexiconKind::kLinked));
    const TranslatedLines found = translateLines(*served, std::move(asked));
    return {.tokens = found.bestTokens(), .seconds = found.seconds};
  };
  engine.average = averageModels;
  return engine;
}

}  // namespace strata
