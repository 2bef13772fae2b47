#pragma once
#include <torch/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "core/nn/gradient_place.h"
#include "core/nn/parameters.h"

namespace strata {

// The gradients of a model's parameters in one buffer of the parameters' layout. While it exists,
// back-propagation on the CPU writes each parameter's gradient there (gradient_place.h), or moves
// it there as soon as it is complete, and further passes add to it in place.
class GradientBuffer {
 public:
  explicit GradientBuffer(std::shared_ptr<const ParameterBuffer> parameters);
  ~GradientBuffer();
  GradientBuffer(const GradientBuffer&) = delete;
  GradientBuffer& operator=(const GradientBuffer&) = delete;

  // After back-propagation: every parameter's gradient is its part of the buffer, zero if it
  // received none. Gradients that were set by hand are copied into it.
  void complete();
  // Clears the gradients for the next back-propagation.
  void clear();

  // Called during back-propagation whenever it has completed the gradient of a parameter (its index
  // in the parameters' order), which is then in the buffer; empty: nothing is called.
  using Listener = std::function<void(std::size_t parameter)>;
  void onComplete(Listener listener) { *listener_ = std::move(listener); }

  const torch::Tensor& values() const { return values_; }
  // Views of the parts, one per parameter.
  const std::vector<torch::Tensor>& parts() const { return parts_; }

 private:
  std::shared_ptr<const ParameterBuffer> parameters_;
  torch::Tensor values_;
  std::vector<torch::Tensor> parts_;
  std::shared_ptr<Listener> listener_ = std::make_shared<Listener>();  // shared with the hooks
  std::vector<GradientPlace*> places_;  // one per parameter, owned by it
};

}  // namespace strata
