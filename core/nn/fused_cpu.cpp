// The steps of a Transformer as single passes, built around their kernels.
#include <algorithm>

#include "core/nn/cpu_products.h"
#include "core/nn/function_cpu.h"
#include "core/nn/fused_cpu.h"
#include "core/nn/gradient_place.h"

namespace strata::cpu {
namespace {

std::vector<std::int64_t> withLast(const Tensor& x, std::int64_t columns) {
  auto shape = x.sizes().vec();
  shape.back() = columns;
  return shape;
}

struct LayerNormParameters {
  const Tensor &gain, &shift;
};

// The gradient of a product's input; undefined if it is not needed.
Tensor inputGradient(AutogradContext* context, const Tensor& productGrad, const Tensor& weight) {
  if (!context->needs_input_grad(0)) return {};
  return timesTransposed(productGrad, weight.t()).view(context->saved_data["shape"].toIntVector());
}

// sum + productGrad W, in the memory of `sum` if nothing else reads it.
Tensor plusInputGradient(const Tensor& sum, const Tensor& productGrad, const Tensor& weight) {
  const bool own = sum.use_count() == 1 && sum.storage().use_count() == 1 && sum.is_contiguous();
  const Tensor out = own ? sum : sum.clone(at::MemoryFormat::Contiguous);
  timesTransposed(productGrad, weight.t(), {.out = out.view({-1, out.size(-1)}), .adds = true});
  return out;
}

struct Affine : torch::autograd::Function<Affine> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const MaybeTensor& bias) {
    const Tensor x2 = flat(x);
    saveArithmetic(context);
    context->save_for_backward({x2, weight});
    context->saved_data["shape"] = x.sizes().vec();
    context->saved_data["biased"] = bias.has_value();
    return timesTransposed(x2, weight, {.bias = bias.value_or(Tensor{})})
        .view(withLast(x, weight.size(0)));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const ArithmeticScope scope(savedArithmetic(context));
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &weight = saved[1], g = flat(gradOut[0]);
    return {inputGradient(context, g, weight), weightGradient(g, x, weight),
            context->saved_data["biased"].toBool() ? g.sum(0) : Tensor{}};
  }
};

struct PackedLinear : torch::autograd::Function<PackedLinear> {
  // The product and x itself, whose further readers' gradient the product's is added to.
  static variable_list forward(AutogradContext* context, const Tensor& x, at::TensorList parameters,
                               std::size_t count) {
    const Tensor weight = joinedParameters(parameters.slice(0, count));
    const bool biased = parameters.size() > count;
    const Tensor x2 = flat(x);
    variable_list kept{x2, weight};
    std::vector<std::int64_t> widths;
    for (const Tensor& part : parameters.slice(0, count)) {
      kept.push_back(part);
      widths.push_back(part.size(0));
    }
    saveArithmetic(context);
    context->save_for_backward(kept);
    context->saved_data["shape"] = x.sizes().vec();
    context->saved_data["widths"] = widths;
    context->saved_data["biased"] = biased;
    context->set_materialize_grads(false);
    const Tensor bias = biased ? joinedParameters(parameters.slice(count)) : Tensor{};
    return {timesTransposed(x2, weight, {.bias = bias}).view(withLast(x, weight.size(0))), x};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const ArithmeticScope scope(savedArithmetic(context));
    const auto saved = context->get_saved_variables();
    const auto widths = context->saved_data["widths"].toIntVector();
    const bool biased = context->saved_data["biased"].toBool();
    if (!gradOut[0].defined()) {  // nothing reads the product, only x
      variable_list gradients(1 + widths.size() * (biased ? 2 : 1) + 1);
      gradients.front() = gradOut[1];
      return gradients;
    }
    const Tensor g = flat(gradOut[0]);
    variable_list gradients{gradOut[1].defined() ? plusInputGradient(gradOut[1], g, saved[1])
                                                 : inputGradient(context, g, saved[1])};
    const Tensor weight = joinedGradientMemory(at::TensorList(saved).slice(2));
    multiplyGradient(g, saved[0], weight);
    variable_list wholes{weight};
    if (biased) wholes.push_back(g.sum(0));
    for (const Tensor& whole : wholes) {
      for (Tensor& part : whole.split_with_sizes(widths, 0)) gradients.push_back(std::move(part));
    }
    gradients.emplace_back();  // of the count, which has none
    return gradients;
  }
};

