// Sums of attentions, built around their kernel.
#include "core/nn/function_cpu.h"
#include "core/nn/fused_cpu.h"

namespace strata::cpu {
namespace {

// What both passes share besides tensors.
struct SummedCall : torch::CustomClassHolder {
  std::int64_t heads = 1;
  double scoreScale = 1, valueScale = 1;
  std::vector<kernels::Mask> masks;           // one per part
  c10::intrusive_ptr<GradientSum> gradients;  // null: not shared
};
using CallPointer = c10::intrusive_ptr<SummedCall>;

// memory: K_1, K_2, ..., C; weights: one per part.
template <typename T>
kernels::SummedArguments<T> argumentsOf(const Tensor& q, at::TensorList memory,
                                        at::TensorList weights, const Tensor& lengths,
                                        const SummedCall& call) {
  kernels::SummedArguments<T> a{};
  a.q = pointer<T>(q);
  for (const Tensor& keys : memory.slice(0, memory.size() - 1))
    a.keysOf.push_back(pointer<T>(keys));
  a.shared = pointer<T>(memory.back());
  for (const Tensor& each : weights) a.weights.push_back(pointer<T>(each));
  a.masks = call.masks;
  a.keyStride = weights[0].size(3);
  a.lengths = pointer<std::int64_t>(lengths);
  a.batch = q.size(0);
  a.queries = q.size(1);
  a.keys = memory.back().size(1);
  a.heads = call.heads;
  a.width = q.size(2) / call.heads;
  a.scoreScale = call.scoreScale;
  a.valueScale = call.valueScale;
  a.threads = at::get_num_threads();
  return a;
}

struct SummedAttention : torch::autograd::Function<SummedAttention> {
  // The result, then the attention weights of each part.
  static variable_list forward(AutogradContext* context, const Tensor& queries,
                               at::TensorList memory, const MaybeTensor& trueKeys,
                               const CallPointer& call) {
    variable_list saved{trueKeys.value_or(Tensor{}), queries.contiguous()};
    for (const Tensor& each : memory) saved.push_back(each.contiguous());
    const Tensor& q = saved[1];
    variable_list results{torch::empty_like(q)};
    byType(q, [&](auto type) {
      using T = decltype(type);
      const std::int64_t stride = kernels::keyStrideOf<T>(memory.back().size(1));
      for (std::size_t j = 0; j < call->masks.size(); ++j)
        results.push_back(torch::empty({q.size(0), call->heads, q.size(1), stride}, q.options()));
      auto arguments = argumentsOf<T>(q, at::TensorList(saved).slice(2),
                                      at::TensorList(results).slice(1), saved[0], *call);
      arguments.out = pointer<T>(results[0]);
      kernels::summedAttention(arguments);
    });
    const variable_list weights(results.begin() + 1, results.end());
    saved.insert(saved.end(), weights.begin(), weights.end());
    context->save_for_backward(saved);
    context->saved_data["call"] = torch::IValue::make_capsule(call);
    context->mark_non_differentiable(weights);
    context->set_materialize_grads(false);  // no zeros for the weights
    return results;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto saved = context->get_saved_variables();
    const auto held = context->saved_data["call"].toCapsule();
    const auto& call = static_cast<const SummedCall&>(*held);
    const std::size_t parts = call.masks.size();
    const at::TensorList memory = at::TensorList(saved).slice(2, parts + 1);
    const Targets targets = targetsOf(context, memory, call);
    const Tensor g = gradOut[0].contiguous(), gradQ = torch::empty_like(saved[1]);
    byType(g, [&](auto type) {
      using T = decltype(type);
      kernels::SummedGradients<T> gradients{
          pointer<T>(g), pointer<T>(gradQ), {}, pointer<T>(targets.all.back()), targets.adds};
      for (std::size_t j = 0; j < parts; ++j)
        gradients.keysOf.push_back(pointer<T>(targets.all[j]));
      kernels::summedAttentionBackward(
          argumentsOf<T>(saved[1], memory, at::TensorList(saved).slice(2 + memory.size()), saved[0],
                         call),
          gradients);
    });
    variable_list results{gradQ};
    if (targets.shared) {
      results.resize(1 + memory.size());
    } else {
      results.insert(results.end(), targets.all.begin(), targets.all.end());
    }
    results.resize(results.size() + 2);  // of the inputs that are not value tensors
    return results;
  }

 private:
  // Where the memory's gradients go: to separate tensors, or to the sum over all readers, which the
  // first one writes and the others add to.
  struct Targets {
    variable_list all;
    bool shared = false, adds = false;
  };

  static Targets targetsOf(AutogradContext* context, at::TensorList memory,
                           const SummedCall& call) {
    Targets targets;
    targets.shared = call.gradients != nullptr;
    for (std::size_t i = 0; i < memory.size(); ++i)
      targets.shared = targets.shared && context->needs_input_grad(1 + i);
    targets.adds = targets.shared && !call.gradients->all.empty();
    if (targets.adds) {
      targets.all = call.gradients->all;
    } else {
      for (const Tensor& each : memory) targets.all.push_back(torch::empty_like(each));
      if (targets.shared) call.gradients->all = targets.all;
    }
    return targets;
  }
};

// Passes the memory through; its gradient is the sum that its readers leave.
struct ReadByMany : torch::autograd::Function<ReadByMany> {
  static variable_list forward(AutogradContext* context, at::TensorList memory,
                               const c10::intrusive_ptr<GradientSum>& sum) {
    context->set_materialize_grads(false);
    context->saved_data["sum"] = torch::IValue::make_capsule(sum);
    return memory.vec();
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const auto held = context->saved_data["sum"].toCapsule();
    variable_list results = std::exchange(static_cast<GradientSum&>(*held).all, {});
    results.resize(gradOut.size() + 1);
    for (std::size_t i = 0; i < gradOut.size(); ++i) {
      if (!gradOut[i].defined()) continue;
      results[i] = results[i].defined() ? results[i] + gradOut[i] : gradOut[i];
    }
    return results;
  }
};

variable_list listOf(const SummedMemory& memory) {
  variable_list list = memory.keys_BSD;
  list.push_back(memory.shared_BSD);
  return list;
}

}  // namespace

SummedMemory readByMany(SummedMemory memory) {
  memory.gradients = c10::make_intrusive<GradientSum>();
  variable_list list = ReadByMany::apply(at::TensorList(listOf(memory)), memory.gradients);
  memory.shared_BSD = list.back();
  list.pop_back();
  memory.keys_BSD = std::move(list);
  return memory;
}

Tensor summedAttention(const Tensor& queries, const SummedMemory& memory, const SourceBatch& source,
                       const std::vector<AttentionOptions>& options) {
  const Tensor lengths = source.lengthsIfPadded();
  const auto call = c10::make_intrusive<SummedCall>();
  call->heads = options.front().heads;
  call->scoreScale = scoreScale(options.front().scale, queries.size(2) / call->heads);
  call->valueScale = memory.scale;
  call->gradients = memory.gradients;
  for (const AttentionOptions& each : options)
    call->masks.push_back(kernels::maskOf(each.dropout.rate, each.dropout.key));
  const auto results =
      SummedAttention::apply(queries, at::TensorList(listOf(memory)), maybe(lengths), call);
  for (std::size_t j = 0; j < options.size(); ++j) {
    const Published& map = options[j].map;
    if (map.wanted()) map.passWeights(results[1 + j].narrow(3, 0, memory.shared_BSD.size(1)));
  }
  return results[0];
}

}  // namespace strata::cpu
