#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/data/batch.h"
#include "core/data/corpus.h"

namespace strata {

// Every length here includes </s>.
struct BatchOptions {
  enum class Unit { kTokens, kSentences };
  Unit unit = Unit::kTokens;
  std::int64_t size =
      4096;  // kTokens: sentences x longest sentence of either side <= size, with padding
  std::int64_t maxLength = 0;  // longer pairs (on either side) are left out; 0: no limit
  std::int64_t lengthMultiple =
      1;                   // sentences of a training batch are padded to one of its multiples
  std::uint64_t seed = 1;  // of the epochs' orders
  // Every pair occurs a second time with its sides swapped, as pair pairs() + its number. Needs one
  // joint vocabulary.
  bool bidirectional = false;
};

// The length of the longest pairs that are trained on: of maxLength, or that a full batch holds; 0:
// no limit.
std::int64_t longestTrained(const BatchOptions& options);
// The pairs that are longer, in both directions if they are trained so.
std::int64_t pairsLeftOut(const Corpus& corpus, const BatchOptions& options);

// Statistics of a plan of batches.
struct BatchReport {
  std::int64_t sentences = 0, batches = 0;
  std::int64_t leftOut = 0;  // pairs: pairsLeftOut()
  std::int64_t sourceTokens = 0, targetTokens = 0;
  std::int64_t padded = 0;      // positions of both sides, including padding
  double paddingWaste() const;  // 1 - real / padded positions over both sides
};

// The position of training: the next batch.
struct BatchPosition {
  std::int64_t epoch = 0;  // from 0
  std::int64_t batch = 0;  // within the epoch
  bool operator==(const BatchPosition&) const = default;
};

// Fills `batch` with these pairs of the corpus, reusing its memory. From index pairs() on, sides
// are swapped.
void fillBatch(const Corpus& corpus, std::span<const std::int64_t> pairs, Batch& batch,
               std::int64_t lengthMultiple = 1);

// Training batches: pairs of similar length together, batches in a random order per epoch that
// depends only on seed and epoch, so that a position restores exactly. Not thread-safe.
class Batcher {
 public:
  // The corpus must outlive the batcher. A corpus with every pair left out is an Error.
  Batcher(const Corpus& corpus, BatchOptions options);

  // The next batch of the epoch; false at its end. Then startEpoch(position().epoch + 1).
  bool next(Batch& batch);
  void startEpoch(std::int64_t epoch);
  BatchPosition position() const { return position_; }
  // Continues at a saved position. Costs as much as starting an epoch.
  void restore(const BatchPosition& position);

  std::int64_t batchesInEpoch() const { return static_cast<std::int64_t>(order_.size()); }
  const BatchReport& report() const { return report_; }  // of the current epoch
  const BatchOptions& options() const { return options_; }

 private:
  void plan(std::int64_t epoch);

  const Corpus& corpus_;
  BatchOptions options_;
  std::vector<std::int64_t> kept_;   // pairs that are not left out
  std::vector<std::uint32_t> keys_;  // of each kept pair: its length's position in the order
  std::int64_t leftOut_ = 0;
  std::vector<std::int64_t> sorted_;  // kept pairs by length, ties in drawn order
  std::vector<std::int64_t> starts_;  // of each batch in sorted_, and the end
  std::vector<std::int64_t> order_;   // batches in the order of the epoch
  BatchPosition position_;
  BatchReport report_;
};

// Batches for scoring and decoding: each pair once, none left out, sorted by length for speed;
// Batch::sentences has the pairs' indices, which restore the order of results.
class EvaluationBatches {
 public:
  EvaluationBatches(const Corpus& corpus, BatchOptions options);
  EvaluationBatches(const Corpus& corpus, BatchOptions options, std::vector<std::int64_t> pairs);

  std::int64_t size() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  void fill(std::int64_t index, Batch& batch) const;
  const BatchReport& report() const { return report_; }

 private:
  const Corpus& corpus_;
  std::vector<std::int64_t> pairs_, starts_;
  BatchReport report_;
};

// `count` different numbers below `pairs` (all if there are fewer), ascending, which depend only on
// the seed: the fixed sample of the training set that `train-sample:N` evaluates.
std::vector<std::int64_t> sampleOfPairs(std::int64_t pairs, std::int64_t count, std::uint64_t seed);

}  // namespace strata
