// The steps of a post-norm Transformer and of other layers with residual connections, each as one
// differentiable function. On the CPU in float32 and float64 they run as single passes over memory
// that keep only what back-propagation needs; elsewhere (GPU, bf16) they are the same arithmetic in
// libtorch's operators.
//   B sentences, T queries, S keys, H heads, D model width, N rows (any leading axes)
#pragma once
#include <torch/types.h>

#include <vector>

#include "core/nn/arithmetic.h"
#include "core/nn/dropout.h"
#include "core/nn/layers.h"
#include "core/nn/recorder.h"
#include "core/nn/word_rows.h"

namespace strata {

// x [W_1; W_2; ...]^T + [b_1; b_2; ...]: several projections of one input as one product, without
// copying weights that are a group of AdjacentParameters. All of them have a bias, or none. What
// they give is for products, like the queries, keys and values of an attention: affineFactor().
torch::Tensor packedLinear(const torch::Tensor& x, const std::vector<Linear>& projections);
// The same, and x for a residual connection around what is made of them: its gradient is then added
// up by the product.
struct Projected {
  torch::Tensor product, x;
};
Projected packedLinearAndInput(const torch::Tensor& x, const std::vector<Linear>& projections);

// LN(x + Dropout(W_2 Dropout(ReLU(W_1 x + b_1)) + b_2)), with or without x added; the biases may be
// absent.
struct FeedForwardSteps {
  const Linear &first, &second;
  const LayerNorm& norm;
  RowDropout inner = {}, outer = {};
  bool residual = true;
};
torch::Tensor feedForward(const torch::Tensor& x, const FeedForwardSteps& steps);

// LN(residual + Dropout(x W^T + b)); b and the residual may be absent.
torch::Tensor linearDropoutNorm(const torch::Tensor& x, const Linear& linear,
                                const torch::Tensor& residual, const LayerNorm& norm,
                                const RowDropout& dropout);

// (a + b) * factor of two tensors of the same shape.
torch::Tensor scaledSum(const torch::Tensor& a, const torch::Tensor& b, double factor);

// Dropout(scale * table[ids] + positions): ids [B, T], positions [T, D] or undefined: none. A word
// that is cut out has id -1 and a zero embedding.
torch::Tensor embed(const torch::Tensor& table, const torch::Tensor& ids_BT, double scale,
                    const torch::Tensor& positions_TD, const RowDropout& dropout);

struct AttentionOptions {
  std::int64_t heads = 1;
  bool causal = false;
  Dropout dropout = {};  // of the weights
  double scale = 0;      // of the scores; 0: 1/sqrt(D/H)
  Published map = {};    // of the weights before dropout; exact zeros at masked positions
};
struct AttentionRows {
  const WordRows& queries;
  const WordRows& keys;
};
// Scaled dot-product attention; the heads are consecutive groups of D/H columns. The result is the
// context [B, T, D], zeros for padded queries of selfAttention. Inputs without padding [1, N, ..]
// give results without padding; on the CPU only, and without a map.
torch::Tensor selfAttention(const torch::Tensor& queriesKeysValues_BT3D, const WordRows& rows,
                            const AttentionOptions& options);
torch::Tensor crossAttention(const torch::Tensor& queries_BTD, const torch::Tensor& keysValues_BS2D,
                             const AttentionRows& rows, const AttentionOptions& options);
// Memory of attentions whose results are added up: the keys K_j of each, and C, which they share;
// the values are V_j = scale (K_j + C). If several functions read the same memory, like the layers
// of a decoder, readByMany lets each add to one gradient instead of leaving one more to be summed.
struct GradientSum : torch::CustomClassHolder {
  std::vector<torch::Tensor> all;  // K_1, K_2, ..., C; empty until a reader's gradients arrived
};
struct SummedMemory {
  std::vector<torch::Tensor> keys_BSD;
  torch::Tensor shared_BSD;
  double scale = 1;
  std::vector<torch::Tensor> forced_BSD = {};      // replacement values; empty: none
  c10::intrusive_ptr<GradientSum> gradients = {};  // null: not shared
  torch::Tensor values(std::size_t part) const;
};
SummedMemory readByMany(SummedMemory memory);

// The sum of the attentions, with the same queries, each with its own dropout and map; heads and
// scale are the same in all options.
torch::Tensor summedAttention(const torch::Tensor& queries_BTD, const SummedMemory& memory,
                              const SourceBatch& source,
                              const std::vector<AttentionOptions>& options);

// The factor of attention scores for heads of this width and an option `scale`.
double scoreScale(double scale, std::int64_t headWidth);

}  // namespace strata
