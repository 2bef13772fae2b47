#include "core/data/batcher.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/random.h"

namespace strata {
namespace {

// Random streams of the seed, so that epochs and samples draw independently.
constexpr std::uint64_t kEpochStream = 0xE90C'0000'0000'0000u;
constexpr std::uint64_t kSampleStream = 0x5A3B'0000'0000'0000u;

struct Lengths {
  std::int64_t source, target;  // </s> included
  std::int64_t longest() const { return std::max(source, target); }
};

// A pair, or from index pairs() on, a pair with its sides swapped.
struct Direction {
  Direction(const Corpus& corpus, std::int64_t number)
      : exchanged(number >= corpus.pairs()), pair(exchanged ? number - corpus.pairs() : number) {}
  CorpusSide source() const { return exchanged ? CorpusSide::kTarget : CorpusSide::kSource; }
  CorpusSide target() const { return exchanged ? CorpusSide::kSource : CorpusSide::kTarget; }

  bool exchanged;
  std::int64_t pair;
};

Lengths lengthsOf(const Corpus& corpus, std::int64_t number) {
  const Direction direction(corpus, number);
  return {corpus.length(direction.source(), direction.pair) + 1,
          corpus.length(direction.target(), direction.pair) + 1};
}

// Orders pairs so that neighbours have similar lengths on both sides: by the longer side, then by
// the difference of the sides, alternately ascending and descending, so that the order does not
// jump where the longer side grows.
std::uint32_t sortKey(const Lengths& lengths) {
  constexpr std::int64_t kMost = 0xFFFF, kMiddle = 0x8000;
  const std::int64_t longest = std::min(lengths.longest(), kMost);
  const std::int64_t difference =
      std::clamp(lengths.target - lengths.source, -kMiddle, kMiddle - 1) + kMiddle;
  return static_cast<std::uint32_t>(longest << 16 |
                                    (longest % 2 == 0 ? difference : kMost - difference));
}

// Cuts pairs in their order into batches and sums up their statistics. A pair longer than a full
// batch is a batch of its own.
class BatchCutter {
 public:
  BatchCutter(const Corpus& corpus, const BatchOptions& options)
      : corpus_(corpus), options_(options) {}

  BatchReport cut(std::span<const std::int64_t> pairs, std::vector<std::int64_t>& starts) {
    starts.assign(1, 0);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const Lengths lengths = lengthsOf(corpus_, pairs[i]);
      if (rows_ > 0 && !fits(lengths)) {
        close();
        starts.push_back(static_cast<std::int64_t>(i));
      }
      ++rows_;
      source_ = std::max(source_, lengths.source);
      target_ = std::max(target_, lengths.target);
      report_.sourceTokens += lengths.source;
      report_.targetTokens += lengths.target;
    }
    if (rows_ > 0) {
      close();
      starts.push_back(static_cast<std::int64_t>(pairs.size()));
    }
    return report_;
  }

 private:
  bool fits(const Lengths& lengths) const {
    if (options_.unit == BatchOptions::Unit::kSentences) return rows_ < options_.size;
    const std::int64_t longest = std::max({source_, target_, lengths.longest()});
    return (rows_ + 1) * paddedLength(longest, options_.lengthMultiple) <= options_.size;
  }

  void close() {
    report_.sentences += rows_;
    report_.padded += rows_ * (paddedLength(source_, options_.lengthMultiple) +
                               paddedLength(target_, options_.lengthMultiple));
    ++report_.batches;
    rows_ = source_ = target_ = 0;
  }

