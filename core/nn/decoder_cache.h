// Caches of incremental decoding: keys and values of the words fed so far, and of the source.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "core/nn/recorder.h"
#include "core/nn/translation_model.h"
#include "core/nn/word_rows.h"

namespace strata {

// Whether layers read the earlier words themselves, and not only a state that they have led to.
enum class EarlierWords { kRead, kNotRead };

// Which sentence each row continues and which row its earlier words were written in. Shared by all
// layers: keys and values stay where they were written, and reordering changes only these indices.
class Backpointers {
 public:
  // One row per sentence, in order. Where earlier words are not read, table() and places() do not
  // exist.
  explicit Backpointers(std::int64_t rows, EarlierWords words = EarlierWords::kRead);

  void advance();  // a word has been fed to every row: position steps()-1 is the row itself
  // New row i continues old row rows[i], int64. Rows on a GPU keep everything there from then on:
  // what is for kernels is not available any more.
  void reorder(const torch::Tensor& rows);
  // More rows, after the present ones: each at the beginning of a sentence, int64.
  void admit(const torch::Tensor& sentences);
  // No row continues more than `steps` words: what was written before is let go of.
  void forget(std::int64_t steps);

  std::int64_t rows() const { return rows_; }
  std::int64_t steps() const { return steps_; }          // that are kept
  std::int64_t forgotten() const { return forgotten_; }  // rows that were written before them
  const std::vector<std::int64_t>& written() const { return written_; }  // rows of each step
  // [steps, rows]: the row that row r's word of each step was written in. For kernels; put together
  // once for all layers, and valid until the rows or the steps change.
  const std::vector<std::int32_t>& table() const;
  const std::vector<std::int32_t>& sentences() const;  // of the memory, one per row

  // For products in libtorch's operators, int64 on their device, uploaded once for all layers: the
  // sentences, and the positions of each row's words [rows x steps] if the rows written in every
  // step are concatenated.
  const torch::Tensor& sentences(const torch::Device& device) const;
  const torch::Tensor& places(const torch::Device& device) const;

  // The step of each row's first word; empty or undefined: 0 for all. For kernels, and int64 [R].
  const std::vector<std::int64_t>& begins() const;
  const torch::Tensor& begins(const torch::Device& device) const;
  // The positions of the words that were just fed: int64 [R], or [1] if all rows are at the same.
  torch::Tensor newest(const torch::Device& device) const;
  // [R, steps], true where a step came before a row's first word; undefined: nowhere.
  const torch::Tensor& notYet(const torch::Device& device) const;

 private:
  void reorderOnHost(const torch::Tensor& rows);
  void reorderOnDevice(const torch::Tensor& rows);
  void dropComputed();

  EarlierWords words_;
  std::int64_t rows_, steps_ = 0, allWritten_ = 0, forgotten_ = 0;  // all: the sum of written_
  bool onDevice_ = false, together_ = true;  // together: every row began with the first step
  std::vector<std::vector<std::int32_t>> backpointers_;  // one per step
  std::vector<std::int64_t> written_, begins_;
  std::vector<std::int32_t> sentences_;
  // Empty or undefined: not computed yet. On the device from the first reordering there on, they
  // are all there is, but for the last, which is computed from them.
  mutable std::vector<std::int32_t> table_;
  mutable torch::Tensor sentencesOnDevice_, places_, beginsOnDevice_, notYet_;
};

// A tensor of a decoder state with one entry per row along `axis`; undefined before the first step,
// or where there is none.
struct RowTensor {
  torch::Tensor& kept;
  torch::Tensor begun;  // what it is for each sentence before the first word; undefined: zeros
  std::int64_t axis = 0;
};

// The state of a model whose rows are decoded in parallel: the sentence and the earlier words that
// a row continues, and tensors with one entry per row. A model's own state only lists those
// tensors; how they follow their rows is defined here.
class RowState : public DecoderState {
 public:
  explicit RowState(std::int64_t sentences, EarlierWords words = EarlierWords::kRead)
      : backpointers(sentences, words) {}
  void reorder(const torch::Tensor& rows) final;
  void admit(const torch::Tensor& sentences) final;
  void forget(std::int64_t steps) final { backpointers.forget(steps); }
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
  // Keys and values [R, steps, 2D] of every row's words; those of Backpointers::notYet() have no
  // meaning.
  torch::Tensor gathered(const Backpointers& backpointers);

 private:
  void forget(const Backpointers& backpointers);

  // Each of one step or of several: together the rows that were written, step by step.
  std::vector<torch::Tensor> parts_N2D_;
  std::int64_t forgotten_ = 0;  // rows before them
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
