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
    const Tensor weight = packed(parameters.slice(0, count).vec());
    const bool biased = parameters.size() > count;
    const Tensor x2 = flat(x);
    context->save_for_backward({x2, weight});
    context->saved_data["shape"] = x.sizes().vec();
    std::vector<std::int64_t> widths;
    for (std::size_t i = 0; i < count; ++i) widths.push_back(parameters[i].size(0));
    context->saved_data["widths"] = widths;
    context->saved_data["biased"] = biased;
    const Tensor y = biased ? torch::addmm(packed(parameters.slice(count).vec()), x2, weight.t())
                            : x2.mm(weight.t());
    return y.view(withLast(x, weight.size(0)));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto saved = context->get_saved_variables();
    const Tensor g = flat(gradOut[0]);
    variable_list gradients{Tensor{}};
    if (context->needs_input_grad(0))
      gradients[0] = g.mm(saved[1]).view(context->saved_data["shape"].toIntVector());
    variable_list wholes{g.t().mm(saved[0])};
    if (context->saved_data["biased"].toBool()) wholes.push_back(g.sum(0));
    const auto widths = context->saved_data["widths"].toIntVector();
    for (const Tensor& whole : wholes) {
      std::int64_t begin = 0;
      for (const std::int64_t width : widths) {
        gradients.push_back(whole.narrow(0, begin, width));
        begin += width;
      }
    }
    gradients.emplace_back();  // of the count
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
    const Tensor gradX = context->needs_input_grad(0)
                             ? inner.mm(weight).view(context->saved_data["shape"].toIntVector())
                             : Tensor{};
    return {gradX, inner.t().mm(x), bias, Tensor{}};
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
    const Tensor gradX = context->needs_input_grad(0)
                             ? product.mm(weight).view(context->saved_data["shape"].toIntVector())
                             : Tensor{};
    const Tensor gradResidual = hasResidual ? residual.view(gradOut[0].sizes()) : Tensor{};
    return {gradX, product.t().mm(x), bias, gradResidual, gainGrad, shiftGrad, Tensor{}};
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

// One attention's queries, keys and values, or fewer tensors that hold several of them side by
// side.
struct Inputs {
  Tensor q, k, v;
  const Tensor& keys() const { return k.defined() ? k : q; }
  bool self() const { return !k.defined(); }
  std::int64_t width() const { return self() ? q.size(2) / 3 : q.size(2); }
};

// The attentions that add up to one result. `memory` holds nothing, where q holds keys and values
// too; one tensor of keys and values; or keys and values of each attention in turn.
std::vector<Inputs> attentionsOf(const Tensor& q, at::TensorList memory) {
  if (memory.empty()) return {{q, {}, {}}};
  if (memory.size() == 1) return {{q, memory[0], {}}};
  std::vector<Inputs> all;
  for (std::size_t i = 0; i < memory.size(); i += 2) all.push_back({q, memory[i], memory[i + 1]});
  return all;
}

// Plain numbers that the attention's two passes share.
struct Shape {
  std::int64_t heads;
  bool causal;
  double scale;
};

template <typename T>
kernels::AttentionArguments<T> argumentsOf(const Inputs& inputs, const Tensor& lengths,
                                           const Tensor& weights, const Shape& shape) {
  const Tensor& keys = inputs.keys();
  const std::int64_t width = inputs.width();
  kernels::AttentionArguments<T> a{};
  a.q = pointer<T>(inputs.q);
  a.k = inputs.self() ? pointer<T>(keys) + width : pointer<T>(keys);
  a.v = inputs.v.defined() ? pointer<T>(inputs.v) : a.k + width;
  a.qStride = inputs.q.size(2);
  a.kvStride = keys.size(2);
  a.weights = pointer<T>(weights);
  a.keyStride = weights.size(3);
  a.lengths = lengths.defined() ? lengths.data_ptr<std::int64_t>() : nullptr;
  a.batch = inputs.q.size(0);
  a.queries = inputs.q.size(1);
  a.keys = keys.size(1);
  a.heads = shape.heads;
  a.width = width / shape.heads;
  a.scale = shape.scale;
  a.causal = shape.causal;
  a.queriesArePadded = inputs.self() && lengths.defined();
  a.threads = at::get_num_threads();
  return a;
}

