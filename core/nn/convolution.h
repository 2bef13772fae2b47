// Convolutions over the positions of sentences and the layers around them in convolutional models,
// each as one differentiable function. On the CPU in float32 and float64 a convolution is a few
// products over one buffer that holds the sentences with rows of zeros between them: nothing is
// unfolded, and dropout costs no extra pass. Convolutions of larger batches with three taps take
// fewer products (winograd.h). Elsewhere the same arithmetic runs in libtorch's operators.
//   B sentences, T positions, K taps, I input width, O output width
#pragma once
#include <torch/types.h>

#include <vector>

#include "core/nn/dropout.h"
#include "core/nn/translation_model.h"
#include "core/nn/weight_norm.h"

namespace strata {

// Concatenated features, X = [p_0 ; p_1 ; ...], all with the same leading axes; a layer that reads
// all earlier layers reads them this way, without copying them together first.
using Parts = std::vector<torch::Tensor>;
std::int64_t widthOf(const Parts& parts);

struct ConvolutionOptions {
  std::int64_t left = 0;  // taps that read earlier positions: (K-1)/2, or K-1 where causal
  Dropout dropout = {};   // of the input
};

// GLU(Conv_K(Dropout(X)) + b) [B, T, O/2] of X [B, T, I]: the first half of the channels times the
// sigmoid of the second. Outside the sentence, before its first position and beyond its true
// length, which `source` gives (undefined lengths: all positions are real), the input is zero.
torch::Tensor convolutionGlu(const Parts& x, const WeightNorm& convolution,
                             const SourceBatch& source, const ConvolutionOptions& options);

// The same for the last position only: inputs_RI holds the last K inputs, oldest first; undefined
// ones are zero.
torch::Tensor convolutionGluStep(const std::vector<torch::Tensor>& inputs_RI,
                                 const WeightNorm& convolution);

// X W^T + b [..., O].
torch::Tensor linear(const Parts& x, const WeightNorm& layer);

}  // namespace strata
