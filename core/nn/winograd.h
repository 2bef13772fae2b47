// A convolution with three taps by Winograd's minimal filtering (kernels/winograd.h): six products
// for every four positions or four for every two, where the plain sum takes twelve or six, and none
// for rows between sentences. In float32 results and gradients are up to three times as far from
// the exact ones as those of the plain sum, with 256 inputs about 1e-6 of their size.
#pragma once
#include <cstdint>

#include "core/nn/convolution.h"

namespace strata::cpu {

// Whether a convolution of B sentences with T positions is faster so. It depends on shapes only.
bool suitsWinograd(const WeightNorm& convolution, std::int64_t sentences, std::int64_t positions);

// convolutionGlu of parts [B, T, .], on the CPU in float32 or float64; lengths_B: true lengths,
// undefined: all positions are real.
torch::Tensor winogradGlu(const Parts& x, const WeightNorm& convolution,
                          const torch::Tensor& lengths_B, const ConvolutionOptions& options);

}  // namespace strata::cpu
