// Which rows of a matrix are the words of which sentence: with padding, [B, T, D] has a row for
// every position; without it, [1, N, D] has the real words of all sentences, one below the other.
#pragma once
#include <torch/types.h>

#include "core/nn/translation_model.h"

namespace strata {

struct WordRows {
  WordRows() = default;  // [B, T, D], no sentence shorter than another
  // [B, S, D], padded as `source` is.
  WordRows(const SourceBatch& source)  // NOLINT(google-explicit-constructor): a view of it
      : lengths_B(source.lengthsIfPadded()), padding_BT(source.padding_BS) {}

  torch::Tensor lengths_B;   // int64; undefined: all positions of every sentence
  torch::Tensor padding_BT;  // bool, true where padded; undefined without padded positions
  // Without padding, int64 on the CPU: the row of each sentence's first word, and for every row
  // b * positions + t.
  torch::Tensor starts_B, places_N;
  std::int64_t positions = 0;  // the longest sentence's, if there is no padding

  bool unpadded() const { return starts_B.defined(); }
  // The rows [1, N, ..] of x [B, T, ..]; x itself where padding is kept.
  torch::Tensor taken(const torch::Tensor& x_BT) const;
  // The same for what all sentences share: x [T, D] becomes [N, D].
  torch::Tensor repeated(const torch::Tensor& x_TD) const;
  // x [1, N, D] as [B, T, D] with zeros at padded positions; differentiable. x itself where padding
  // is kept.
  torch::Tensor spread(const torch::Tensor& x_1ND) const;
};

// The true lengths [B] of sentences [B, T], right-padded, int64.
torch::Tensor lengthsOf(const torch::Tensor& ids_BT);
// The same where a recurrence need not take the steps after them: on the CPU, if nobody watches
// them. Else undefined: all steps are taken.
torch::Tensor lengthsToTake(const torch::Tensor& ids_BT, const Recorder* recorder);

// Rows without padding for ids [B, T], right-padded, on the CPU; with padding if no sentence is
// shorter than another. lengths: of the sentences, if known.
WordRows rowsWithoutPadding(const torch::Tensor& ids_BT, torch::Tensor lengths_B = {});

}  // namespace strata
