#include "core/nn/arithmetic.h"

#include <optional>
#include <utility>

#include "core/nn/bf16_products.h"
#include "core/nn/cpu_products.h"
#include "core/nn/fused_cpu.h"
#include "core/nn/kernels/rounded_products.h"
#include "core/nn/packed_weights.h"

namespace strata {
namespace {

using torch::Tensor;

thread_local Arithmetic current;

// Whether products with x are libtorch's, with factors of bf16.
bool castsFactors(const Tensor& x) {
  return current.bf16Products && !usesKernels(x);
}

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

bool usesKernels(const Tensor& x) {
  if (!current.kernels || !x.device().is_cpu()) return false;
  const auto type = x.scalar_type();
  if (current.bf16Products) return type == torch::kFloat32 && kernels::hasRoundedProducts();
  return type == torch::kFloat32 || type == torch::kFloat64;
}

PackedWeights* packedWeights() {
  return torch::GradMode::is_enabled() ? nullptr : current.packed;
}

Tensor product(const Tensor& a, const Tensor& b) {
  if (!castsFactors(a)) return torch::matmul(a, b);
  return torch::matmul(half(a), half(b)).to(torch::kFloat32);
}

Tensor affine(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (PackedWeights* const packed = packedWeights()) {
    if (Tensor y = packed->product(x, weight, {.bias = bias}); y.defined()) return y;
  }
  if (usesKernels(x)) return cpu::affineRows(x, weight, bias);
  if (!current.bf16Products) return torch::linear(x, weight, bias);
  return bf16Affine(x, weight, bias, current.bf16Weights);
}

Tensor affineFactor(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (!castsFactors(x)) return affine(x, weight, bias);
  return bf16Affine(x, weight, bias, current.bf16Weights, {.isFactor = true});
}

Tensor reluFactor(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (castsFactors(x))
    return bf16Affine(x, weight, bias, current.bf16Weights, {.isFactor = true, .relu = true});
  if (PackedWeights* const packed = packedWeights()) {
    if (Tensor y = packed->product(x, weight, {.bias = bias, .relu = true}); y.defined()) return y;
  }
  const Tensor y = affine(x, weight, bias);
  return torch::GradMode::is_enabled() ? y.relu() : Tensor(y).relu_();
}

Tensor plusProduct(Tensor sum, const Tensor& x, const Tensor& weight) {
  if (PackedWeights* const packed = packedWeights()) {
    if (packed->product(x, weight, {.bias = {}, .sum = sum}).defined()) return sum;
  }
  if (current.bf16Products) return sum + affine(x, weight);
  if (torch::GradMode::is_enabled())
    return at::addmm(rows(sum), rows(x), weight.t()).view(sum.sizes());
  rows(sum).addmm_(rows(x), weight.t());
  return sum;
}

void addAffineGradients(const Tensor& gradY_NO, const Tensor& x_NI, const Tensor& weight_OI,
                        const AffineGradients& gradients) {
  auto [gradX, gradWeight, gradBias] = gradients;
  if (castsFactors(x_NI))
    return addBf16AffineGradients(gradY_NO, x_NI, weight_OI, current.bf16Weights, gradients);
  if (usesKernels(x_NI)) {
    cpu::timesTransposed(gradY_NO, weight_OI.t(), {.out = gradX});
    cpu::multiplyGradient(gradY_NO, x_NI, gradWeight, /*adds=*/true);
  } else {
    gradX.copy_(gradY_NO.mm(weight_OI));
    gradWeight.addmm_(gradY_NO.t(), x_NI);
  }
  if (gradBias.defined()) gradBias.add_(gradY_NO.sum(0));
}

Tensor softmaxProduct(const Tensor& q, const Tensor& k, const Tensor& v,
                      const SoftmaxProduct& options) {
  std::optional<Tensor> kept;
  if (options.padding_BS.defined() && !options.causal)
    kept = options.padding_BS.logical_not().unsqueeze(1).unsqueeze(1);
  const auto attended = [&](const Tensor& queries, const Tensor& keys, const Tensor& values) {
    return at::scaled_dot_product_attention(queries, keys, values, kept, options.dropout,
                                            options.causal, options.scale);
  };
  if (!castsFactors(q)) return attended(q, k, v);
  return attended(half(q), half(k), half(v)).to(torch::kFloat32);
}

}  // namespace strata
