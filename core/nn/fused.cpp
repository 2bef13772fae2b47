#include "core/nn/fused.h"

#include <algorithm>
#include <cmath>

#include "core/nn/function_cpu.h"
#include "core/nn/fused_cpu.h"

// The kernels of core/nn/kernels as differentiable functions, for CPU tensors in float32 and
// float64.
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
  return productGrad.mm(weight).view(context->saved_data["shape"].toIntVector());
}

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
                        const MaybeTensor& maybeBias, const RowDropout& dropout) {
    const Tensor bias = maybeBias.value_or(Tensor{});
    const Tensor x2 = flat(x);
    const Tensor y = x2.mm(weight.t());
    byType(y, [&](auto type) {
      using T = decltype(type);
      kernels::reluDropout(pointer<T>(y), pointer<T>(bias), maskOf(dropout), extentOf(y));
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

// LN(residual + Dropout(product + bias)), and what the gradient needs besides the normalised values
// that `product` becomes.
struct Normalised {
  Tensor out, inverse;
};
Normalised normalise(const Tensor& product, const Tensor& bias, const Tensor& residual,
                     const LayerNormParameters& norm, const RowDropout& dropout) {
  const Tensor added = residual.defined() ? residual.contiguous() : residual;
  Normalised y{torch::empty_like(product), torch::empty({product.size(0)}, product.options())};
  byType(product, [&](auto type) {
    using T = decltype(type);
    kernels::dropoutNorm<T>(
        {pointer<T>(product), pointer<T>(bias), pointer<T>(added), pointer<T>(norm.gain),
         pointer<T>(norm.shift), pointer<T>(y.out), pointer<T>(y.inverse), kNormEpsilon},
        maskOf(dropout), extentOf(product));
  });
  return y;
}

struct LinearDropoutNorm : torch::autograd::Function<LinearDropoutNorm> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const MaybeTensor& maybeBias, const MaybeTensor& maybeResidual,
                        const Tensor& gain, const Tensor& shift, const RowDropout& dropout) {
    const Tensor bias = maybeBias.value_or(Tensor{}), residual = maybeResidual.value_or(Tensor{});
    const Tensor x2 = flat(x);
    const Tensor product = x2.mm(weight.t());
    const auto [out, inverse] = normalise(product, bias, residual, {gain, shift}, dropout);
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
}  // namespace strata::cpu

namespace strata {
namespace {

using cpu::AutogradContext, cpu::Tensor, cpu::variable_list;

// [W_1; W_2; ...] with its gradient; no copy if they are adjacent.
struct Joined : torch::autograd::Function<Joined> {
  static Tensor forward(AutogradContext* context, at::TensorList parameters) {
    std::vector<std::int64_t> rows;
    for (const Tensor& parameter : parameters) rows.push_back(parameter.size(0));
    context->saved_data["rows"] = rows;
    return joinedParameters(parameters);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    return gradOut[0].split_with_sizes(context->saved_data["rows"].toIntVector(), 0);
  }
};

Tensor heads(const Tensor& x_BTD, std::int64_t count) {  // [B, H, T, D/H]
  return x_BTD.unflatten(2, {count, x_BTD.size(2) / count}).transpose(1, 2);
}

Tensor attend(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& padding_BS,
              const AttentionOptions& options) {
  const Tensor q_BHTE = heads(q, options.heads), k_BHSE = heads(k, options.heads),
               v_BHSE = heads(v, options.heads);
  const double scale = scoreScale(options.scale, q_BHTE.size(3));
  // The CPU's masks of dropout are those of the kernels.
  if (!options.map.wanted() && !(options.dropout.on() && q.is_cpu())) {
    return softmaxProduct(q_BHTE, k_BHSE, v_BHSE,
                          {.padding_BS = padding_BS,
                           .causal = options.causal,
                           .dropout = options.dropout.rate,
                           .scale = scale})
        .transpose(1, 2)
        .flatten(2);
  }
  Tensor scores_BHTS = product(q_BHTE * scale, k_BHSE.transpose(2, 3));
  constexpr double kMasked = -std::numeric_limits<double>::infinity();
  if (options.causal) {
    const std::int64_t length = q.size(1);
    const auto later = torch::ones({length, length}, q.options().dtype(torch::kBool)).triu(1);
    scores_BHTS = scores_BHTS.masked_fill(later, kMasked);
  }
  if (padding_BS.defined())
    scores_BHTS = scores_BHTS.masked_fill(padding_BS.unsqueeze(1).unsqueeze(1), kMasked);
  const Tensor weights_BHTS = options.map.passWeights(torch::softmax(scores_BHTS, 3));
  return product(applyDropout(weights_BHTS, options.dropout), v_BHSE).transpose(1, 2).flatten(2);
}

}  // namespace

double scoreScale(double scale, std::int64_t headWidth) {
  return scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(headWidth));
}

Tensor packedLinear(const Tensor& x, const std::vector<Linear>& projections) {
  std::vector<Tensor> weights, biases;
  for (const Linear& projection : projections) {
    weights.push_back(projection->weight);
    if (projection->bias.defined()) biases.push_back(projection->bias);
  }
  if (!torch::GradMode::is_enabled())
    return affineFactor(x, joinedParameters(weights),
                        biases.empty() ? Tensor{} : joinedParameters(biases));
  if (usesKernels(x)) {
    weights.insert(weights.end(), biases.begin(), biases.end());
    return cpu::PackedLinear::apply(x, at::TensorList(weights), projections.size());
  }
  return affineFactor(x, Joined::apply(at::TensorList(weights)),
                      biases.empty() ? Tensor{} : Joined::apply(at::TensorList(biases)));
}

Tensor linearReluDropout(const Tensor& x, const Linear& linear, const RowDropout& dropout) {
  if (!torch::GradMode::is_enabled() && !dropout.on())
    return reluFactor(x, linear->weight, linear->bias);
  if (usesKernels(x)) {
    return cpu::LinearReluDropout::apply(x, linear->weight, cpu::maybe(linear->bias), dropout);
  }
  return applyDropout(reluFactor(x, linear->weight, linear->bias), dropout);
}

Tensor linearDropoutNorm(const Tensor& x, const Linear& linear, const Tensor& residual,
                         const LayerNorm& norm, const RowDropout& dropout) {
  if (usesKernels(x) && !torch::GradMode::is_enabled()) {
    const Tensor product = affine(x, linear->weight);
    return cpu::normalise(cpu::flat(product), linear->bias, residual, {norm->weight, norm->bias},
                          dropout)
        .out.view(product.sizes());
  }
  if (usesKernels(x)) {
    return cpu::LinearDropoutNorm::apply(x, linear->weight, cpu::maybe(linear->bias),
                                         cpu::maybe(residual), norm->weight, norm->bias, dropout);
  }
  Tensor y = applyDropout(linear->forward(x), dropout);
  if (residual.defined()) y = y + residual;
  return torch::layer_norm(y, norm->weight.sizes(), norm->weight, norm->bias, kNormEpsilon);
}

Tensor embed(const Tensor& table, const Tensor& ids_BT, double scale, const Tensor& positions_TD,
             const RowDropout& dropout) {
  const Tensor added_TD = positions_TD.defined()
                              ? positions_TD
                              : torch::zeros({ids_BT.size(1), table.size(1)}, table.options());
  if (usesKernels(table)) return cpu::Embed::apply(table, ids_BT, scale, added_TD, dropout);
  const Tensor words = torch::embedding(table, ids_BT.clamp_min(0), /*padding_idx=*/1) *
                       (ids_BT >= 0).unsqueeze(2).to(table.scalar_type());
  return applyDropout(words * scale + added_TD, dropout);
}

Tensor selfAttention(const Tensor& queriesKeysValues_BT3D, const WordRows& rows,
                     const AttentionOptions& options) {
  if (usesKernels(queriesKeysValues_BT3D) && !options.map.replaces())
    return cpu::attention(queriesKeysValues_BT3D, {}, {rows, rows}, options);
  const auto parts = queriesKeysValues_BT3D.chunk(3, 2);
  return attend(parts[0], parts[1], parts[2], rows.padding_BT, options);
}

Tensor crossAttention(const Tensor& queries_BTD, const Tensor& keysValues_BS2D,
                      const AttentionRows& rows, const AttentionOptions& options) {
  if (usesKernels(queries_BTD) && !options.map.replaces())
    return cpu::attention(queries_BTD, keysValues_BS2D, rows, options);
  const auto parts = keysValues_BS2D.chunk(2, 2);
  return attend(queries_BTD, parts[0], parts[1], rows.keys.padding_BT, options);
}

Tensor SummedMemory::values(std::size_t part) const {
  return forced_BSD.empty() ? (keys_BSD[part] + shared_BSD) * scale : forced_BSD[part];
}

SummedMemory readByMany(SummedMemory memory) {
  if (!usesKernels(memory.shared_BSD)) return memory;
  return cpu::readByMany(std::move(memory));
}

Tensor summedAttention(const Tensor& queries_BTD, const SummedMemory& memory,
                       const SourceBatch& source, const std::vector<AttentionOptions>& options) {
  const bool replaces = std::any_of(options.begin(), options.end(),
                                    [](const auto& each) { return each.map.replaces(); });
  if (usesKernels(queries_BTD) && !replaces && memory.forced_BSD.empty())
    return cpu::summedAttention(queries_BTD, memory, source, options);
  Tensor sum;
  for (std::size_t j = 0; j < memory.keys_BSD.size(); ++j) {
    const Tensor part =
        attend(queries_BTD, memory.keys_BSD[j], memory.values(j), source.padding_BS, options[j]);
    sum = sum.defined() ? sum + part : part;
  }
  return sum;
}

}  // namespace strata
