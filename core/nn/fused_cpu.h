// The kernels of core/nn/kernels as differentiable functions, for CPU tensors in float32 and
// float64. Callers go through core/nn/fused.h.
#pragma once
#include "core/nn/fused.h"

namespace strata::cpu {

torch::Tensor dropout(const torch::Tensor& x, const Dropout& dropout);
torch::Tensor packedLinear(const torch::Tensor& x, const std::vector<Linear>& projections);
torch::Tensor linearReluDropout(const torch::Tensor& x, const Linear& linear,
                                const Dropout& dropout);
torch::Tensor linearDropoutNorm(const torch::Tensor& x, const Linear& linear,
                                const torch::Tensor& residual, const LayerNorm& norm,
                                const Dropout& dropout);
torch::Tensor embed(const torch::Tensor& table, const torch::Tensor& ids_BT, double scale,
                    const torch::Tensor& positions_TD, const Dropout& dropout);
// keysValues undefined: `queries` contains them as well.
torch::Tensor attention(const torch::Tensor& queries, const torch::Tensor& keysValues,
                        const SourceBatch& source, const AttentionOptions& options);
SummedMemory readByMany(SummedMemory memory);
torch::Tensor summedAttention(const torch::Tensor& queries, const SummedMemory& memory,
                              const SourceBatch& source,
                              const std::vector<AttentionOptions>& options);

}  // namespace strata::cpu
