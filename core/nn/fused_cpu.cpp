#include "core/nn/fused_cpu.h"

#include "core/nn/function_cpu.h"

namespace strata::cpu {
namespace {

kernels::Extent extentOf(const Tensor& x) {
  return {x.numel() / x.size(-1), x.size(-1), at::get_num_threads()};
}

std::vector<std::int64_t> withLast(const Tensor& x, std::int64_t columns) {
  auto shape = x.sizes().vec();
  shape.back() = columns;
  return shape;
}

// The gradient of a product's input; undefined if it is not needed.
Tensor inputGradient(AutogradContext* context, const Tensor& productGrad, const Tensor& weight) {
  if (!context->needs_input_grad(0)) return {};
  return productGrad.mm(weight).view(context->saved_data["shape"].toIntVector());
}

struct DropoutPass : torch::autograd::Function<DropoutPass> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Dropout& dropout) {
    saveDropout(context, dropout);
    return run(x, kernels::maskOf(dropout.rate, dropout.key));
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    return {run(gradOut[0], savedMask(context)), Tensor{}};
  }
  static Tensor run(const Tensor& x, const kernels::Mask& mask) {
    const Tensor in = x.contiguous();
    Tensor out = torch::empty_like(in);
    byType(in, [&](auto type) {
      using T = decltype(type);
      kernels::dropout(pointer<T>(in), pointer<T>(out), mask, extentOf(in));
    });
    return out;
  }
};

struct PackedLinear : torch::autograd::Function<PackedLinear> {
  static Tensor forward(AutogradContext* context, const Tensor& x, at::TensorList parameters,
                        std::size_t count) {
    const Tensor weight = joinedParameters(parameters.slice(0, count));
    const bool biased = parameters.size() > count;
    const Tensor x2 = flat(x);
    context->save_for_backward({x2, weight});
    context->saved_data["shape"] = x.sizes().vec();
    std::vector<std::int64_t> widths;
    for (std::size_t i = 0; i < count; ++i) widths.push_back(parameters[i].size(0));
    context->saved_data["widths"] = widths;
    context->saved_data["biased"] = biased;
    const Tensor y = biased
                         ? torch::addmm(joinedParameters(parameters.slice(count)), x2, weight.t())
                         : x2.mm(weight.t());
    return y.view(withLast(x, weight.size(0)));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto saved = context->get_saved_variables();
    const Tensor g = flat(gradOut[0]);
    variable_list gradients{inputGradient(context, g, saved[1])};
    variable_list wholes{g.t().mm(saved[0])};
    if (context->saved_data["biased"].toBool()) wholes.push_back(g.sum(0));
    const auto widths = context->saved_data["widths"].toIntVector();
    for (const Tensor& whole : wholes) {
      for (Tensor& part : whole.split_with_sizes(widths, 0)) gradients.push_back(std::move(part));
    }
    gradients.emplace_back();  // of the count, which has none
    return gradients;
  }
};

struct LinearReluDropout : torch::autograd::Function<LinearReluDropout> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const MaybeTensor& maybeBias, const Dropout& dropout) {
    const Tensor bias = maybeBias.value_or(Tensor{});
    const Tensor x2 = flat(x);
    const Tensor y = x2.mm(weight.t());
    byType(y, [&](auto type) {
      using T = decltype(type);
      kernels::reluDropout(pointer<T>(y), pointer<T>(bias),
                           kernels::maskOf(dropout.rate, dropout.key), extentOf(y));
    });
    context->save_for_backward({x2, weight, y});
    saveDropout(context, dropout);
    context->saved_data["bias"] = bias.defined();
    context->saved_data["shape"] = x.sizes().vec();
    return y.view(withLast(x, weight.size(0)));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &weight = saved[1], &y = saved[2], g = flat(gradOut[0]);
    const Tensor inner = torch::empty_like(y);
    const Tensor bias =
        context->saved_data["bias"].toBool() ? torch::empty({y.size(1)}, y.options()) : Tensor{};
    byType(y, [&](auto type) {
      using T = decltype(type);
      kernels::reluDropoutBackward(pointer<T>(g), pointer<T>(y), pointer<T>(inner),
                                   pointer<T>(bias), savedMask(context).scale, extentOf(y));
    });
    return {inputGradient(context, inner, weight), inner.t().mm(x), bias, Tensor{}};
  }
};

