// What incremental decoding keeps: keys and values of the words fed so far, and of the source.
#pragma once
#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "core/nn/recorder.h"
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

  // For products in libtorch's operators, int64 on their device, brought there once however many
  // layers ask: the sentences, and where each row's words [rows x steps] are when the rows that
  // were written in every step follow one another.
  const torch::Tensor& sentences(const torch::Device& device) const;
  const torch::Tensor& places(const torch::Device& device) const;

 private:
  std::int64_t rows_;
  std::vector<std::vector<std::int32_t>> ancestors_;  // one a step
  std::vector<std::int64_t> written_;                 // rows that each step had
  std::vector<std::int32_t> sentences_;
  mutable torch::Tensor sentencesThere_, places_;  // undefined: to be made
};

// One query a row; the result is the context [R, D].
struct StepOptions {
  std::int64_t heads = 1;
  Published map = {};  // of the weights, one target position: over the words so far, or the source
  double scale = 0;    // of the scores; 0: 1/sqrt(D/H)
};

// The same of keys and values [R, S, 2D] of the rows' own, padding_RS marking what is none (may be
// undefined), in libtorch's operators.
torch::Tensor attendRows(const torch::Tensor& queries_RD, const torch::Tensor& keysValues_RS2D,
                         const torch::Tensor& padding_RS, const StepOptions& options);

// Self-attention of one layer over the words so far.
class HistoryCache {
 public:
  // queriesKeysValues [R, 3D] of the words that were just fed; it becomes part of the cache.
  // `table` is the ancestry's after advance().
  torch::Tensor attend(const torch::Tensor& queriesKeysValues_R3D, const Ancestry& ancestry,
                       const std::vector<std::int32_t>& table, const StepOptions& options);

  // The first half of attend() for those who attend by themselves: takes the newest words in.
  void add(const torch::Tensor& queriesKeysValues_R3D) {
    slices_R3D_.push_back(queriesKeysValues_R3D);
  }
  // Keys and values [R, steps, 2D] of every row's own words.
  torch::Tensor gathered(const Ancestry& ancestry) const;

 private:
  torch::Tensor attendWithKernels(const torch::Tensor& newest, const Ancestry& ancestry,
                                  const std::vector<std::int32_t>& table,
                                  const StepOptions& options) const;
  std::vector<torch::Tensor> slices_R3D_;  // one a step, as many rows as there were then
};

// Attention to the source: keysValues [B, S, 2D] of the memory's sentences, which rows share.
torch::Tensor attendSource(const torch::Tensor& queries_RD, const torch::Tensor& keysValues_BS2D,
                           const SourceBatch& source, const Ancestry& ancestry,
                           const StepOptions& options);
// Keys and values [R, S, 2D] of every row's sentence, and their padding (may be undefined).
struct SourceRows {
  torch::Tensor keysValues_RS2D, padding_RS;
};
SourceRows sourceRows(const torch::Tensor& keysValues_BS2D, const SourceBatch& source,
                      const Ancestry& ancestry);

}  // namespace strata
