#include "core/nn/bf16_products.h"

#include <torch/autograd.h>

#include "core/nn/function_cpu.h"

namespace strata {
namespace {

using cpu::flat, cpu::MaybeTensor;
using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// a b in float32 of two bf16 matrices. Only a GPU's product keeps the digits of its sums.
Tensor floatProduct(const Tensor& a, const Tensor& b) {
  return a.is_cuda() ? at::mm(a, b, torch::kFloat32) : a.mm(b).to(torch::kFloat32);
}

Tensor asBf16(const Tensor& x) {
  return x.detach().to(torch::kBFloat16);
}

Tensor factorOf(const Tensor& parameter, const Bf16Weights* weights) {
  return weights != nullptr ? weights->of(parameter) : asBf16(parameter);
}

// [N, O] as bf16; on a GPU, whose products are fastest where rows begin at multiples of 16 bytes,
// with zero columns up to the next multiple of 8.
Tensor alignedBf16(const Tensor& x_NO) {
  const std::int64_t columns = x_NO.size(1), aligned = (columns + 7) / 8 * 8;
  if (x_NO.is_cpu() || columns == aligned) return asBf16(x_NO);
  const Tensor padded =
      torch::zeros({x_NO.size(0), aligned}, x_NO.options().dtype(torch::kBFloat16));
  padded.narrow(1, 0, columns).copy_(x_NO);
  return padded;
}

// The parameters as bf16.
struct Factors {
  Tensor weight, bias;  // the bias may be undefined
};

Tensor computed(const Tensor& x_NI, const Factors& factors, const MaybeTensor& bias,
                const Bf16Result& result) {
  const Tensor transposed = factors.weight.t();
  if (!result.isFactor) {
    Tensor y = floatProduct(x_NI, transposed);
    return bias ? y.add_(*bias) : y;
  }
  if (!bias) return result.relu ? x_NI.mm(transposed).relu_() : x_NI.mm(transposed);
  if (!result.relu) return at::addmm(factors.bias, x_NI, transposed);
  return at::_addmm_activation(factors.bias, x_NI, transposed);
}

struct Affine : torch::autograd::Function<Affine> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const MaybeTensor& bias, const Factors& factors, const Bf16Result& result) {
    const Tensor x_NI = flat(x).to(torch::kBFloat16);
    const Tensor y = computed(x_NI, factors, bias, result);
    context->save_for_backward({x_NI, factors.weight, result.relu ? y : Tensor{}});
    context->saved_data["biased"] = bias.has_value();
    context->saved_data["shape"] = x.sizes().vec();
    context->saved_data["factor"] = x.scalar_type() == torch::kBFloat16;
    auto shape = x.sizes().vec();
    shape.back() = weight.size(0);
    return y.view(shape);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto saved = context->get_saved_variables();
    const Tensor &x_NI = saved[0], &weight = saved[1], &y = saved[2];
    Tensor g = flat(gradOut[0]);
    if (y.defined()) g = at::threshold_backward(g, y, 0);
    const Tensor rounded = g.to(torch::kBFloat16);
    Tensor gradX;
    if (context->needs_input_grad(0)) {
      gradX = context->saved_data["factor"].toBool() ? rounded.mm(weight)
                                                     : floatProduct(rounded, weight);
      gradX = gradX.view(context->saved_data["shape"].toIntVector());
    }
    const Tensor gradBias =
        context->saved_data["biased"].toBool() ? g.sum({0}, false, torch::kFloat32) : Tensor{};
    return {gradX, floatProduct(rounded.t(), x_NI), gradBias, Tensor{}, Tensor{}};
  }
};

}  // namespace

Bf16Weights::Bf16Weights(std::shared_ptr<const ParameterBuffer> parameters)
    : parameters_(std::move(parameters)) {}

void Bf16Weights::refresh() {
  const torch::NoGradGuard frozen;
  const std::uint64_t now = parameters_->version();
  if (values_.defined() && now == version_) return;
  version_ = now;
  if (values_.defined()) {
    values_.copy_(parameters_->values());
  } else {
    values_ = parameters_->values().to(torch::kBFloat16);
  }
}

Tensor Bf16Weights::of(const Tensor& weight) const {
  const torch::NoGradGuard frozen;
  if (!values_.defined() || !weight.is_alias_of(parameters_->values())) return asBf16(weight);
  return values_.as_strided(weight.sizes(), weight.strides(), weight.storage_offset());
}

Tensor bf16Affine(const Tensor& x, const Tensor& weight, const Tensor& bias,
                  const Bf16Weights* weights, const Bf16Result& result) {
  Factors factors{factorOf(weight, weights), {}};
  if (bias.defined() && result.isFactor) factors.bias = factorOf(bias, weights);
  return Affine::apply(x, weight, cpu::maybe(bias), factors, result);
}

void addBf16AffineGradients(const Tensor& gradY_NO, const Tensor& x_NI, const Tensor& weight_OI,
                            const Bf16Weights* weights, const AffineGradients& gradients) {
  auto [gradX, gradWeight, gradBias] = gradients;
  const Tensor rounded_NO = alignedBf16(gradY_NO);
  const std::int64_t outputs = weight_OI.size(0), added = rounded_NO.size(1) - outputs;
  Tensor weight = factorOf(weight_OI, weights);
  if (added > 0) weight = torch::constant_pad_nd(weight, {0, 0, 0, added});
  gradX.copy_(floatProduct(rounded_NO, weight));
  gradWeight.add_(floatProduct(rounded_NO.t(), asBf16(x_NI)).narrow(0, 0, outputs));
  if (gradBias.defined()) gradBias.add_(gradY_NO.sum(0));
}

}  // namespace strata
