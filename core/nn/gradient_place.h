// Memory in which the gradient of a parameter is wanted. It is attached to the parameter, so that
// what computes the gradient can write it there at once.
#pragma once
#include <torch/csrc/autograd/function_hook.h>
#include <torch/types.h>

#include <utility>

namespace strata {

struct GradientPlace : torch::autograd::PostAccumulateGradHook {
  explicit GradientPlace(torch::Tensor memory) : memory(std::move(memory)) {}

  torch::Tensor memory;  // of the parameter's shape
  bool taken = false;    // by a part of the gradient: others are added to it later
};

// An uninitialised tensor of the parameter's shape for its gradient: its place, if it has one that
// nothing has been written to yet.
torch::Tensor gradientMemory(const torch::Tensor& parameter);
// The same for parameters that are joined along their first dimension (joinedParameters).
torch::Tensor joinedGradientMemory(at::TensorList parameters);

}  // namespace strata
