// The kernels of core/nn/kernels as differentiable functions, for CPU tensors in float32 and
// float64. Callers go through core/nn/fused.h.
#pragma once
#include "core/nn/fused.h"

namespace strata::cpu {

// keysValues undefined: `queries` contains them as well.
torch::Tensor attention(const torch::Tensor& queries, const torch::Tensor& keysValues,
                        const AttentionRows& rows, const AttentionOptions& options);
SummedMemory readByMany(SummedMemory memory);
torch::Tensor summedAttention(const torch::Tensor& queries, const SummedMemory& memory,
                              const SourceBatch& source,
                              const std::vector<AttentionOptions>& options);

}  // namespace strata::cpu
