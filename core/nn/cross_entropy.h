#pragma once
#include <torch/types.h>

#include "core/nn/translation_model.h"

namespace strata {

struct CrossEntropyOptions {
  double labelSmoothing = 0;  // epsilon of models.md 0.4, [0, 1)
  bool countErrors = false;
  // Positions whose vocabulary scores are in memory together; 0: positionsAtOnce() of the device.
  std::int64_t positionsAtOnce = 0;
};
// On a CPU as few as its caches hold, on a GPU enough to keep it busy with few kernels.
std::int64_t positionsAtOnce(const torch::Device& device);

// Sums over the target positions that are not padding. float64 scalars on the model's device.
struct CrossEntropy {
  torch::Tensor loss;    // smoothed; differentiable
  torch::Tensor nll;     // unsmoothed, without a gradient
  torch::Tensor errors;  // positions whose most likely word is wrong; undefined unless counted
};

// The losses of models.md 0.4 from the features that TranslationModel::decode returns. Vocabulary
// scores are computed one chunk of positions at a time, on a CPU for real positions only; if a
// gradient is wanted it is computed in the same pass. A model without a projection computes all its
// scores at once.
CrossEntropy crossEntropy(TranslationModel& model, const torch::Tensor& features_BTD,
                          const torch::Tensor& targetOut_BT, const CrossEntropyOptions& options);

// How two passes over the same words are combined into one loss.
struct PassWeights {
  double first = 1, second = 0;             // of each pass's own loss
  double firstSecond = 0, secondFirst = 0;  // of KL(p_1 || p_2) and KL(p_2 || p_1)
};
// The weighted sum over positions that are not padding, differentiable in both features [B, T, D'].
// `nll` and `errors` are those of the first pass. The model must have a projection.
CrossEntropy joinedLoss(TranslationModel& model, const torch::Tensor& first_BTD,
                        const torch::Tensor& second_BTD, const torch::Tensor& targetOut_BT,
                        const CrossEntropyOptions& options, const PassWeights& weights);

// log p of each target word [B, T], 0 at padding; no gradient.
torch::Tensor tokenLogProbabilities(TranslationModel& model, const torch::Tensor& features_BTD,
                                    const torch::Tensor& targetOut_BT);

}  // namespace strata
