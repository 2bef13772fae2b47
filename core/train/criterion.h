#pragma once
#include <cstdint>

#include "core/nn/cross_entropy.h"
#include "core/run/experiment.h"
#include "core/train/batch_tensors.h"

namespace strata {

// The training loss of one forward pass: the cross-entropy, plus R-Drop or SimCut if configured
// (models.md 10). Sums over the batch's target words.
//   R-Drop  1/2 (L_1 + L_2) + alpha/2 * 1/2 [KL(p_1 || p_2) + KL(p_2 || p_1)]
//           over two passes with different masks
//   SimCut  L + alpha KL(p || p~), where ~ is a pass in which every word of both sides is cut out
//           (its embedding is zero) with probability p
// `nll` and `errors` are those of the first pass. The model's dropout must have a key.
struct TrainingLossOptions {
  std::uint64_t key = 0;             // key of the random choice of cut words
  std::int64_t positionsAtOnce = 0;  // as in CrossEntropyOptions
};
CrossEntropy trainingLoss(TranslationModel& model, const BatchTensors& batch,
                          const CriterionSpec& criterion, const TrainingLossOptions& options);

}  // namespace strata
