// Weight normalisation: w = g v / |v|, one gain g per output unit, the norm taken over everything
// else (models.md 0.3).
#pragma once
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <array>
#include <cstdint>

#include "core/nn/layers.h"

namespace strata {

// weight_v, weight_g and bias of one layer; not initialised. Without `kernel` a linear layer: v
// [out, in], g [out, 1]. With `kernel` a convolution: v [out, in, kernel], g [out, 1, 1].
class WeightNormImpl : public torch::nn::Module {
 public:
  WeightNormImpl(std::int64_t in, std::int64_t out, std::int64_t kernel = 0);

  // w: [out, in], or tap by tap [kernel, out, in]. Differentiable while gradients are on; otherwise
  // cached until a parameter changes, so that the steps of a search do not normalise again.
  torch::Tensor weight() const;

  // v ~ N(0, deviation), g = |v|, bias 0: w = v.
  void initialise(Initialiser& random, double deviation);
  void train(bool on = true) override;

  std::int64_t in() const { return weight_v.size(1); }
  std::int64_t out() const { return weight_v.size(0); }
  bool isConvolution() const { return weight_v.dim() == 3; }
  std::int64_t kernel() const { return isConvolution() ? weight_v.size(2) : 1; }

  torch::Tensor weight_v, weight_g, bias;

 private:
  // Identify the parameters of the cached weight: their memory and versions.
  using Stamp = std::array<std::uintptr_t, 4>;
  Stamp stamp() const;
  torch::Tensor normalised() const;

  mutable torch::Tensor kept_;
  mutable Stamp keptStamp_{};
};
TORCH_MODULE(WeightNorm);

}  // namespace strata
