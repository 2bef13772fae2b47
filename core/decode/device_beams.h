// The bookkeeping of a beam search on a GPU: hypotheses, their totals and their words stay there,
// and a step's only transfer says which sentences go on. It is that of models.md 6, tie by tie, for
// searches without prefixes, restrictions, draws and recordings; beam_search.cpp has the rest.
//   N sentences that are not completed, K beam, M hypotheses of each sentence: one before the first
//   word, then K; R = N M rows of a step, V words, C candidates of a row, W candidates of a
//   sentence
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/batch.h"

namespace strata {

class DeviceBeams {
 public:
  struct Options {
    std::int64_t beam = 1;
    std::vector<std::int64_t> limits;  // of each sentence's tokens, </s> included; of all sentences
    std::span<const TokenId> ids = {};  // of a step's columns; empty: their numbers. Outlive this.
  };
  // `sentences`: those that begin.
  DeviceBeams(Options options, std::vector<std::size_t> sentences, const torch::Device& device);

  bool done() const { return sentences_.empty(); }                          // no sentence goes on
  const std::vector<std::size_t>& sentences() const { return sentences_; }  // that go on, in order
  // What the next step continues and feeds, on the device; rows undefined: all rows, as they are.
  struct Next {
    torch::Tensor rows_R, tokens_R;
  };
  // Extends every hypothesis by a word; log-probabilities [R, V] of step 1, 2, ...
  Next advance(const torch::Tensor& logProbabilities_RV, std::int64_t step);

  // Sentences that begin after step 1, 2, ...: K rows for each, after all others.
  void admit(std::span<const std::size_t> sentences, std::int64_t step);

  // One word of a hypothesis.
  struct Word {
    std::size_t sentence = 0;
    std::int64_t row = 0;  // of the step that gave the word
    TokenId token = 0;
    double logProbability = 0, total = 0;  // of the word; of the hypothesis
    std::int64_t next = -1;                // row of the next step that continues it; -1: none does
  };
  // Of each step, those that complete a sentence's hypotheses first, best first; in one transfer.
  std::vector<std::vector<Word>> history() const;

 private:
  // The best candidates of every sentence, best first; total -infinity: none.
  struct Candidates {
    torch::Tensor totals_NW, columns_NW, values_NW, rows_NW;
  };
  torch::Tensor limitsOf(std::span<const std::size_t> sentences) const;
  Candidates candidates(const torch::Tensor& logProbabilities_RV, std::int64_t step) const;
  // Where a sentence is as long as it may be, </s> alone.
  void endAtLimit(const torch::Tensor& logProbabilities_RV, std::int64_t step,
                  torch::Tensor& values_RC, torch::Tensor& columns_RC) const;

  // Lets go of the sentences that do not live; the numbers of those that do, or undefined: all.
  torch::Tensor keepLiving(const torch::Tensor& living_N);

  struct Step {
    torch::Tensor kept, ended;           // [N, K, 4] and [N, W, 3], as history() reads them
    std::vector<std::size_t> sentences;  // N
    std::vector<std::int64_t> places;    // of each among those that go on; -1: it does not
  };

  Options options_;
  torch::Device device_;
  torch::Tensor ids_V_;  // on the device; undefined: the columns' numbers
  std::vector<std::size_t> sentences_;
  torch::Tensor limits_N_, totals_NM_, completed_N_;  // completed: hypotheses of each sentence
  std::vector<Step> steps_;
};

}  // namespace strata
