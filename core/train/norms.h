#pragma once
#include <torch/types.h>

#include <vector>

namespace strata {

// The Euclidean norm of each tensor [n], contiguous ones of one type and device, without waiting
// for the device; on the CPU in float64, whatever the number of threads.
torch::Tensor normsOf(const std::vector<torch::Tensor>& tensors);

}  // namespace strata
