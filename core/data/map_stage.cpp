#include "core/data/map_stage.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/base/threads.h"
#include "core/data/corpus.h"
#include "core/data/text_files.h"

namespace strata {
namespace {

constexpr std::int64_t kLinesABlock = 8192;

// The mapped corpus of one split, pair by pair.
class SplitWriter {
 public:
  SplitWriter(const fs::path& path, const LearnStage& learn)
      : writer_(path, learn.side(0).vocabulary.size(), learn.side(1).vocabulary.size()) {}

  void add(std::span<const TokenId> source, std::span<const TokenId> target) {
    writer_.add(source, target);
    count(0, source);
    count(1, target);
    ++facts_.pairs;
  }
  std::int64_t pairs() const { return facts_.pairs; }
  SplitFacts finish() {
    writer_.finish();
    return facts_;
  }

 private:
  void count(std::size_t side, std::span<const TokenId> ids) {
    facts_.tokens[side] += static_cast<std::int64_t>(ids.size());
    facts_.unknown[side] += std::count(ids.begin(), ids.end(), kUnknownId);
  }

  CorpusWriter writer_;
  SplitFacts facts_;
};

// The ids of one side of train, block by block. One thread at a time.
class SideMapper {
 public:
  SideMapper(const TrainText& train, int side, UnitSplitter splitter)
      : train_(train),
        table_(train.side(side).words(), std::move(splitter)),
        reader_(train.side(side)) {}

  // Reads the next block: as many lines of each side, left out or not.
  void next() {
    ids_.clear();
    ends_.clear();
    for (const std::int64_t end = line_ + kLinesABlock; line_ < end && reader_.next(); ++line_) {
      if (!train_.has(line_)) continue;
      table_.append(reader_.numbers(), ids_);
      ends_.push_back(ids_.size());
    }
  }
  bool atEnd() const { return line_ == train_.lines(); }
  std::size_t pairs() const { return ends_.size(); }  // of the block, without those left out
  std::span<const TokenId> ids(std::size_t pair) const {
    const std::size_t begin = pair == 0 ? 0 : ends_[pair - 1];
    return std::span(ids_).subspan(begin, ends_[pair] - begin);
  }

 private:
  const TrainText& train_;
  UnitTable table_;
  NumberedReader reader_;
  std::int64_t line_ = 0;
  std::vector<TokenId> ids_;
  std::vector<std::size_t> ends_;  // of each pair in ids_
};

}  // namespace

MapStage::MapStage(const PrepareOptions& options, const LearnStage& learn, fs::path folder)
    : options_(options),
      learn_(learn),
      folder_(std::move(folder)),
      bpe_{learn.makeBpe(0), learn.makeBpe(1)} {}

UnitSplitter MapStage::splitter(int side) const {
  return {bpe_[static_cast<std::size_t>(side)].get(), &learn_.side(side).vocabulary};
}

SplitFacts MapStage::mapTrain(const TrainText& train, Progress& progress) const {
  std::array<std::optional<SideMapper>, 2> sides;
  inParallel(2, options_.threads, [&](std::size_t at) {
    const int side = static_cast<int>(at);
    sides[at].emplace(train, side, splitter(side));
  });
  SplitWriter corpus(folder_ / "train.corpus", learn_);
  while (!sides[0]->atEnd()) {
    inParallel(2, options_.threads, [&](std::size_t side) { sides[side]->next(); });
    for (std::size_t i = 0; i < sides[0]->pairs(); ++i)
      corpus.add(sides[0]->ids(i), sides[1]->ids(i));
    progress.advance(corpus.pairs());
  }
  return corpus.finish();
}

SplitFacts MapStage::mapSet(const SetText& set) const {
  UnitEncoder source(splitter(0)), target(splitter(1));
  SplitWriter corpus(folder_ / (set.name + ".corpus"), learn_);
  PairFileReader text(set.tokensSource(), set.tokensReference());
  while (text.next()) corpus.add(source.encode(text.source()), target.encode(text.target()));
  return corpus.finish();
}

}  // namespace strata