  const Corpus& corpus_;
  const BatchOptions& options_;
  std::int64_t rows_ = 0, source_ = 0, target_ = 0;  // of the current batch
  BatchReport report_;
};

void checkOptions(const BatchOptions& options) {
  if (options.size < 1) throw usageError("the batch size must be at least 1, not {}", options.size);
  if (options.maxLength < 0)
    throw usageError("the maximum length must be at least 0 tokens, not {}", options.maxLength);
  if (options.lengthMultiple < 1)
    throw usageError("the multiple of lengths must be at least 1, not {}", options.lengthMultiple);
}

// Pairs `starts[index]` to the next start.
std::span<const std::int64_t> batchAt(std::int64_t index, std::span<const std::int64_t> starts,
                                      std::span<const std::int64_t> pairs) {
  const auto at = static_cast<std::size_t>(index);
  const auto begin = static_cast<std::size_t>(starts[at]);
  return pairs.subspan(begin, static_cast<std::size_t>(starts[at + 1]) - begin);
}

// 0, 1, ..., count - 1.
std::vector<std::int64_t> numbersBelow(std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  return numbers;
}

}  // namespace

std::int64_t longestTrained(const BatchOptions& options) {
  if (options.unit == BatchOptions::Unit::kSentences) return options.maxLength;
  return options.maxLength == 0 ? options.size : std::min(options.maxLength, options.size);
}

std::int64_t pairsLeftOut(const Corpus& corpus, const BatchOptions& options) {
  const std::int64_t limit = longestTrained(options);
  if (limit == 0) return 0;
  std::int64_t count = 0;
  for (std::int64_t pair = 0; pair < corpus.pairs(); ++pair)
    count += lengthsOf(corpus, pair).longest() > limit ? 1 : 0;
  return options.bidirectional ? 2 * count : count;
}

double BatchReport::paddingWaste() const {
  return padded == 0
             ? 0
             : 1 - static_cast<double>(sourceTokens + targetTokens) / static_cast<double>(padded);
}

void fillBatch(const Corpus& corpus, std::span<const std::int64_t> pairs, Batch& batch,
               std::int64_t lengthMultiple) {
  batch.sentences.clear();
  for (const std::int64_t pair : pairs) batch.sentences.push_back(Direction(corpus, pair).pair);
  batch.source.lengths.clear();
  batch.targetOut.lengths.clear();
  for (const std::int64_t pair : pairs) {
    const Lengths lengths = lengthsOf(corpus, pair);
    batch.source.lengths.push_back(lengths.source);
    batch.targetOut.lengths.push_back(lengths.target);
  }
  batch.targetIn.lengths = batch.targetOut.lengths;
  for (TokenMatrix* matrix : {&batch.source, &batch.targetIn, &batch.targetOut})
    matrix->layOut(lengthMultiple);
  std::int64_t* source = batch.source.ids.data();
  std::int64_t* targetIn = batch.targetIn.ids.data();
  std::int64_t* targetOut = batch.targetOut.ids.data();
  for (const std::int64_t pair : pairs) {
    const Direction direction(corpus, pair);
    const IdSpan sourceIds = corpus.ids(direction.source(), direction.pair);
    const IdSpan targetIds = corpus.ids(direction.target(), direction.pair);
    sourceIds.copyTo(source);
    source[sourceIds.size()] = kEndId;
    targetIn[0] = kEndId;
    targetIds.copyTo(targetIn + 1);
    targetIds.copyTo(targetOut);
    targetOut[targetIds.size()] = kEndId;
    source += batch.source.columns;
    targetIn += batch.targetIn.columns;
    targetOut += batch.targetOut.columns;
  }
}

Batcher::Batcher(const Corpus& corpus, BatchOptions options) : corpus_(corpus), options_(options) {
  checkOptions(options_);
  const std::int64_t limit = longestTrained(options_);
  if (options_.bidirectional &&
      corpus.vocabularySize(CorpusSide::kSource) != corpus.vocabularySize(CorpusSide::kTarget))
    throw usageError("{}: training in both directions needs one joint vocabulary",
                     corpus.path().string());
  const std::int64_t pairs = (options_.bidirectional ? 2 : 1) * corpus.pairs();
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    const Lengths lengths = lengthsOf(corpus, pair);
    if (limit > 0 && lengths.longest() > limit) {
      ++leftOut_;
      continue;
    }
    kept_.push_back(pair);
    keys_.push_back(sortKey(lengths));
  }
  if (kept_.empty()) {
    throw Error("{} has no pair to train on: {} of {} are longer than {} tokens",
                corpus.path().string(), leftOut_, pairs, limit);
  }
  startEpoch(0);
}

