// Products with parameters whose factors are read as bf16.
#pragma once
#include <torch/types.h>

#include <cstdint>
#include <memory>

#include "core/nn/arithmetic.h"
#include "core/nn/parameters.h"

namespace strata {

// The parameters of a model once more as bf16, cast in one pass instead of by each product. Not
// thread-safe.
class Bf16Weights {
 public:
  explicit Bf16Weights(std::shared_ptr<const ParameterBuffer> parameters);

  // Call before products: casts again if a parameter has changed since.
  void refresh();
  // A parameter, adjacent parameters or a part of one, as bf16; other tensors are cast. No
  // gradient.
  torch::Tensor of(const torch::Tensor& weight) const;

 private:
  std::shared_ptr<const ParameterBuffer> parameters_;
  torch::Tensor values_;  // undefined before the first refresh
  std::uint64_t version_ = 0;
};

struct Bf16Result {
  bool isFactor = false;  // bf16 instead of float32, for a result that only products read
  bool relu = false;      // ReLU of the result; factors only
};
// x W^T + b [..., O] of x [..., I] and W [O, I]; b may be undefined. Gradients of W and b are
// float32, that of x has the type of x. `weights`: where W may be found as bf16; null: nowhere.
torch::Tensor bf16Affine(const torch::Tensor& x, const torch::Tensor& weight,
                         const torch::Tensor& bias, const Bf16Weights* weights,
                         const Bf16Result& result = {});
// addAffineGradients() of a float32 result.
void addBf16AffineGradients(const torch::Tensor& gradY_NO, const torch::Tensor& x_NI,
                            const torch::Tensor& weight_OI, const Bf16Weights* weights,
                            const AffineGradients& gradients);

}  // namespace strata
