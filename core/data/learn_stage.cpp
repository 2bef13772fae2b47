#include "core/data/learn_stage.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/data/text_files.h"
#include "core/data/text_stage.h"
#include "core/text/bpe_learner.h"
#include "core/text/words.h"

namespace strata {
namespace {
constexpr std::size_t kRememberedWords = 1 << 20;
}  // namespace

UnitEncoder::Piece UnitEncoder::lookUp(std::string_view word) {
  if (const auto known = words_.find(word); known != words_.end()) return known->second;
  if (words_.size() >= kRememberedWords) {
    words_.clear();
    ids_.clear();
  }
  Piece piece{.begin = static_cast<std::uint32_t>(ids_.size())};
  units_.clear();
  if (bpe_ != nullptr) {
    bpe_->apply(word, units_);
  } else {
    units_ = word;
  }
  forEachWord(units_, [&](std::string_view unit) {
    ids_.push_back(vocabulary_ != nullptr ? vocabulary_->idOf(unit) : kUnknownId);
    ++piece.size;
  });
  words_.emplace(word, piece);
  return piece;
}

std::span<const TokenId> UnitEncoder::encode(std::string_view tokens) {
  line_.clear();
  forEachWord(tokens, [&](std::string_view word) {
    const Piece piece = lookUp(word);
    const auto begin = ids_.begin() + piece.begin;
    line_.insert(line_.end(), begin, begin + piece.size);
  });
  return line_;
}

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
    sides_[0].codes = sides_[1].codes = readFile(options_.codes);
  } else if (options_.bpeMerges > 0 && options_.bpeSeparate) {
    for (int side = 0; side < 2; ++side) {
      auto learned = learnBpe(text_.words(side), {.merges = options_.bpeMerges});
      merges_ = learned.merges;
      sides_[static_cast<std::size_t>(side)].codes = std::move(learned.codes);
    }
  } else if (options_.bpeMerges > 0) {
    WordCounter both;
    both.add(text_.words(0));
    both.add(text_.words(1));
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
  for (const auto& [word, count] : text_.words(side).entries()) {
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
  const auto sourceBpe = makeBpe(0), targetBpe = makeBpe(1);
  UnitEncoder source(sourceBpe.get(), nullptr), target(targetBpe.get(), nullptr);
  PairFileReader train(text_.trainTokens(0), text_.trainTokens(1));
  const auto limit = static_cast<std::size_t>(options_.maxSubwords);
  for (std::int64_t line = 0; train.next(); ++line) {
    if (!text_.inTrain(line)) continue;
    if (source.encode(train.source()).size() <= limit &&
        target.encode(train.target()).size() <= limit)
      continue;
    text_.leaveOut(line);
    ++tooManyUnits_;
  }
  if (tooManyUnits_ == 0) return;
  if (text_.trainPairs() == 0)
    throw Error("train: every pair has more than {} units on one side; raise --max-subwords",
                limit);
  text_.recountWords();
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
  if (options_.jointVocabulary) counter.add(units(1));
  for (const auto& [word, count] : counter.sorted()) {
    if (limit > 0 && vocabulary.size() - kFirstWordId >= limit) break;
    if (count < options_.vocabularyMinimum) break;
    if (word != "<unk>") vocabulary.add(std::string(word), count);
  }
}

}  // namespace strata
