#pragma once
#include <torch/types.h>

#include <vector>

namespace strata {

// The Euclidean norm of each tensor [n], contiguous ones of one type and device, in one pass and
// without waiting for the device. Squares are added in float64, whatever the number of threads: of
// float32 values a norm is finite if and only if all values are.
torch::Tensor normsOf(const std::vector<torch::Tensor>& tensors);

}  // namespace strata