// LN(residual + Dropout(product + bias)), and what the gradient needs besides the normalised values
// that `product` becomes.
struct Normalised {
  Tensor out, inverse;
};
struct NormInputs {
  const Tensor &bias, &residual;  // may be undefined
  LayerNormParameters norm;
  const RowDropout& dropout;
};
// fill(product, done) has the product computed, and done(begin, end) called for all its rows.
template <typename Fill>
Normalised normalise(const Tensor& product, const NormInputs& inputs, const Fill& fill) {
  const Tensor added = inputs.residual.defined() ? inputs.residual.contiguous() : Tensor{};
  Normalised y{torch::empty_like(product), torch::empty({product.size(0)}, product.options())};
  const auto [gain, shift] = inputs.norm;
  byType(product, [&](auto type) {
    using T = decltype(type);
    const kernels::NormArguments<T> all{
        pointer<T>(product), pointer<T>(inputs.bias), pointer<T>(added),     pointer<T>(gain),
        pointer<T>(shift),   pointer<T>(y.out),       pointer<T>(y.inverse), kNormEpsilon};
    const kernels::Mask mask = maskOf(inputs.dropout);
    const kernels::Extent extent = extentOf(product);
    fill([&](std::int64_t begin, std::int64_t end) {
      auto rows = all;
      const std::int64_t first = begin * extent.columns;
      rows.product += first;
      rows.out += first;
      rows.inverseDeviation += begin;
      if (rows.residual != nullptr) rows.residual += first;
      kernels::dropoutNorm(rows, kernels::maskFrom(mask, begin),
                           {end - begin, extent.columns, extent.threads});
    });
  });
  return y;
}

// What the gradient of a Normalised needs besides tensors.
void saveNorm(AutogradContext* context, const NormInputs& inputs) {
  saveDropout(context, inputs.dropout);
  context->saved_data["bias"] = inputs.bias.defined();
  context->saved_data["residual"] = inputs.residual.defined();
}

// The gradients of the inputs of a Normalised. Without dropout, product and residual are one
// tensor.
struct NormGradient {
  Tensor product, residual, bias, gain, shift;  // bias, residual: undefined if there are none

  NormGradient(AutogradContext* context, const Tensor& g, const Tensor& gainOf,
               const Tensor& normalised, const Tensor& inverse)
      : product(torch::empty_like(normalised)),
        gain(torch::empty_like(gainOf)),
        shift(torch::empty_like(gainOf)) {
    const kernels::Mask mask = savedMask(context);
    if (context->saved_data["residual"].toBool())
      residual = mask.threshold != 0 ? torch::empty_like(normalised) : product;
    if (context->saved_data["bias"].toBool()) bias = torch::empty_like(gainOf);
    byType(g, [&](auto type) {
      using T = decltype(type);
      kernels::dropoutNormBackward<T>(
          {pointer<T>(g), pointer<T>(normalised), pointer<T>(inverse), pointer<T>(gainOf),
           pointer<T>(product), pointer<T>(residual), pointer<T>(bias), pointer<T>(gain),
           pointer<T>(shift)},
          mask, extentOf(g));
    });
  }
};

struct LinearDropoutNorm : torch::autograd::Function<LinearDropoutNorm> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const MaybeTensor& maybeBias, const MaybeTensor& maybeResidual,
                        const Tensor& gain, const Tensor& shift, const RowDropout& dropout) {
    const Tensor bias = maybeBias.value_or(Tensor{}), residual = maybeResidual.value_or(Tensor{});
    const NormInputs inputs{bias, residual, {gain, shift}, dropout};
    const Tensor x2 = flat(x), product = torch::empty({x2.size(0), weight.size(0)}, x2.options());
    const auto [out, inverse] = normalise(product, inputs, [&](const auto& done) {
      timesTransposed(x2, weight, {.out = product, .done = done});
    });
    saveArithmetic(context);
    saveNorm(context, inputs);
    context->save_for_backward({x2, weight, gain, product, inverse});
    context->saved_data["shape"] = x.sizes().vec();
    return out.view(withLast(x, weight.size(0)));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const ArithmeticScope scope(savedArithmetic(context));
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &weight = saved[1];
    const NormGradient norm(context, flat(gradOut[0]), saved[2], saved[3], saved[4]);
    return {inputGradient(context, norm.product, weight),
            weightGradient(norm.product, x, weight),
            norm.bias,
            norm.residual.defined() ? norm.residual.view(gradOut[0].sizes()) : Tensor{},
            norm.gain,
            norm.shift,
            Tensor{}};
  }
};

