#include "app/engine/paper_engine.h"

#include <chrono>
#include <optional>

#include "app/engine/model_options.h"
#include "core/base/progress.h"
#include "core/data/lexicon.h"
#include "core/data/lines.h"
#include "core/decode/translator.h"
#include "core/decode/unknown_words.h"
#include "core/train/average.h"
#include "core/train/memory.h"
#include "models/presets.h"

namespace strata {
namespace {

Translation translate(const TranslationTask& task, const GlobalOptions& global,
                      const std::string& device, int threads) {
  ModelOptions chosen;
  if (task.models.size() > 1) chosen.ensemble = task.decode.ensemble;
  chosen.device = device;
  chosen.threads = threads;
  for (const auto& folder : task.models) chosen.folders.push_back(folder.string());
  const auto served = openModel(chosen, global);
  TextPipeline& text = textOf(*served);
  TranslateOptions options;
  options.search = beamOptionsOf({.beam = task.decode.beam}, task.decoding);
  options.batchSentences = task.decoding.batchSentences;
  std::optional<UnknownWords> unknownWords;
  if (task.decode.posunk) {
    unknownWords.emplace(*served->model, text, Lexicon(lexiconOf(*task.dataset)),
                         AlignmentOptions{});
    options.search.record = unknownWords->names();
  }
  const auto lines = readLines(task.input.string());
  Progress& progress = terminalProgress();
  progress.begin("Translating", static_cast<std::int64_t>(lines.size()), "sentences");
  options.advance = [&](std::int64_t done) { progress.advance(done); };
  const auto start = std::chrono::steady_clock::now();
  const auto found = Translator(*served->model, text).translate(lines, {}, options);
  Translation translation;
  translation.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.end();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Hypothesis& best = found[i].front();
    translation.tokens.push_back(unknownWords ? unknownWords->tokens(best, lines[i])
                                              : text.tokensOf(Side::kTarget, best.tokens));
  }
  return translation;
}

}  // namespace

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
  engine.translate = [&global, device, threads](const TranslationTask& task) {
    return translate(task, global, device, threads);
  };
  engine.average = averageModels;
  return engine;
}

}  // namespace strata
