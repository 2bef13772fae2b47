#pragma once
#include <torch/torch.h>

#include "core/nn/translation_model.h"

namespace strata {

// A tensor of the host on a model's device: itself where that is the CPU. The host does not wait
// for a GPU to take it.
torch::Tensor uploaded(const torch::Tensor& host, const torch::Device& device);
SourceBatch uploaded(const SourceBatch& host, const torch::Device& device);

}  // namespace strata