bool Batcher::next(Batch& batch) {
  if (position_.batch >= batchesInEpoch()) return false;
  const std::int64_t index = order_[static_cast<std::size_t>(position_.batch++)];
  fillBatch(corpus_, batchAt(index, starts_, sorted_), batch, options_.lengthMultiple);
  return true;
}

void Batcher::startEpoch(std::int64_t epoch) {
  plan(epoch);
  position_ = {epoch, 0};
}

void Batcher::restore(const BatchPosition& position) {
  if (position.epoch != position_.epoch) startEpoch(position.epoch);
  if (position.batch < 0 || position.batch > batchesInEpoch()) {
    throw Error("epoch {} of {} has no batch {}: it has {}", position.epoch,
                corpus_.path().string(), position.batch, batchesInEpoch());
  }
  position_ = position;
}

void Batcher::plan(std::int64_t epoch) {
  RandomStream random(options_.seed, kEpochStream + static_cast<std::uint64_t>(epoch));
  // 1. Draw the order of pairs of equal lengths, then sort: key above, drawn position below.
  std::vector<std::uint32_t> drawn(kept_.size());
  std::iota(drawn.begin(), drawn.end(), 0u);
  random.shuffle(std::span(drawn));
  std::vector<std::uint64_t> places(kept_.size());
  for (std::size_t i = 0; i < drawn.size(); ++i)
    places[i] = static_cast<std::uint64_t>(keys_[drawn[i]]) << 32 | i;
  std::sort(places.begin(), places.end());
  sorted_.resize(kept_.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    sorted_[i] = kept_[drawn[places[i] & 0xFFFFFFFFu]];
  // 2. Cut into batches.
  report_ = BatchCutter(corpus_, options_).cut(sorted_, starts_);
  report_.leftOut = leftOut_;
  // 3. Draw the order of the batches.
  order_ = numbersBelow(std::ssize(starts_) - 1);
  random.shuffle(std::span(order_));
}

EvaluationBatches::EvaluationBatches(const Corpus& corpus, BatchOptions options)
    : EvaluationBatches(corpus, options, numbersBelow(corpus.pairs())) {}

EvaluationBatches::EvaluationBatches(const Corpus& corpus, BatchOptions options,
                                     std::vector<std::int64_t> pairs)
    : corpus_(corpus), pairs_(std::move(pairs)) {
  checkOptions(options);
  std::stable_sort(pairs_.begin(), pairs_.end(), [&](std::int64_t a, std::int64_t b) {
    return sortKey(lengthsOf(corpus, a)) < sortKey(lengthsOf(corpus, b));
  });
  report_ = BatchCutter(corpus, options).cut(pairs_, starts_);
}

void EvaluationBatches::fill(std::int64_t index, Batch& batch) const {
  if (index < 0 || index >= size())
    throw Error("there is no evaluation batch {}; there are {}", index, size());
  fillBatch(corpus_, batchAt(index, starts_, pairs_), batch);
}

std::vector<std::int64_t> sampleOfPairs(std::int64_t pairs, std::int64_t count,
                                        std::uint64_t seed) {
  if (count >= pairs) return numbersBelow(std::max<std::int64_t>(pairs, 0));
  // Floyd's algorithm: memory only for the sample.
  std::vector<std::int64_t> sample;
  RandomStream random(seed, kSampleStream);
  std::unordered_set<std::int64_t> chosen;
  for (std::int64_t last = pairs - std::max<std::int64_t>(count, 0); last < pairs; ++last) {
    const auto drawn =
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(last) + 1));
    sample.push_back(chosen.insert(drawn).second ? drawn : last);
    chosen.insert(sample.back());
  }
  std::sort(sample.begin(), sample.end());
  return sample;
}

}  // namespace strata
