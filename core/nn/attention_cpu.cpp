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

// What both passes share besides the inputs.
struct Settings {
  std::int64_t heads;
  bool causal;
  double scale;
  Tensor queryStarts, queryLengths, keyStarts, keyLengths;  // of the sentences; undefined: none
  std::int64_t queries, keys;                               // positions of the longest sentences
  std::int64_t batch;
};

Settings settingsOf(const Inputs& inputs, const AttentionRows& rows,
                    const AttentionOptions& options) {
  const auto positions = [](const Tensor& x, const WordRows& of) {
    return of.unpadded() ? of.positions : x.size(1);
  };
  const WordRows& keys = inputs.self() ? rows.queries : rows.keys;
  return {.heads = options.heads,
          .causal = options.causal,
          .scale = scoreScale(options.scale, inputs.width() / options.heads),
          .queryStarts = rows.queries.starts_B,
          .queryLengths = rows.queries.lengths_B,
          .keyStarts = keys.starts_B,
          .keyLengths = keys.lengths_B,
          .queries = positions(inputs.q, rows.queries),
          .keys = positions(inputs.keysValues(), keys),
          .batch = rows.queries.unpadded() ? rows.queries.starts_B.size(0) : inputs.q.size(0)};
}

template <typename T>
kernels::AttentionArguments<T> argumentsOf(const Inputs& inputs, const Tensor& weights,
                                           const Settings& settings) {
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
  a.queries = {settings.queries, pointer<std::int64_t>(settings.queryStarts),
               pointer<std::int64_t>(settings.queryLengths)};
  a.keys = {settings.keys, pointer<std::int64_t>(settings.keyStarts),
            pointer<std::int64_t>(settings.keyLengths)};
  a.batch = settings.batch;
  a.heads = settings.heads;
  a.width = width / settings.heads;
  a.scale = settings.scale;
  a.causal = settings.causal;
  a.threads = at::get_num_threads();
  return a;
}

struct Attention : torch::autograd::Function<Attention> {
  // The result and the attention weights.
  static variable_list forward(AutogradContext* context, const Tensor& queries,
                               const MaybeTensor& keysValues, const AttentionRows& rows,
                               const AttentionOptions& options) {
    const Inputs inputs{queries.contiguous(), keysValues ? keysValues->contiguous() : Tensor{}};
    const Tensor& q = inputs.q;
    const Settings settings = settingsOf(inputs, rows, options);
    const Tensor out = torch::empty({q.size(0), q.size(1), inputs.width()}, q.options());
    Tensor weights;
    byType(q, [&](auto type) {
      using T = decltype(type);
      const std::int64_t stride = kernels::keyStrideOf<T>(settings.keys);
      weights =
          torch::empty({settings.batch, settings.heads, settings.queries, stride}, q.options());
      auto arguments = argumentsOf<T>(inputs, weights, settings);
      arguments.mask = maskOf(options.dropout);
      arguments.out = pointer<T>(out);
      kernels::attention(arguments);
    });
    context->save_for_backward({q, inputs.kv, weights, settings.queryStarts, settings.queryLengths,
                                settings.keyStarts, settings.keyLengths});
    context->saved_data["heads"] = settings.heads;
    context->saved_data["causal"] = settings.causal;
    context->saved_data["scale"] = settings.scale;
    context->saved_data["keys"] = settings.keys;
    saveDropout(context, options.dropout);
    context->mark_non_differentiable({weights});
    context->set_materialize_grads(false);  // no zeros for the weights
    return {out, weights};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto saved = context->get_saved_variables();
    const Inputs inputs{saved[0], saved[1]};
    const Inputs gradients{torch::empty_like(inputs.q),
                           inputs.self() ? Tensor{} : torch::empty_like(inputs.kv)};
    const Tensor& weights = saved[2];
    const Settings settings{.heads = context->saved_data["heads"].toInt(),
                            .causal = context->saved_data["causal"].toBool(),
                            .scale = context->saved_data["scale"].toDouble(),
                            .queryStarts = saved[3],
                            .queryLengths = saved[4],
                            .keyStarts = saved[5],
                            .keyLengths = saved[6],
                            .queries = weights.size(2),
                            .keys = context->saved_data["keys"].toInt(),
                            .batch = weights.size(0)};
    const Tensor g = gradOut[0].contiguous();
    byType(g, [&](auto type) {
      using T = decltype(type);
      auto arguments = argumentsOf<T>(inputs, weights, settings);
      arguments.mask = savedMask(context);
      T* keys = pointer<T>(gradients.keysValues()) + (inputs.self() ? inputs.width() : 0);
      kernels::attentionBackward<T>(
          arguments, {pointer<T>(g), pointer<T>(gradients.q), keys, keys + inputs.width()});
    });
    return {gradients.q, gradients.kv, Tensor{}, Tensor{}};
  }
};

}  // namespace

Tensor attention(const Tensor& queries, const Tensor& keysValues, const AttentionRows& rows,
                 const AttentionOptions& options) {
  const auto results = Attention::apply(queries, maybe(keysValues), rows, options);
  if (options.map.wanted()) {
    const std::int64_t positions = (keysValues.defined() ? keysValues : queries).size(1);
    options.map.passWeights(results[1].narrow(3, 0, positions));
  }
  return results[0];
}

}  // namespace strata::cpu
