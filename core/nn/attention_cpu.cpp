// Attention of whole sentences around its kernel.
#include "core/nn/function_cpu.h"
#include "core/nn/fused_cpu.h"

namespace strata::cpu {
namespace {

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

// What the attention's two passes share beside tensors.
struct Call : torch::CustomClassHolder {
  std::int64_t heads = 1;
  bool causal = false;
  double scale = 1;
  std::vector<kernels::Mask> masks;                        // one an attention
  std::vector<c10::intrusive_ptr<GradientSum>> gradients;  // null: of its own
};
using CallPointer = c10::intrusive_ptr<Call>;

template <typename T>
kernels::AttentionArguments<T> argumentsOf(const Inputs& inputs, const Tensor& lengths,
                                           const Tensor& weights, const Call& call) {
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
  a.heads = call.heads;
  a.width = width / call.heads;
  a.scale = call.scale;
  a.causal = call.causal;
  a.queriesArePadded = inputs.self() && lengths.defined();
  a.threads = at::get_num_threads();
  return a;
}

struct Attention : torch::autograd::Function<Attention> {
  // The result, then the weights of each attention.
  static variable_list forward(AutogradContext* context, const Tensor& queries,
                               at::TensorList memory, const MaybeTensor& trueKeys,
                               const CallPointer& call) {
    variable_list saved{trueKeys.value_or(Tensor{}), queries.contiguous()};
    for (const Tensor& part : memory) saved.push_back(part.contiguous());
    const auto parts = attentionsOf(saved[1], at::TensorList(saved).slice(2));
    const Tensor &q = parts[0].q, &keys = parts[0].keys();
    variable_list results{torch::empty({q.size(0), q.size(1), parts[0].width()}, q.options())};
    byType(q, [&](auto type) {
      using T = decltype(type);
      const std::int64_t stride = kernels::keyStrideOf<T>(keys.size(1));
      std::vector<kernels::AttentionArguments<T>> arguments;
      for (const Inputs& part : parts) {
        results.push_back(torch::empty({q.size(0), call->heads, q.size(1), stride}, q.options()));
        arguments.push_back(argumentsOf<T>(part, saved[0], results.back(), *call));
        arguments.back().out = pointer<T>(results[0]);
      }
      kernels::attention(arguments, call->masks);
    });
    const variable_list weights(results.begin() + 1, results.end());
    saved.insert(saved.end(), weights.begin(), weights.end());
    context->save_for_backward(saved);
    context->saved_data["call"] = torch::IValue::make_capsule(call);
    context->mark_non_differentiable(weights);
    return results;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto saved = context->get_saved_variables();
    const auto held = context->saved_data["call"].toCapsule();
    const auto& call = static_cast<const Call&>(*held);
    const std::size_t count = call.masks.size();
    const at::TensorList inputs = at::TensorList(saved).slice(1, saved.size() - 1 - count);
    const auto parts = attentionsOf(inputs[0], inputs.slice(1));
    const GradientTargets targets = targetsOf(context, inputs, call);
    const auto outputs = attentionsOf(targets.all[0], at::TensorList(targets.all).slice(1));
    const Tensor g = gradOut[0].contiguous();
    byType(g, [&](auto type) {
      using T = decltype(type);
      std::vector<kernels::AttentionArguments<T>> arguments;
      std::vector<kernels::AttentionGradients<T>> gradients;
      for (std::size_t j = 0; j < count; ++j) {
        const Tensor& weights = saved[1 + inputs.size() + j];
        arguments.push_back(argumentsOf<T>(parts[j], saved[0], weights, call));
        const Inputs& out = outputs[j];
        T* keys = pointer<T>(out.keys()) + (out.self() ? out.width() : 0);
        T* values = out.v.defined() ? pointer<T>(out.v) : keys + out.width();
        gradients.push_back({pointer<T>(g), pointer<T>(out.q), keys, values, targets.adds[j]});
      }
      kernels::attentionBackward(arguments, gradients, call.masks);
    });
    return targets.results;
  }

 private:
  // Where the gradients go, and what autograd is handed: nothing of what is added to a sum.
  struct GradientTargets {
    variable_list all, results;
    std::vector<bool> adds;
  };

