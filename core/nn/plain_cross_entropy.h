// The losses of core/nn/cross_entropy.h in libtorch's operators, for one pass over the words or for
// two joined. Nothing waits for a GPU: there padded positions are computed, too, and count nothing.
#pragma once
#include <torch/types.h>

#include <optional>

#include "core/nn/cross_entropy.h"

namespace strata::plain {

struct Passes {
  torch::Tensor first_BTD;
  std::optional<torch::Tensor> second_BTD = {};
  PassWeights weights = {};  // of two passes
};
// Differentiable once, in the features and in the projection, whose weight must be defined.
CrossEntropy crossEntropy(const Passes& passes, const TranslationModel::Projection& projection,
                          const torch::Tensor& targetOut_BT, const CrossEntropyOptions& options);
// As in core/nn/cross_entropy.h.
torch::Tensor tokenLogProbabilities(const torch::Tensor& features_BTD,
                                    const TranslationModel::Projection& projection,
                                    const torch::Tensor& targetOut_BT);

// The same from all scores of a model that has no projection.
CrossEntropy crossEntropyOf(const torch::Tensor& scores_BTV, const torch::Tensor& targetOut_BT,
                            const CrossEntropyOptions& options);
torch::Tensor tokenLogProbabilitiesOf(const torch::Tensor& scores_BTV,
                                      const torch::Tensor& targetOut_BT);

}  // namespace strata::plain
