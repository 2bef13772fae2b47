// A convolution with three taps by Winograd's minimal filtering (kernels/winograd.h): six products
// for every four positions or four for every two, where the plain sum takes twelve or six, and none
// for rows between sentences. In float32 results and gradients are up to three times as far from
// the exact ones as those of the plain sum, with 256 inputs about 1e-6 of their size.
#pragma once
#include <cstdint>

#include "core/nn/function_cpu.h"

namespace strata::cpu {

struct WinogradOptions {
  std::int64_t left = 0;  // taps that read earlier positions
  Tensor lengths = {};    // [B], true lengths; undefined: all positions are real
  Dropout dropout = {};   // of the input
};

// Whether a convolution of B sentences with T positions is faster so. It depends on shapes only.
bool suitsWinograd(const Tensor& taps_KOI, std::int64_t sentences, std::int64_t positions);

// convolutionGlu (convolution.h) of parts [B, T, .], on the CPU in float32 or float64.
Tensor winogradGlu(at::TensorList parts, const Tensor& taps_KOI, const Tensor& bias_O,
                   const WinogradOptions& options);

}  // namespace strata::cpu
