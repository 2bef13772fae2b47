#include "core/nn/gradient_place.h"

#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <vector>

#include "core/nn/parameters.h"

namespace strata {
namespace {

using torch::Tensor;

// Undefined if there is none that can be written to.
Tensor takePlace(const Tensor& parameter) {
  if (!parameter.is_leaf() || !parameter.requires_grad() || parameter.grad().defined()) return {};
  auto* const place =
      dynamic_cast<GradientPlace*>(torch::autograd::impl::post_acc_grad_hooks(parameter).get());
  if (place == nullptr || place->taken || !place->memory.is_cpu()) return {};
  place->taken = true;
  return place->memory.variable_data();  // with a version of its own
}

}  // namespace

Tensor gradientMemory(const Tensor& parameter) {
  const Tensor place = takePlace(parameter);
  return place.defined() ? place : torch::empty_like(parameter, at::MemoryFormat::Contiguous);
}

Tensor joinedGradientMemory(at::TensorList parameters) {
  std::vector<Tensor> places;
  auto shape = parameters.front().sizes().vec();
  shape.front() = 0;
  for (const Tensor& parameter : parameters) {
    places.push_back(takePlace(parameter));
    shape.front() += parameter.size(0);
  }
  const bool all = std::ranges::all_of(places, &Tensor::defined);
  return all ? joinedParameters(places) : torch::empty(shape, parameters.front().options());
}

}  // namespace strata
