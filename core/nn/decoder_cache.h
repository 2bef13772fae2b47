// Caches of incremental decoding: keys and values of the words fed so far, and of the source.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/nn/recorder.h"
#include "core/nn/translation_model.h"
#include "core/nn/word_rows.h"

namespace strata {

// Which row each row's earlier words were written in. Shared by all layers: keys and values stay
// where they were written, and reordering changes only these indices.
class Backpointers {
 public:
  explicit Backpointers(std::int64_t rows);  // one row per sentence, in order

  void advance();  // a word has been fed to every row: position steps()-1 is the row itself
  // New row i continues old row rows[i], int64. Rows on a GPU keep everything there from then on:
  // what is for kernels is not available any more.
  void reorder(const torch::Tensor& rows);

  std::int64_t rows() const { return rows_; }
  std::int64_t steps() const { return static_cast<std::int64_t>(written_.size()); }
  const std::vector<std::int64_t>& written() const { return written_; }  // rows of each step
  // [steps, rows]: the row that row r's word of each step was written in. For kernels; put together
  // once for all layers, and valid until the next call of advance or reorder.
  const std::vector<std::int32_t>& table() const;
  const std::vector<std::int32_t>& sentences() const;  // of the memory, one per row

  // For products in libtorch's operators, int64 on their device, uploaded once for all layers: the
  // sentences, and the positions of each row's words [rows x steps] if the rows written in every
  // step are concatenated.
  const torch::Tensor& sentences(const torch::Device& device) const;
  const torch::Tensor& places(const torch::Device& device) const;

 private:
  void reorderOnHost(const torch::Tensor& rows);
  void reorderOnDevice(const torch::Tensor& rows);

  std::int64_t rows_, allWritten_ = 0;  // allWritten_: the sum of written_
  bool onDevice_ = false;
  std::vector<std::vector<std::int32_t>> backpointers_;  // one per step
  std::vector<std::int64_t> written_;
  std::vector<std::int32_t> sentences_;
  // Empty or undefined: not computed yet. On the device from the first reordering there on, they
  // are all there is.
  mutable std::vector<std::int32_t> table_;
  mutable torch::Tensor sentencesOnDevice_, places_;
};

// A tensor of a decoder state with one entry per row along `axis`; it may be undefined.
struct RowTensor {
  torch::Tensor& kept;
  std::int64_t axis = 0;
};

// The state of a model whose rows are decoded in parallel: the sentence and the earlier words that
// a row continues, and tensors with one entry per row. A model's own state only lists those
// tensors; how they follow their rows is defined here.
class RowState : public DecoderState {
 public:
  explicit RowState(std::int64_t sentences) : backpointers(sentences) {}
  void reorder(const torch::Tensor& rows) final;
  std::int64_t rows() const final { return backpointers.rows(); }

  Backpointers backpointers;

 protected:
  virtual std::vector<RowTensor> rowTensors() { return {}; }
};

// One query per row; the result is the context [R, D].
struct StepOptions {
  std::int64_t heads = 1;
  Published map = {};  // of the weights, one target position: over the words so far, or the source
  double scale = 0;    // of the scores; 0: 1/sqrt(D/H)
};

// The same for keys and values [R, S, 2D] of each row, with padding mask padding_RS (may be
// undefined), in libtorch's operators.
torch::Tensor attendRows(const torch::Tensor& queries_RD, const torch::Tensor& keysValues_RS2D,
                         const torch::Tensor& padding_RS, const StepOptions& options);

// Self-attention of one layer over the words so far: keeps their keys and values.
class HistoryCache {
 public:
  // queriesKeysValues [R, 3D] of the words that were just fed. The backpointers have advanced.
  torch::Tensor attend(const torch::Tensor& queriesKeysValues_R3D, const Backpointers& backpointers,
                       const StepOptions& options);

  // The first half of attend(), for callers that compute attention themselves: adds the newest
  // words.
  void add(const torch::Tensor& queriesKeysValues_R3D);
  // Keys and values [R, steps, 2D] of every row's words.
  torch::Tensor gathered(const Backpointers& backpointers);

 private:
  // Each of one step or of several: together the rows that were written, step by step.
  std::vector<torch::Tensor> parts_N2D_;
};

// Attention over the source: keysValues [B, S, 2D] of the memory's sentences (or [1, N, 2D] without
// padding), which rows of queries share.
torch::Tensor attendSource(const torch::Tensor& queries_RD, const torch::Tensor& keysValues_BS2D,
                           const WordRows& source, const Backpointers& backpointers,
                           const StepOptions& options);
// Keys and values [R, S, 2D] of every row's sentence, and their padding mask (may be undefined).
struct SourceRows {
  torch::Tensor keysValues_RS2D, padding_RS;
};
SourceRows sourceRows(const torch::Tensor& keysValues_BS2D, const torch::Tensor& padding_BS,
                      const Backpointers& backpointers);

}  // namespace strata
