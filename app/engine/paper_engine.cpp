#include "app/engine/paper_engine.h"

#include <algorithm>
#include <cstddef>

#include "app/engine/model_options.h"
#include "app/engine/translated_lines.h"
#include "app/training_setup.h"
#include "core/data/lexicon.h"
#include "core/data/lines.h"
#include "core/train/average.h"
#include "core/train/memory.h"
#include "core/train/sentence_recorder.h"
#include "models/presets.h"

namespace strata {

PaperEngine presetsOnly() {
  PaperEngine engine;
  engine.sources = builtInSources();
  engine.isPreset = isPreset;
  engine.startProblem = startProblem;
  engine.parameters = [](const Json& model, const VocabularySizes& sizes) {
    return parameterCountOf(modelConfig(model, sizes.source, sizes.target));
  };
  engine.network = [](const Json& model, const VocabularySizes& sizes) {
    return networkOf(modelConfig(model, sizes.source, sizes.target));
  };
  return engine;
}

namespace {

constexpr std::size_t kRecordedTogether = 16;  // sentences: what is not kept is dropped after each

std::vector<SentenceRecordings> recordingsBy(const ServedModel& served, const RecordingTask& task) {
  ScoredSet set;
  set.name = task.set;
  set.corpus = std::make_shared<const Corpus>(task.dataset->set(task.set).corpus);
  std::vector<SentenceRecordings> all;
  for (std::size_t begin = 0; begin < task.sentences.size(); begin += kRecordedTogether) {
    const std::size_t end = std::min(begin + kRecordedTogether, task.sentences.size());
    set.pairs.assign(task.sentences.begin() + static_cast<std::ptrdiff_t>(begin),
                     task.sentences.begin() + static_cast<std::ptrdiff_t>(end));
    for (SentenceRecordings& each :
         recordSentences(*served.model, set, idTextOf(served.text),
                         {.sentences = kRecordedTogether, .names = {}})) {
      std::erase_if(each.recordings, [&](const Recording& one) { return !task.keeps(one.info); });
      all.push_back(std::move(each));
    }
  }
  return all;
}

}  // namespace

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
    asked.options.search =
        beamOptionsOf({.beam = task.decode.beam, .tooLong = TooLong::kSkip}, task.decoding);
    asked.options.batchSentences = task.decoding.batchSentences;
    if (task.decode.posunk) asked.lexicon.emplace(lexiconOf(*task.dataset, LexiconKind::kLinked));
    const TranslatedLines found = translateLines(*served, std::move(asked));
    return {.tokens = found.bestTokens(), .seconds = found.seconds};
  };
  engine.record = [&global, device, threads](const RecordingTask& task) {
    ModelOptions chosen;
    chosen.device = device;
    chosen.threads = threads;
    chosen.folders = {task.model.string()};
    const auto served = openModel(chosen, global);
    textOf(*served);
    return recordingsBy(*served, task);
  };
  engine.average = averageModels;
  return engine;
}

}  // namespace strata