struct FeedForward : torch::autograd::Function<FeedForward> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& firstWeight,
                        const MaybeTensor& firstBias, const Tensor& secondWeight,
                        const MaybeTensor& secondBias, const Tensor& gain, const Tensor& shift,
                        const FeedForwardSteps& steps) {
    const Tensor x2 = flat(x), bias = secondBias.value_or(Tensor{});
    const Tensor hidden = hiddenOf(x2, firstWeight, firstBias.value_or(Tensor{}), steps.inner);
    const Tensor residual = steps.residual ? x2 : Tensor{};
    const NormInputs inputs{bias, residual, {gain, shift}, steps.outer};
    const Tensor product = torch::empty({x2.size(0), secondWeight.size(0)}, x2.options());
    const auto [out, inverse] = normalise(product, inputs, [&](const auto& done) {
      timesTransposed(hidden, secondWeight, {.out = product, .done = done});
    });
    saveArithmetic(context);
    saveNorm(context, inputs);
    context->save_for_backward({x2, firstWeight, hidden, secondWeight, gain, product, inverse});
    context->saved_data["firstBias"] = firstBias.has_value();
    context->saved_data["innerScale"] = maskOf(steps.inner).scale;
    context->saved_data["shape"] = x.sizes().vec();
    return out.view(withLast(x, secondWeight.size(0)));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const ArithmeticScope scope(savedArithmetic(context));
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &firstWeight = saved[1], &hidden = saved[2],
                 &secondWeight = saved[3];
    NormGradient norm(context, flat(gradOut[0]), saved[4], saved[5], saved[6]);
    const Tensor secondGrad = weightGradient(norm.product, hidden, secondWeight);
    const auto [inner, biasGrad] = hiddenGradient(context, norm.product, secondWeight, hidden);
    const Tensor firstGrad = weightGradient(inner, x, firstWeight);
    norm.product.reset();  // the residual's memory, perhaps
    const Tensor xGrad = norm.residual.defined()
                             ? plusInputGradient(norm.residual, inner, firstWeight)
                                   .view(context->saved_data["shape"].toIntVector())
                             : inputGradient(context, inner, firstWeight);
    return {xGrad, firstGrad, biasGrad, secondGrad, norm.bias, norm.gain, norm.shift, Tensor{}};
  }

 private:
  static Tensor hiddenOf(const Tensor& x, const Tensor& weight, const Tensor& bias,
                         const RowDropout& dropout) {
    const Tensor y = torch::empty({x.size(0), weight.size(0)}, x.options());
    byType(y, [&](auto type) {
      using T = decltype(type);
      const kernels::Mask mask = maskOf(dropout);
      const kernels::Extent extent = extentOf(y);
      const auto finish = [&](std::int64_t begin, std::int64_t end) {
        kernels::reluDropout(pointer<T>(y) + begin * extent.columns, pointer<T>(bias),
                             kernels::maskFrom(mask, begin),
                             {end - begin, extent.columns, extent.threads});
      };
      timesTransposed(x, weight, {.out = y, .done = finish});
    });
    return y;
  }

  // Of the first product and of its bias, which is undefined if there is none.
  static std::pair<Tensor, Tensor> hiddenGradient(AutogradContext* context,
                                                  const Tensor& productGrad, const Tensor& weight,
                                                  const Tensor& hidden) {
    const Tensor inner = torch::empty_like(hidden);
    const kernels::Extent extent = extentOf(hidden);
    Tensor sums;  // of each thread
    if (context->saved_data["firstBias"].toBool())
      sums = torch::zeros({extent.threads, extent.columns}, hidden.options());
    const double scale = context->saved_data["innerScale"].toDouble();
    byType(hidden, [&](auto type) {
      using T = decltype(type);
      const auto finish = [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t first = begin * extent.columns;
        kernels::reluDropoutBackward(pointer<T>(inner) + first, pointer<T>(hidden) + first,
                                     pointer<T>(sums), scale,
                                     {end - begin, extent.columns, extent.threads});
      };
      timesTransposed(productGrad, weight.t(), {.out = inner, .done = finish});
    });
    return {inner, sums.defined() ? sums.sum(0) : Tensor{}};
  }
};