struct Attention : torch::autograd::Function<Attention> {
  // The result, then the weights of each attention.
  static variable_list forward(AutogradContext* context, const Tensor& queries,
                               at::TensorList memory, const MaybeTensor& trueKeys,
                               const Shape& shape, const std::vector<Dropout>& dropouts) {
    variable_list saved{trueKeys.value_or(Tensor{}), queries.contiguous()};
    for (const Tensor& part : memory) saved.push_back(part.contiguous());
    const auto parts = attentionsOf(saved[1], at::TensorList(saved).slice(2));
    const Tensor &lengths = saved[0], &q = saved[1];
    variable_list results{torch::empty({q.size(0), q.size(1), parts[0].width()}, q.options())};
    byType(q, [&](auto type) {
      using T = decltype(type);
      const auto stride = kernels::keyStrideOf<T>(parts[0].keys().size(1));
      std::vector<kernels::AttentionArguments<T>> arguments;
      for (const Inputs& part : parts) {
        results.push_back(torch::empty({q.size(0), shape.heads, q.size(1), stride}, q.options()));
        arguments.push_back(argumentsOf<T>(part, lengths, results.back(), shape));
        arguments.back().out = pointer<T>(results[0]);
      }
      kernels::attention(arguments, masksOf(dropouts));
    });
    const variable_list weights(results.begin() + 1, results.end());
    saved.insert(saved.end(), weights.begin(), weights.end());
    context->save_for_backward(saved);
    save(context, shape, dropouts);
    context->mark_non_differentiable(weights);
    return results;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto saved = context->get_saved_variables();
    const auto dropouts = savedDropouts(context);
    const at::TensorList inputs =
        at::TensorList(saved).slice(1, saved.size() - 1 - dropouts.size());
    const auto parts = attentionsOf(inputs[0], inputs.slice(1));
    variable_list gradients;
    for (const Tensor& input : inputs) gradients.push_back(torch::empty_like(input));
    const auto gradientParts = attentionsOf(gradients[0], at::TensorList(gradients).slice(1));
    const Shape shape{context->saved_data["heads"].toInt(), context->saved_data["causal"].toBool(),
                      context->saved_data["scale"].toDouble()};
    const Tensor g = gradOut[0].contiguous();
    byType(g, [&](auto type) {
      using T = decltype(type);
      std::vector<kernels::AttentionArguments<T>> arguments;
      std::vector<kernels::AttentionGradients<T>> outputs;
      for (std::size_t j = 0; j < parts.size(); ++j) {
        const Tensor& weights = saved[1 + inputs.size() + j];
        arguments.push_back(argumentsOf<T>(parts[j], saved[0], weights, shape));
        const Inputs& out = gradientParts[j];
        T* keys = pointer<T>(out.keys()) + (out.self() ? out.width() : 0);
        outputs.push_back({pointer<T>(g), pointer<T>(out.q), keys,
                           out.v.defined() ? pointer<T>(out.v) : keys + out.width()});
      }
      kernels::attentionBackward(arguments, outputs, masksOf(dropouts));
    });
    gradients.resize(gradients.size() + 3);  // of what is no tensor of values
    return gradients;
  }

 private:
  static std::vector<kernels::Mask> masksOf(const std::vector<Dropout>& dropouts) {
    std::vector<kernels::Mask> masks;
    for (const Dropout& dropout : dropouts)
      masks.push_back(kernels::maskOf(dropout.rate, dropout.key));
    return masks;
  }

  static void save(AutogradContext* context, const Shape& shape,
                   const std::vector<Dropout>& dropouts) {
    context->saved_data["heads"] = shape.heads;
    context->saved_data["causal"] = shape.causal;
    context->saved_data["scale"] = shape.scale;
    std::vector<double> rates;
    std::vector<std::int64_t> keys;
    for (const Dropout& dropout : dropouts) {
      rates.push_back(dropout.rate);
      keys.push_back(static_cast<std::int64_t>(dropout.key));
    }
    context->saved_data["rates"] = rates;
    context->saved_data["keys"] = keys;
  }

  static std::vector<Dropout> savedDropouts(AutogradContext* context) {
    const auto rates = context->saved_data["rates"].toDoubleVector();
    const auto keys = context->saved_data["keys"].toIntVector();
    std::vector<Dropout> dropouts;
    for (std::size_t j = 0; j < rates.size(); ++j)
      dropouts.push_back({rates[j], static_cast<std::uint64_t>(keys[j])});
    return dropouts;
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

Tensor attention(const Tensor& queries, const std::vector<Tensor>& memory,
                 const SourceBatch& source, const std::vector<AttentionOptions>& options) {
  const Tensor lengths = source.padding_BS.defined() ? source.lengths_B : Tensor{};
  const std::int64_t width = memory.empty() ? queries.size(2) / 3 : queries.size(2);
  const AttentionOptions& common = options.front();
  const Shape shape{common.heads, common.causal, scoreScale(common.scale, width / common.heads)};
  std::vector<Dropout> dropouts;
  for (const AttentionOptions& each : options) dropouts.push_back(each.dropout);
  const auto results =
      Attention::apply(queries, at::TensorList(memory), maybe(lengths), shape, dropouts);
  const std::int64_t positions = memory.empty() ? queries.size(1) : memory[0].size(1);
  for (std::size_t j = 0; j < options.size(); ++j) {
    const Published& map = options[j].map;
    if (map.wanted()) map.passWeights(results[1 + j].narrow(3, 0, positions));
  }
  return results[0];
}

}  // namespace strata::cpu
