// The kernels of core/nn/kernels/convolution.cpp as differentiable functions, for CPU tensors in
// float32 and float64. Callers go through core/nn/convolution.h.
#pragma once
#include "core/nn/convolution.h"

namespace strata::cpu {

// taps: [K, O, I].
torch::Tensor convolutionGlu(const Parts& x, const torch::Tensor& taps_KOI,
                             const torch::Tensor& bias_O, const SourceBatch& source,
                             const ConvolutionOptions& options);
// GLU(product + bias) of product [R, O], which is overwritten; no gradient.
torch::Tensor glu(const torch::Tensor& product_RO, const torch::Tensor& bias_O);
torch::Tensor linear(const Parts& x, const torch::Tensor& weight_OI, const torch::Tensor& bias_O);

}  // namespace strata::cpu