  static GradientTargets targetsOf(AutogradContext* context, at::TensorList inputs,
                                   const Call& call) {
    GradientTargets targets;
    targets.adds.resize(call.masks.size());
    for (const Tensor& input : inputs) targets.all.push_back(torch::empty_like(input));
    targets.results = targets.all;
    for (std::size_t j = 0; j < call.gradients.size(); ++j) {
      const std::size_t keys = 1 + 2 * j, values = keys + 1;
      const auto& sum = call.gradients[j];
      if (!sum || !(context->needs_input_grad(keys) && context->needs_input_grad(values))) continue;
      targets.adds[j] = sum->keys_BSD.defined();
      if (!targets.adds[j]) {
        sum->keys_BSD = targets.all[keys];
        sum->values_BSD = targets.all[values];
      }
      targets.all[keys] = sum->keys_BSD;
      targets.all[values] = sum->values_BSD;
      targets.results[keys] = targets.results[values] = Tensor{};
    }
    targets.results.resize(inputs.size() + 2);  // of what is no tensor of values
    return targets;
  }
};

// Keys and values as they are; their gradients come out of the sum that their readers leave.
struct ReadByMany : torch::autograd::Function<ReadByMany> {
  static variable_list forward(AutogradContext* context, const Tensor& keys, const Tensor& values,
                               const c10::intrusive_ptr<GradientSum>& sum) {
    context->set_materialize_grads(false);
    context->saved_data["sum"] = torch::IValue::make_capsule(sum);
    return {keys, values};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto held = context->saved_data["sum"].toCapsule();
    auto& sum = static_cast<GradientSum&>(*held);
    return {total(std::exchange(sum.keys_BSD, {}), gradOut[0]),
            total(std::exchange(sum.values_BSD, {}), gradOut[1]), Tensor{}};
  }

 private:
  static Tensor total(const Tensor& summed, const Tensor& rest) {
    if (!summed.defined() || !rest.defined()) return summed.defined() ? summed : rest;
    return summed + rest;
  }
};

Tensor attend(const Tensor& queries, const std::vector<Tensor>& memory, const SourceBatch& source,
              const std::vector<AttentionOptions>& options, const CallPointer& call) {
  const Tensor lengths = source.padding_BS.defined() ? source.lengths_B : Tensor{};
  const std::int64_t width = memory.empty() ? queries.size(2) / 3 : queries.size(2);
  const AttentionOptions& common = options.front();
  call->heads = common.heads;
  call->causal = common.causal;
  call->scale = scoreScale(common.scale, width / common.heads);
  for (const AttentionOptions& each : options)
    call->masks.push_back(kernels::maskOf(each.dropout.rate, each.dropout.key));
  const auto results = Attention::apply(queries, at::TensorList(memory), maybe(lengths), call);
  const std::int64_t positions = memory.empty() ? queries.size(1) : memory[0].size(1);
  for (std::size_t j = 0; j < options.size(); ++j) {
    const Published& map = options[j].map;
    if (map.wanted()) map.passWeights(results[1 + j].narrow(3, 0, positions));
  }
  return results[0];
}

}  // namespace

Tensor attention(const Tensor& queries, const Tensor& keysValues, const SourceBatch& source,
                 const AttentionOptions& options) {
  const std::vector<Tensor> memory(keysValues.defined() ? 1 : 0, keysValues);
  return attend(queries, memory, source, {options}, c10::make_intrusive<Call>());
}

KeysValues readByMany(const Tensor& keys, const Tensor& values) {
  const auto sum = c10::make_intrusive<GradientSum>();
  const auto outputs = ReadByMany::apply(keys, values, sum);
  return {outputs[0], outputs[1], sum};
}

Tensor summedAttention(const Tensor& queries, const std::vector<KeysValues>& memories,
                       const SourceBatch& source, const std::vector<AttentionOptions>& options) {
  const auto call = c10::make_intrusive<Call>();
  std::vector<Tensor> memory;
  for (const KeysValues& each : memories) {
    memory.insert(memory.end(), {each.keys_BSD, each.values_BSD});
    call->gradients.push_back(each.gradients);
  }
  return attend(queries, memory, source, options, call);
}

}  // namespace strata::cpu
