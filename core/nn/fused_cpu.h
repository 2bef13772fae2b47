// The kernels of core/nn/kernels as differentiable functions, for CPU tensors in float32 and
// float64. Callers go through core/nn/fused.h.
#pragma once
#include "core/nn/fused.h"

namespace strata::cpu {

// Those of core/nn/arithmetic.h and core/nn/fused.h.
torch::Tensor affineRows(const torch::Tensor& x, const torch::Tensor& weight,
                         const torch::Tensor& bias);
Projected packedLinear(const torch::Tensor& x, const std::vector<torch::Tensor>& weightsAndBiases,
                       std::size_t weights);
torch::Tensor feedForward(const torch::Tensor& x, const FeedForwardSteps& steps);
torch::Tensor linearDropoutNorm(const torch::Tensor& x, const Linear& linear,
                                const torch::Tensor& residual, const LayerNorm& norm,
                                const RowDropout& dropout);
torch::Tensor scaledSum(const torch::Tensor& a, const torch::Tensor& b, double factor);
torch::Tensor embed(const torch::Tensor& table, const torch::Tensor& ids, double scale,
                    const torch::Tensor& positions, const RowDropout& dropout);
// LN(residual + Dropout(product + b)) without gradients; `product` is overwritten.
torch::Tensor dropoutNorm(const torch::Tensor& product, const Linear& linear,
                          const torch::Tensor& residual, const LayerNorm& norm,
                          const RowDropout& dropout);

// keysValues undefined: `queries` contains them as well.
torch::Tensor attention(const torch::Tensor& queries, const torch::Tensor& keysValues,
                        const AttentionRows& rows, const AttentionOptions& options);
SummedMemory readByMany(SummedMemory memory);
torch::Tensor summedAttention(const torch::Tensor& queries, const SummedMemory& memory,
                              const SourceBatch& source,
                              const std::vector<AttentionOptions>& options);

}  // namespace strata::cpu
