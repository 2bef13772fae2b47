#include "core/train/sentence_recorder.h"

#include <algorithm>

#include "core/train/batch_tensors.h"

namespace strata {
namespace {

std::vector<std::string> unitsOf(const std::function<std::string(TokenId)>& unit,
                                 const IdSpan& ids) {
  std::vector<std::string> words;
  for (const TokenId id : withEnd(ids.toVector())) words.push_back(unit(id));
  return words;
}

}  // namespace

std::vector<SentenceRecordings> recordSentences(TranslationModel& model, const ScoredSet& set,
                                                const IdText& text,
                                                const SentenceRecordingOptions& options) {
  const torch::NoGradGuard noGrad;
  model.eval();
  auto pairs = set.pairsToScore();
  pairs.resize(std::min(pairs.size(), static_cast<std::size_t>(options.sentences)));
  std::vector<SentenceRecordings> all;
  if (pairs.empty()) return all;
  Batch batch;
  fillBatch(*set.corpus, pairs, batch);
  const BatchTensors tensors = tensorsOf(batch, model.device());
  Recorder recorder = options.names.empty() ? Recorder() : Recorder(options.names);
  const auto memory = model.encode(tensors.source, &recorder);
  model.decode(*memory, tensors.targetIn_BT, &recorder);
  for (std::int64_t row = 0; row < std::ssize(pairs); ++row) {
    const auto pair = pairs[static_cast<std::size_t>(row)];
    SentenceRecordings sentence{
        .sentence = pair,
        .source = unitsOf(text.sourceUnit, set.corpus->ids(CorpusSide::kSource, pair)),
        .target = unitsOf(text.targetUnit, set.corpus->ids(CorpusSide::kTarget, pair)),
        .recordings = {}};
    const SentenceLengths lengths{std::ssize(sentence.source), std::ssize(sentence.target)};
    for (const auto& recorded : recorder.tensors())
      sentence.recordings.push_back(recordingOf(recorded, row, lengths));
    all.push_back(std::move(sentence));
  }
  return all;
}

}  // namespace strata
