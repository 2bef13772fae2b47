// What incremental decoding keeps: keys and values of the words fed so far, and of the source.
#pragma once
#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "core/nn/translation_model.h"

namespace strata {

// Whose word each row continues. Shared by all layers: keys and values stay where they were
// written, and reordering moves only these numbers.
class Ancestry {
 public:
  explicit Ancestry(std::int64_t rows);  // one row a sentence, in order

  void advance();  // a word has been fed to every row: position steps()-1 belongs to the row itself
  void reorder(const std::vector<std::int64_t>& rows);

  std::int64_t rows() const { return rows_; }
  std::int64_t steps() const { return static_cast<std::int64_t>(ancestors_.size()); }
  // [steps, rows]: the row that held row r's word of each step when it was written.
  std::vector<std::int32_t> table() const;
  const std::vector<std::int32_t>& sentences() const {
    return sentences_;
  }  // of the memory, one a row

 private:
  std::int64_t rows_;
  std::vector<std::vector<std::int32_t>> ancestors_;  // one a step
  std::vector<std::int32_t> sentences_;
};

struct StepAttention {
  torch::Tensor context_RD;
  torch::Tensor
      weights_RHS;  // undefined unless wanted; over the words so far, or the source positions
};

// Self-attention of one layer over the words so far.
class HistoryCache {
 public:
  // queriesKeysValues [R, 3D] of the words that were just fed; it becomes part of the cache.
  // `table` is the ancestry's after advance().
  StepAttention attend(const torch::Tensor& queriesKeysValues_R3D, const Ancestry& ancestry,
                       const std::vector<std::int32_t>& table, std::int64_t heads,
                       bool wantWeights);

 private:
  StepAttention attendWithKernels(const torch::Tensor& newest, const Ancestry& ancestry,
                                  const std::vector<std::int32_t>& table, std::int64_t heads,
                                  bool wantWeights) const;
  StepAttention attendPlainly(const torch::Tensor& newest, const Ancestry& ancestry,
                              const std::vector<std::int32_t>& table, std::int64_t heads,
                              bool wantWeights) const;
  std::vector<torch::Tensor> slices_R3D_;  // one a step, as many rows as there were then
};

// Attention to the source: keysValues [B, S, 2D] of the memory's sentences, which rows share.
StepAttention attendSource(const torch::Tensor& queries_RD, const torch::Tensor& keysValues_BS2D,
                           const SourceBatch& source, const Ancestry& ancestry, std::int64_t heads,
                           bool wantWeights);

}  // namespace strata
