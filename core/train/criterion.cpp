#include "core/train/criterion.h"

#include "core/nn/dropout.h"

namespace strata {
namespace {

using torch::Tensor;

constexpr std::int64_t kCut = -1;

Tensor repeated(const Tensor& x) {
  return torch::cat({x, x}, 0);
}

// Both passes as one batch with twice the sentences.
Tensor doubledFeatures(TranslationModel& model, const BatchTensors& batch, const Tensor& source_BS,
                       const Tensor& target_BT) {
  const auto source = makeSourceBatch(source_BS, repeated(batch.source.lengths_B));
  const auto memory = model.encode(source, nullptr);
  return model.decode(*memory, target_BT, nullptr);
}

// The ids twice, with words cut out of the second copy.
Tensor withCuts(const Tensor& ids, const Dropout& cut) {
  const Tensor kept =
      applyDropout(torch::ones({ids.numel(), 1}, ids.options().dtype(torch::kFloat32)), cut);
  const Tensor cutHere = (kept.view(ids.sizes()) == 0) & (ids != kPadId);
  return torch::cat({ids, ids.masked_fill(cutHere, kCut)}, 0);
}

}  // namespace

CrossEntropy trainingLoss(TranslationModel& model, const BatchTensors& batch,
                          const CriterionSpec& criterion, const TrainingLossOptions& request) {
  const CrossEntropyOptions options{.labelSmoothing = criterion.labelSmoothing,
                                    .countErrors = true,
                                    .positionsAtOnce = request.positionsAtOnce};
  if (criterion.rDrop == 0 && criterion.simcutAlpha == 0) {
    const auto memory = model.encode(batch.source, nullptr);
    return crossEntropy(model, model.decode(*memory, batch.targetIn_BT, nullptr),
                        batch.targetOut_BT, options);
  }
  Tensor features;
  PassWeights weights;
  if (criterion.rDrop > 0) {
    features =
        doubledFeatures(model, batch, repeated(batch.source.ids_BS), repeated(batch.targetIn_BT));
    weights = {0.5, 0.5, criterion.rDrop / 4, criterion.rDrop / 4};
  } else {
    const Dropout ofSource{criterion.simcutP, request.key},
        ofTarget{criterion.simcutP, ~request.key};
    features = doubledFeatures(model, batch, withCuts(batch.source.ids_BS, ofSource),
                               withCuts(batch.targetIn_BT, ofTarget));
    weights = {1, 0, criterion.simcutAlpha, 0};
  }
  const auto passes = features.chunk(2, 0);
  return joinedLoss(model, passes[0], passes[1], batch.targetOut_BT, options, weights);
}

}  // namespace strata
