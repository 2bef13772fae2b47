#pragma once
#include <torch/torch.h>

#include <cstdint>

#include "core/data/batch.h"
#include "core/nn/translation_model.h"

namespace strata {

// A batch on the model's device. On the CPU the ids are not copied: the Batch must outlive this and
// stay unchanged.
struct BatchTensors {
  SourceBatch source;
  torch::Tensor targetIn_BT;  // int64
  torch::Tensor words_N;      // int64: the words to predict, padded positions left out
  torch::Tensor positions_N;  // int64: where they stand in B x T, row by row; undefined when
                              // nothing is padded
  std::int64_t tokens = 0;    // N
};
BatchTensors tensorsOf(const Batch& batch, const torch::Device& device);

// The rows of [B, T, D] that are real target positions: [N, D]. The projection to the vocabulary,
// the widest product of the model, then spends nothing on padding.
torch::Tensor realPositions(const torch::Tensor& features_BTD, const BatchTensors& batch);

}  // namespace strata
