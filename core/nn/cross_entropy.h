#pragma once
#include <torch/torch.h>

#include "core/nn/translation_model.h"

namespace strata {

struct CrossEntropyOptions {
  double labelSmoothing = 0;  // epsilon of models.md 0.4, [0, 1)
  bool countErrors = false;
  std::int64_t positionsAtOnce = 512;  // whose scores of the vocabulary are in memory together
};

// Sums over the target positions that are not padding. float64 scalars on the model's device.
struct CrossEntropy {
  torch::Tensor loss;    // smoothed; differentiable
  torch::Tensor nll;     // plain, without a gradient
  torch::Tensor errors;  // positions whose likeliest word is another one; undefined unless counted
};

// The losses of models.md 0.4 from the features that TranslationModel::decode gives. The scores of
// the vocabulary are made for real positions only and a part at a time; where a gradient is wanted
// it is taken in the same pass.
CrossEntropy crossEntropy(TranslationModel& model, const torch::Tensor& features_BTD,
                          const torch::Tensor& targetOut_BT, const CrossEntropyOptions& options);

// log p of each target word [B, T], 0 where padded; no gradient.
torch::Tensor tokenLogProbabilities(TranslationModel& model, const torch::Tensor& features_BTD,
                                    const torch::Tensor& targetOut_BT);

}  // namespace strata
