// Attention of whole sentences, built around its kernel.
#include "core/nn/function_cpu.h"
#include "core/nn/fused_cpu.h"

namespace strata::cpu {
namespace {

// Queries, keys and values as one tensor, or queries separate from keys and values.
struct Inputs {
  Tensor q, kv;  // kv undefined: q holds all three
  bool self() const { return !kv.defined(); }
  const Tensor& keysValues() const { return self() ? q : kv; }
  std::int64_t width() const { return self() ? q.size(2) / 3 : q.size(2); }
};

// What both passes share besides tensors.
struct Settings {
  std::int64_t heads;
  bool causal;
  double scale;
};

template <typename T>
kernels::AttentionArguments<T> argumentsOf(const Inputs& inputs, const Tensor& lengths,
                                           const Tensor& weights, const Settings& settings) {
  const Tensor& keysValues = inputs.keysValues();
  const std::int64_t width = inputs.width();
  kernels::AttentionArguments<T> a{};
  a.q = pointer<T>(inputs.q);
  a.k = pointer<T>(keysValues) + (inputs.self() ? width : 0);
  a.v = a.k + width;
  a.qStride = inputs.q.size(2);
  a.kvStride = keysValues.size(2);
  a.weights = pointer<T>(weights);
  a.keyStride = weights.size(3);
  a.lengths = pointer<std::int64_t>(lengths);
  a.batch = inputs.q.size(0);
  a.queries = inputs.q.size(1);
  a.keys = keysValues.size(1);
  a.heads = settings.heads;
  a.width = width / settings.heads;
  a.scale = settings.scale;
  a.causal = settings.causal;
  a.queriesArePadded = inputs.self() && lengths.defined();
  a.threads = at::get_num_threads();
  return a;
}

struct Attention : torch::autograd::Function<Attention> {
  // The result and the attention weights.
  static variable_list forward(AutogradContext* context, const Tensor& queries,
                               const MaybeTensor& keysValues, const MaybeTensor& trueKeys,
                               const AttentionOptions& options) {
    const Inputs inputs{queries.contiguous(), keysValues ? keysValues->contiguous() : Tensor{}};
    const Tensor& q = inputs.q;
    const Tensor lengths = trueKeys.value_or(Tensor{});
    const Settings settings{options.heads, options.causal,
                            scoreScale(options.scale, inputs.width() / options.heads)};
    const std::int64_t positions = inputs.keysValues().size(1);
    const Tensor out = torch::empty({q.size(0), q.size(1), inputs.width()}, q.options());
    Tensor weights;
    byType(q, [&](auto type) {
      using T = decltype(type);
      const std::int64_t stride = kernels::keyStrideOf<T>(positions);
      weights = torch::empty({q.size(0), options.heads, q.size(1), stride}, q.options());
      auto arguments = argumentsOf<T>(inputs, lengths, weights, settings);
      arguments.mask = kernels::maskOf(options.dropout.rate, options.dropout.key);
      arguments.out = pointer<T>(out);
      kernels::attention(arguments);
    });
    context->save_for_backward({q, inputs.kv, lengths, weights});
    context->saved_data["heads"] = settings.heads;
    context->saved_data["causal"] = settings.causal;
    context->saved_data["scale"] = settings.scale;
    saveDropout(context, options.dropout);
    context->mark_non_differentiable({weights});
    return {out, weights};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto saved = context->get_saved_variables();
    const Inputs inputs{saved[0], saved[1]};
    const Inputs gradients{torch::empty_like(inputs.q),
                           inputs.self() ? Tensor{} : torch::empty_like(inputs.kv)};
    const Settings settings{context->saved_data["heads"].toInt(),
                            context->saved_data["causal"].toBool(),
                            context->saved_data["scale"].toDouble()};
    const Tensor g = gradOut[0].contiguous();
    byType(g, [&](auto type) {
      using T = decltype(type);
      auto arguments = argumentsOf<T>(inputs, saved[2], saved[3], settings);
      arguments.mask = savedMask(context);
      T* keys = pointer<T>(gradients.keysValues()) + (inputs.self() ? inputs.width() : 0);
      kernels::attentionBackward<T>(
          arguments, {pointer<T>(g), pointer<T>(gradients.q), keys, keys + inputs.width()});
    });
    return {gradients.q, gradients.kv, Tensor{}, Tensor{}};
  }
};

}  // namespace

Tensor attention(const Tensor& queries, const Tensor& keysValues, const SourceBatch& source,
                 const AttentionOptions& options) {
  const Tensor lengths = source.lengthsIfPadded();
  const auto results = Attention::apply(queries, maybe(keysValues), maybe(lengths), options);
  if (options.map.wanted()) {
    const std::int64_t positions = (keysValues.defined() ? keysValues : queries).size(1);
    options.map.passWeights(results[1].narrow(3, 0, positions));
  }
  return results[0];
}

}  // namespace strata::cpu
