#pragma once
#include <torch/types.h>

#include <cstdint>

#include "core/data/batch.h"
#include "core/nn/translation_model.h"

namespace strata {

// A batch on the model's device. On the CPU the ids are not copied: the Batch must outlive this
// object and stay unchanged.
struct BatchTensors {
  SourceBatch source;
  torch::Tensor targetIn_BT, targetOut_BT;  // int64
};
BatchTensors tensorsOf(const Batch& batch, const torch::Device& device);

}  // namespace strata
