// The steps that a post-norm Transformer is made of, each as one differentiable function. On the
// CPU in float32 and float64 they run as single passes over memory that keep only what
// back-propagation needs; elsewhere (a GPU, bf16) they are the same arithmetic in libtorch's
// operators.
//   B sentences, T queries, S keys, H heads, D model width, N rows (any leading axes)
#pragma once
#include <torch/torch.h>

#include <vector>

#include "core/nn/arithmetic.h"
#include "core/nn/dropout.h"
#include "core/nn/layers.h"
#include "core/nn/recorder.h"

namespace strata {

// x [W_1; W_2; ...]^T + [b_1; b_2; ...]: several projections of one input as one product, which
// copies no weight where they are a group of AdjacentParameters. All of them have a bias, or none.
torch::Tensor packedLinear(const torch::Tensor& x, const std::vector<Linear>& projections);

// Dropout(ReLU(x W^T + b)); b may be absent.
torch::Tensor linearReluDropout(const torch::Tensor& x, const Linear& linear,
                                const Dropout& dropout);

// LN(residual + Dropout(x W^T + b)); b and the residual may be absent.
torch::Tensor linearDropoutNorm(const torch::Tensor& x, const Linear& linear,
                                const torch::Tensor& residual, const LayerNorm& norm,
                                const Dropout& dropout);

// Dropout(scale * table[ids] + positions): ids [B, T], positions [T, D] or undefined: none. A word
// that is cut out has the id -1 and the embedding zero.
torch::Tensor embed(const torch::Tensor& table, const torch::Tensor& ids_BT, double scale,
                    const torch::Tensor& positions_TD, const Dropout& dropout);

struct AttentionOptions {
  std::int64_t heads = 1;
  bool causal = false;
  Dropout dropout = {};  // of the weights
  double scale = 0;      // of the scores; 0: 1/sqrt(D/H)
  Published map = {};    // of the weights before dropout; exact zeros at masked positions
};
// Scaled dot-product attention, heads of D/H columns in order. `source` says which keys are
// padding; undefined lengths: none is. The result is the context [B, T, D].
torch::Tensor selfAttention(const torch::Tensor& queriesKeysValues_BT3D, const SourceBatch& source,
                            const AttentionOptions& options);
torch::Tensor crossAttention(const torch::Tensor& queries_BTD, const torch::Tensor& keysValues_BS2D,
                             const SourceBatch& source, const AttentionOptions& options);
// What attentions read whose results are added up: the keys K_j of each, and C, which they share;
// the values are V_j = scale (K_j + C). Where many read the same, as the layers of a decoder do,
// readByMany lets each add to one gradient instead of leaving one more to be summed.
struct GradientSum : torch::CustomClassHolder {
  std::vector<torch::Tensor> all;  // of K_1, K_2, ..., C; empty until a reader's gradients came
};
struct SummedMemory {
  std::vector<torch::Tensor> keys_BSD;
  torch::Tensor shared_BSD;
  double scale = 1;
  std::vector<torch::Tensor> forced_BSD = {};      // values in place of those; empty: none
  c10::intrusive_ptr<GradientSum> gradients = {};  // null: none that is shared
  torch::Tensor values(std::size_t part) const;
};
SummedMemory readByMany(SummedMemory memory);

// The sum of the attentions, with the same queries, each with dropout and a map of its own; heads
// and scale are the same in all options.
torch::Tensor summedAttention(const torch::Tensor& queries_BTD, const SummedMemory& memory,
                              const SourceBatch& source,
                              const std::vector<AttentionOptions>& options);

// What scores of heads of this width are multiplied by where an option asks for `scale`.
double scoreScale(double scale, std::int64_t headWidth);

}  // namespace strata