struct ScaledSum : torch::autograd::Function<ScaledSum> {
  static Tensor forward(AutogradContext* context, const Tensor& a, const Tensor& b, double factor) {
    context->saved_data["factor"] = factor;
    const Tensor one = a.contiguous(), other = b.contiguous(), out = torch::empty_like(one);
    byType(out, [&](auto type) {
      using T = decltype(type);
      kernels::scaledSum(pointer<T>(one), pointer<T>(other), static_cast<T>(factor),
                         pointer<T>(out), extentOf(out));
    });
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const Tensor g = gradOut[0] * context->saved_data["factor"].toDouble();
    return {g, g, Tensor{}};
  }
};

struct Embed : torch::autograd::Function<Embed> {
  static Tensor forward(AutogradContext* context, const Tensor& table, const Tensor& ids,
                        double scale, const Tensor& positions, const RowDropout& dropout) {
    const Tensor words = ids.contiguous(), places = positions.contiguous();
    constexpr std::int64_t kNoWord = 1;  // <pad>, whose row never gets a gradient
    const Tensor out = torch::empty({ids.size(0), ids.size(1), table.size(1)}, table.options());
    byType(table, [&](auto type) {
      using T = decltype(type);
      kernels::embed<T>({pointer<T>(table), words.data_ptr<std::int64_t>(), pointer<T>(places),
                         places.size(0), scale, pointer<T>(out)},
                        maskOf(dropout), extentOf(out));
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
    const double scale = context->saved_data["scale"].toDouble();
    kernels::Mask mask = savedMask(context);
    mask.scale *= scale;
    byType(g, [&](auto type) {
      using T = decltype(type);
      kernels::dropout(pointer<T>(g), pointer<T>(inner), mask, extentOf(g));
    });
    const std::int64_t rows = context->saved_data["rows"].toInt();
    Tensor places;
    if (context->needs_input_grad(2)) places = inner.view(gradOut[0].sizes()).sum(0) / scale;
    return {at::embedding_dense_backward(inner, words.view({-1}), rows, /*padding_idx=*/1, false),
            Tensor{}, Tensor{}, places, Tensor{}};
  }
};

}  // namespace

Tensor affineRows(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (torch::GradMode::is_enabled()) return Affine::apply(x, weight, maybe(bias));
  return timesTransposed(flat(x), weight, {.bias = bias}).view(withLast(x, weight.size(0)));
}

Projected packedLinear(const Tensor& x, const std::vector<Tensor>& weightsAndBiases,
                       std::size_t weights) {
  const variable_list both = PackedLinear::apply(x, at::TensorList(weightsAndBiases), weights);
  return {both[0], both[1]};
}

Tensor feedForward(const Tensor& x, const FeedForwardSteps& steps) {
  return FeedForward::apply(x, steps.first->weight, maybe(steps.first->bias), steps.second->weight,
                            maybe(steps.second->bias), steps.norm->weight, steps.norm->bias, steps);
}

Tensor linearDropoutNorm(const Tensor& x, const Linear& linear, const Tensor& residual,
                         const LayerNorm& norm, const RowDropout& dropout) {
  return LinearDropoutNorm::apply(x, linear->weight, maybe(linear->bias), maybe(residual),
                                  norm->weight, norm->bias, dropout);
}

Tensor dropoutNorm(const Tensor& product, const Linear& linear, const Tensor& residual,
                   const LayerNorm& norm, const RowDropout& dropout) {
  const Tensor rows = flat(product);
  return normalise(rows, {linear->bias, residual, {norm->weight, norm->bias}, dropout},
                   [&](const auto& done) {
                     if (rows.size(0) > 0) done(std::int64_t{0}, rows.size(0));
                   })
      .out.view(product.sizes());
}

Tensor scaledSum(const Tensor& a, const Tensor& b, double factor) {
  return ScaledSum::apply(a, b, factor);
}

Tensor embed(const Tensor& table, const Tensor& ids, double scale, const Tensor& positions,
             const RowDropout& dropout) {
  return Embed::apply(table, ids, scale, positions, dropout);
}

}  // namespace strata::cpu
