#pragma once
#include <torch/types.h>

#include "core/nn/translation_model.h"

namespace strata {

// A host tensor on a model's device: itself if that is the CPU. The host does not wait for the GPU.
torch::Tensor uploaded(const torch::Tensor& host, const torch::Device& device);
SourceBatch uploaded(const SourceBatch& host, const torch::Device& device);

}  // namespace strata
