#include "core/nn/arithmetic.h"

#include <utility>

namespace strata {
namespace {

using torch::Tensor;

thread_local Arithmetic current;

Tensor half(const Tensor& x) {
  return x.to(torch::kBFloat16);
}

Tensor rows(const Tensor& x) {
  return x.dim() == 2 ? x : x.flatten(0, -2);
}

}  // namespace

ArithmeticScope::ArithmeticScope(const Arithmetic& arithmetic)
    : before_(std::exchange(current, arithmetic)) {}

ArithmeticScope::~ArithmeticScope() {
  current = before_;
}

const Arithmetic& arithmetic() {
  return current;
}

Arithmetic withBf16Products(bool bf16) {
  Arithmetic changed = current;
  changed.bf16Products = bf16;
  return changed;
}

bool usesKernels(const Tensor& x) {
  const auto type = x.scalar_type();
  return current.kernels && !current.bf16Products && x.device().is_cpu() &&
         (type == torch::kFloat32 || type == torch::kFloat64);
}

Tensor product(const Tensor& a, const Tensor& b) {
  if (!current.bf16Products) return torch::matmul(a, b);
  return torch::matmul(half(a), half(b)).to(torch::kFloat32);
}

Tensor affine(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (!current.bf16Products) return torch::linear(x, weight, bias);
  const Tensor y = torch::linear(half(x), half(weight));
  return bias.defined() ? y + bias : y.to(torch::kFloat32);
}

Tensor plusProduct(Tensor sum, const Tensor& x, const Tensor& weight) {
  if (current.bf16Products) return sum + torch::linear(half(x), half(weight));
  if (torch::GradMode::is_enabled())
    return at::addmm(rows(sum), rows(x), weight.t()).view(sum.sizes());
  rows(sum).addmm_(rows(x), weight.t());
  return sum;
}

}  // namespace strata
