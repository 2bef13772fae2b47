#pragma once
#include <torch/types.h>

#include "core/nn/translation_model.h"

namespace strata {

struct CrossEntropyOptions {
  double labelSmoothing = 0;  // epsilon of models.md 0.4, [0, 1)
  bool countErrors = false;
  std::int64_t positionsAtOnce = 512;  // positions whose vocabulary scores are in memory together
};

// Sums over the target positions that are not padding. float64 scalars on the model's device.
struct CrossEntropy {
  torch::Tensor loss;    // smoothed; differentiable
  torch::Tensor nll;     // unsmoothed, without a gradient
  torch::Tensor errors;  // positions whose most likely word is wrong; undefined unless counted
};

// The losses of models.md 0.4 from the features that TranslationModel::decode returns. Vocabulary
// scores are computed for real positions only and one chunk at a time; if a gradient is wanted it
// is computed in the same pass.
CrossEntropy crossEntropy(TranslationModel& model, const torch::Tensor& features_BTD,
                          const torch::Tensor& targetOut_BT, const CrossEntropyOptions& options);

// log p of each target word [B, T], 0 at padding; no gradient.
torch::Tensor tokenLogProbabilities(TranslationModel& model, const torch::Tensor& features_BTD,
                                    const torch::Tensor& targetOut_BT);

}  // namespace strata
