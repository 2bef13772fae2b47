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
// The sum of one attention an option. memory: nothing, where queries holds keys and values too; one
// tensor of both; or keys and values for each option in turn. heads, causal and scale are the same
// in all options.
torch::Tensor attention(const torch::Tensor& queries, const std::vector<torch::Tensor>& memory,
                        const SourceBatch& source, const std::vector<AttentionOptions>& options);

}  // namespace strata::cpu
