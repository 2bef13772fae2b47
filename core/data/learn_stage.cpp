#include "core/data/learn_stage.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/text_stage.h"
#include "core/data/units.h"
#include "core/text/bpe_learner.h"
#include "core/text/words.h"

namespace strata {
LearnStage::LearnStage(const PrepareOptions& options, TextStage& text, Progress& progress)
    : options_(options), text_(text), progress_(progress) {
  for (int i = 0; i < 2; ++i) {
    PipelineSide& side = sides_[static_cast<std::size_t>(i)];
    side = normalSide(options, i);
    side.truecaser = text.truecaser(i);
  }
}

void LearnStage::run() {
  progress_.begin("learning", 0, "steps");
  findCodes();
  if (options_.maxSubwords > 0) dropLong();
  for (int side = 0; side < 2; ++side) makeVocabulary(side);
  progress_.end();
}

void LearnStage::findCodes() {
  if (!options_.codes.empty()) {
    sides_[0].codes = sides_[1].codes = readBpeCodes(options_.codes);
  } else if (options_.bpeMerges > 0 && options_.bpeSeparate) {
    for (int side = 0; side < 2; ++side) {
      WordCounter words;
      words.add(text_.train().words(side));
      auto learned = learnBpe(words, {.merges = options_.bpeMerges});
      merges_ = learned.merges;
      sides_[static_cast<std::size_t>(side)].codes = std::move(learned.codes);
    }
  } else if (options_.bpeMerges > 0) {
    WordCounter both;
    both.add(text_.train().words(0));
    both.add(text_.train().words(1));
    auto learned = learnBpe(both, {.merges = options_.bpeMerges});
    merges_ = learned.merges;
    sides_[0].codes = sides_[1].codes = std::move(learned.codes);
  }
  if (options_.bpeThreshold > 0) {
    for (int side = 0; side < 2; ++side) holdToVocabulary(side);
  }
}

// Units that are rare on this side are split further, like apply-bpe with --vocabulary-threshold.
void LearnStage::holdToVocabulary(int side) {
  PipelineSide& pipeline = sides_[static_cast<std::size_t>(side)];
  if (pipeline.codes.empty())
    throw usageError("--bpe-vocabulary-threshold needs BPE: give --bpe or --codes too");
  pipeline.bpeVocabulary = units(side).toText();
  pipeline.bpeThreshold = options_.bpeThreshold;
}

std::unique_ptr<Bpe> LearnStage::makeBpe(int side) const {
  const PipelineSide& pipeline = sides_[static_cast<std::size_t>(side)];
  if (pipeline.codes.empty()) return nullptr;
  auto bpe = std::make_unique<Bpe>(
      pipeline.codes, options_.codes.empty() ? "the learned codes" : options_.codes.string());
  if (!pipeline.bpeVocabulary.empty()) {
    bpe->setVocabulary(
        parseBpeVocabulary(pipeline.bpeVocabulary, "the units of train", pipeline.bpeThreshold));
  }
  return bpe;
}

// Units of one side of train with their counts. Each different word is split once; since words are
// in the order of their first appearance, so are the units.
WordCounter LearnStage::units(int side) const {
  const auto bpe = makeBpe(side);
  WordCounter counter;
  std::string split;
  for (const auto& [word, count] : text_.train().words(side)) {
    if (!bpe) {
      counter.add(word, count);
      continue;
    }
    split.clear();
    bpe->apply(word, split);
    forEachWord(split, [&, times = count](std::string_view unit) { counter.add(unit, times); });
  }
  return counter;
}

void LearnStage::dropLong() {
  TrainText& train = text_.train();
  const auto sourceBpe = makeBpe(0), targetBpe = makeBpe(1);
  const UnitTable source(train.side(0).words(), {sourceBpe.get(), nullptr});
  const UnitTable target(train.side(1).words(), {targetBpe.get(), nullptr});
  TrainReader reader(train);
  for (std::int64_t line = 0; reader.next(); ++line) {
    if (!train.has(line)) continue;
    if (source.units(reader.side(0).numbers()) <= options_.maxSubwords &&
        target.units(reader.side(1).numbers()) <= options_.maxSubwords)
      continue;
    train.leaveOut(line);
    ++tooManyUnits_;
  }
  if (tooManyUnits_ == 0) return;
  if (train.pairs() == 0)
    throw Error("train: every pair has more than {} units on one side; raise --max-subwords",
                options_.maxSubwords);
  train.recountWords();
}

void LearnStage::makeVocabulary(int side) {
  Vocabulary& vocabulary = sides_[static_cast<std::size_t>(side)].vocabulary;
  const fs::path& given = side == 0 ? options_.sourceVocabulary : options_.targetVocabulary;
  if (!given.empty()) {
    vocabulary = Vocabulary::read(given);
    return;
  }
  const std::int64_t limit =
      side == 0 ? options_.sourceVocabularySize : options_.targetVocabularySize;
  // A joint one has the source's words first for both sides: the order of ties is the same.
  WordCounter counter = units(options_.jointVocabulary ? 0 : side);
  if (options_.jointVocabulary) counter.add(units(1).entries());
  for (const auto& [word, count] : counter.sorted()) {
    if (limit > 0 && vocabulary.size() - kFirstWordId >= limit) break;
    if (count < options_.vocabularyMinimum) break;
    if (word != "<unk>") vocabulary.add(std::string(word), count);
  }
}

}  // namespace strata
