// What differentiable functions around the kernels have in common.
#pragma once
#include <torch/torch.h>

#include <optional>

#include "core/nn/dropout.h"
#include "core/nn/kernels/kernels.h"

namespace strata::cpu {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using MaybeTensor = std::optional<Tensor>;  // autograd takes no undefined tensors as inputs

// body(float{}) or body(double{}).
template <typename Body>
void byType(const Tensor& x, const Body& body) {
  if (x.scalar_type() == torch::kFloat32) {
    body(float{});
  } else {
    body(double{});
  }
}

template <typename T>
T* pointer(const Tensor& x) {
  return x.defined() ? x.data_ptr<T>() : nullptr;
}

inline MaybeTensor maybe(const Tensor& x) {
  return x.defined() ? MaybeTensor(x) : std::nullopt;
}

// [rows, columns], contiguous.
inline Tensor flat(const Tensor& x) {
  return x.reshape({-1, x.size(-1)}).contiguous();
}

inline void saveDropout(AutogradContext* context, const Dropout& dropout) {
  context->saved_data["rate"] = dropout.rate;
  context->saved_data["key"] = static_cast<std::int64_t>(dropout.key);
}

inline kernels::Mask savedMask(AutogradContext* context) {
  return kernels::maskOf(context->saved_data["rate"].toDouble(),
                         static_cast<std::uint64_t>(context->saved_data["key"].toInt()));
}

}  // namespace strata::cpu