struct LinearDropoutNorm : torch::autograd::Function<LinearDropoutNorm> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const MaybeTensor& maybeBias, const MaybeTensor& maybeResidual,
                        const Tensor& gain, const Tensor& shift, const Dropout& dropout) {
    const Tensor bias = maybeBias.value_or(Tensor{}), residual = maybeResidual.value_or(Tensor{});
    const Tensor x2 = flat(x);
    const Tensor product = x2.mm(weight.t());
    const Tensor residual2 = residual.defined() ? residual.contiguous() : residual;
    const Tensor out = torch::empty_like(product),
                 inverse = torch::empty({product.size(0)}, product.options());
    byType(out, [&](auto type) {
      using T = decltype(type);
      kernels::dropoutNorm<T>(
          {pointer<T>(product), pointer<T>(bias), pointer<T>(residual2), pointer<T>(gain),
           pointer<T>(shift), pointer<T>(out), pointer<T>(inverse), kNormEpsilon},
          kernels::maskOf(dropout.rate, dropout.key), extentOf(out));
    });
    context->save_for_backward({x2, weight, gain, product, inverse});
    saveDropout(context, dropout);
    context->saved_data["bias"] = bias.defined();
    context->saved_data["residual"] = residual.defined();
    context->saved_data["shape"] = x.sizes().vec();
    return out.view(withLast(x, weight.size(0)));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &weight = saved[1], &gain = saved[2], &normalised = saved[3],
                 &inverse = saved[4];
    const Tensor g = flat(gradOut[0]), product = torch::empty_like(normalised);
    const kernels::Mask mask = savedMask(context);
    const bool hasResidual = context->saved_data["residual"].toBool();
    Tensor residual;
    if (hasResidual) residual = mask.threshold != 0 ? torch::empty_like(normalised) : product;
    const Tensor bias = context->saved_data["bias"].toBool() ? torch::empty_like(gain) : Tensor{};
    const Tensor gainGrad = torch::empty_like(gain), shiftGrad = torch::empty_like(gain);
    byType(g, [&](auto type) {
      using T = decltype(type);
      kernels::dropoutNormBackward<T>(
          {pointer<T>(g), pointer<T>(normalised), pointer<T>(inverse), pointer<T>(gain),
           pointer<T>(product), pointer<T>(residual), pointer<T>(bias), pointer<T>(gainGrad),
           pointer<T>(shiftGrad)},
          mask, extentOf(g));
    });
    return {inputGradient(context, product, weight),
            product.t().mm(x),
            bias,
            hasResidual ? residual.view(gradOut[0].sizes()) : Tensor{},
            gainGrad,
            shiftGrad,
            Tensor{}};
  }
};

struct Embed : torch::autograd::Function<Embed> {
  static Tensor forward(AutogradContext* context, const Tensor& table, const Tensor& ids,
                        double scale, const Tensor& positions, const Dropout& dropout) {
    const Tensor words = ids.contiguous(), places = positions.contiguous();
    constexpr std::int64_t kNoWord = 1;  // <pad>, whose row never gets a gradient
    const Tensor out = torch::empty({ids.size(0), ids.size(1), table.size(1)}, table.options());
    byType(table, [&](auto type) {
      using T = decltype(type);
      kernels::embed<T>({pointer<T>(table), words.data_ptr<std::int64_t>(), pointer<T>(places),
                         places.size(0), scale, pointer<T>(out)},
                        kernels::maskOf(dropout.rate, dropout.key), extentOf(out));
    });
    context->save_for_backward({words.masked_fill(words < 0, kNoWord)});
    saveDropout(context, dropout);
    context->saved_data["scale"] = scale;
    context->saved_data["rows"] = table.size(0);
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const Tensor words = context->get_saved_variables()[0];
    const Tensor g = flat(gradOut[0]), inner = torch::empty_like(g);
    kernels::Mask mask = savedMask(context);
    mask.scale *= context->saved_data["scale"].toDouble();
    byType(g, [&](auto type) {
      using T = decltype(type);
      kernels::dropout(pointer<T>(g), pointer<T>(inner), mask, extentOf(g));
    });
    const std::int64_t rows = context->saved_data["rows"].toInt();
    Tensor places;
    if (context->needs_input_grad(2)) {
      const double scale = context->saved_data["scale"].toDouble();
      places = inner.view(gradOut[0].sizes()).sum(0) / scale;
    }
    return {at::embedding_dense_backward(inner, words.view({-1}), rows, /*padding_idx=*/1, false),
            Tensor{}, Tensor{}, places, Tensor{}};
  }
};

}  // namespace

Tensor dropout(const Tensor& x, const Dropout& dropout) {
  return DropoutPass::apply(x, dropout);
}

Tensor packedLinear(const Tensor& x, const std::vector<Linear>& projections) {
  std::vector<Tensor> parameters;
  for (const Linear& projection : projections) parameters.push_back(projection->weight);
  if (projections.front()->bias.defined()) {
    for (const Linear& projection : projections) parameters.push_back(projection->bias);
  }
  return PackedLinear::apply(x, at::TensorList(parameters), projections.size());
}

Tensor linearReluDropout(const Tensor& x, const Linear& linear, const Dropout& dropout) {
  return LinearReluDropout::apply(x, linear->weight, maybe(linear->bias), dropout);
}

Tensor linearDropoutNorm(const Tensor& x, const Linear& linear, const Tensor& residual,
                         const LayerNorm& norm, const Dropout& dropout) {
  return LinearDropoutNorm::apply(x, linear->weight, maybe(linear->bias), maybe(residual),
                                  norm->weight, norm->bias, dropout);
}

Tensor embed(const Tensor& table, const Tensor& ids_BT, double scale, const Tensor& positions_TD,
             const Dropout& dropout) {
  return Embed::apply(table, ids_BT, scale, positions_TD, dropout);
}

}  // namespace strata::cpu
