#include "core/nn/attentional_recurrence.h"

#include "core/nn/cpu_products.h"
#include "core/nn/function_cpu.h"
#include "core/nn/fused.h"
#include "core/nn/kernels/additive.h"
#include "core/nn/parameters.h"

namespace strata {
namespace {

using namespace cpu;

// What the forward pass computes and keeps for the gradient. Slot t of `hidden` and `cell` is the
// state before step t.
struct AttentionalPass {
  Tensor keys_BSA, values_BSG, packed_PH;  // P = G + A: recurrent and query matrix concatenated
  Tensor queryBias_A, energy_A, peephole_3H, lengths_B;
  Tensor gates_TBG, hidden, cell, queries_TBA, weights_BTS;
  GateOrder order;
  bool started = false;

  std::int64_t steps() const { return gates_TBG.size(0); }
  std::int64_t batch() const { return gates_TBG.size(1); }
  std::int64_t gates() const { return gates_TBG.size(2); }

  const std::int64_t* lengthsFrom(std::int64_t row) const {
    return lengths_B.defined() ? lengths_B.data_ptr<std::int64_t>() + row : nullptr;
  }
  kernels::AdditiveShape shape(const Rows& rows) const {
    return {
        rows.count, keys_BSA.size(1),       keys_BSA.size(2), gates(), steps() * keys_BSA.size(1),
        nullptr,    lengthsFrom(rows.begin)};
  }
  kernels::CellBlock block(std::int64_t rows) const {
    return {rows, hidden.size(2), order, nullptr, 0};
  }
  // Conversion to and from the list that autograd saves.
  variable_list saved() const {
    return {keys_BSA,  values_BSG, packed_PH, queryBias_A, energy_A,    peephole_3H,
            lengths_B, gates_TBG,  hidden,    cell,        queries_TBA, weights_BTS};
  }
  static AttentionalPass of(const variable_list& s, const GateOrder& order, bool started) {
    return {s[0], s[1], s[2], s[3],  s[4],  s[5],  s[6],
            s[7], s[8], s[9], s[10], s[11], order, started};
  }
};

// f holds x; the context is added to it.
void runForward(const AttentionalPass& pass, const Factor& packed_PH, const Tensor& f_TBG,
                const Tensor& bias_G, const Rows& rows) {
  const Tensor products_RP =
      torch::empty({rows.count, pass.packed_PH.size(0)}, pass.gates_TBG.options());
  const Tensor keys = pass.keys_BSA.narrow(0, rows.begin, rows.count),
               values = pass.values_BSG.narrow(0, rows.begin, rows.count),
               weights = pass.weights_BTS.narrow(0, rows.begin, rows.count);
  const std::int64_t gateWidth = pass.gates(), queryWidth = pass.packed_PH.size(0) - gateWidth;
  for (std::int64_t t = 0; t < pass.steps(); ++t) {
    const bool moving = t > 0 || pass.started;
    if (moving) packed_PH.times(rows.of(pass.hidden, t), {.out = products_RP});
    Tensor queries = rows.of(pass.queries_TBA, t);
    moving ? at::add_out(queries, products_RP.narrow(1, gateWidth, queryWidth), pass.queryBias_A)
           : queries.copy_(pass.queryBias_A.expand_as(queries));
    const Tensor f = rows.of(f_TBG, t);
    byType(f, [&](auto type) {
      using T = decltype(type);
      kernels::additiveAttention<T>(
          {pointer<T>(queries), pointer<T>(keys), pointer<T>(values), pointer<T>(pass.energy_A),
           pointer<T>(weights) + t * weights.size(2), pointer<T>(f)},
          pass.shape(rows));
    });
    Tensor gates = rows.of(pass.gates_TBG, t);
    at::add_out(gates, f, bias_G);
    if (moving) gates.add_(products_RP.narrow(1, 0, gateWidth));
    const Tensor before = rows.of(pass.cell, t), cell = rows.of(pass.cell, t + 1),
                 hidden = rows.of(pass.hidden, t + 1);
    byType(f, [&](auto type) {
      using T = decltype(type);
      kernels::lstmCell<T>(
          {pointer<T>(gates), pointer<T>(pass.peephole_3H), t > 0 ? pointer<T>(before) : nullptr,
           pointer<T>(cell), pointer<T>(hidden)},
          pass.block(rows.count));
    });
  }
}

// Results of back-propagation through time.
struct AttentionalGradients {
  Tensor hidden_TBH, f_TBG;          // inputs; f's becomes the complete gradient of f
  Tensor products_TBP;               // of [gate pre-activations, queries]
  Tensor keys_BSA;                   // added to
  Tensor energies_NA, peephole_N3H;  // one per part
};

void runBackward(const AttentionalPass& pass, const Factor& packed_HP,
                 const AttentionalGradients& grads, const Rows& rows, std::int64_t part) {
  Tensor hidden = torch::empty({rows.count, pass.hidden.size(2)}, pass.hidden.options());
  const Tensor cellGrad = torch::zeros_like(hidden),
               sums = torch::empty({rows.count, pass.gates()}, hidden.options());
  const Tensor keys = pass.keys_BSA.narrow(0, rows.begin, rows.count),
               values = pass.values_BSG.narrow(0, rows.begin, rows.count),
               weights = pass.weights_BTS.narrow(0, rows.begin, rows.count),
               keysGrad = grads.keys_BSA.narrow(0, rows.begin, rows.count),
               energyGrad = grads.energies_NA.select(0, part),
               peepholeGrad =
                   grads.peephole_N3H.defined() ? grads.peephole_N3H.select(0, part) : Tensor{};
  for (std::int64_t t = pass.steps() - 1; t >= 0; --t) {
    hidden.copy_(rows.of(grads.hidden_TBH, t));
    if (t + 1 < pass.steps()) packed_HP.addTo(hidden, rows.of(grads.products_TBP, t + 1));
    const Tensor gates = rows.of(pass.gates_TBG, t), before = rows.of(pass.cell, t),
                 after = rows.of(pass.cell, t + 1), products = rows.of(grads.products_TBP, t),
                 queries = rows.of(pass.queries_TBA, t);
    Tensor fGrad = rows.of(grads.f_TBG, t);
    byType(gates, [&](auto type) {
      using T = decltype(type);
      kernels::lstmCellBackward<T>(
          {pointer<T>(gates), pointer<T>(pass.peephole_3H), t > 0 ? pointer<T>(before) : nullptr,
           pointer<T>(after), pointer<T>(hidden), pointer<T>(cellGrad), pointer<T>(sums),
           pointer<T>(peepholeGrad)},
          pass.block(rows.count));
      products.narrow(1, 0, pass.gates()).copy_(sums);
      fGrad.add_(sums);
      kernels::additiveAttentionBackward<T>(
          {pointer<T>(queries), pointer<T>(keys), pointer<T>(values), pointer<T>(pass.energy_A),
           pointer<T>(weights) + t * weights.size(2), pointer<T>(fGrad),
           pointer<T>(products) + pass.gates(), products.stride(0), pointer<T>(keysGrad),
           pointer<T>(energyGrad)},
          pass.shape(rows));
    });
  }
}

struct AttendAndRecur : torch::autograd::Function<AttendAndRecur> {
  // tensors: inputs, keys, values, recurrent, bias, query, query's bias, energy.
  static variable_list forward(AutogradContext* context, at::TensorList tensors,
                               const MaybeTensor& peephole, const MaybeTensor& initial,
                               const MaybeTensor& lengths, const GateOrder& order) {
    const std::int64_t steps = tensors[0].size(0), batch = tensors[0].size(1),
                       width = tensors[3].size(1);
    const Tensor f_TBG = tensors[0].clone(at::MemoryFormat::Contiguous);
    AttentionalPass pass{
        .keys_BSA = tensors[1].contiguous(),
        .values_BSG = tensors[2].contiguous(),
        .packed_PH = joinedParameters({tensors[3], tensors[5]}),
        .queryBias_A = tensors[6],
        .energy_A = tensors[7].contiguous(),
        .peephole_3H = peephole ? peephole->contiguous() : Tensor{},
        .lengths_B = lengths.value_or(Tensor{}),
        .gates_TBG = torch::empty_like(f_TBG),
        .hidden = torch::empty({steps + 1, batch, width}, f_TBG.options()),
        .cell = torch::empty({steps + 1, batch, width}, f_TBG.options()),
        .queries_TBA = torch::empty({steps, batch, tensors[5].size(0)}, f_TBG.options()),
        .weights_BTS = torch::empty({batch, steps, tensors[1].size(1)}, f_TBG.options()),
        .order = order,
        .started = initial.has_value()};
    if (initial) {
      pass.hidden.select(0, 0).copy_(*initial);
    } else {
      pass.hidden.select(0, 0).zero_();
    }
    const Factor packed_PH(pass.packed_PH);
    forEachPart(1, batch, [&](std::size_t, const Rows& rows, std::int64_t) {
      runForward(pass, packed_PH, f_TBG, tensors[4], rows);
    });
    saveArithmetic(context);
    context->save_for_backward(pass.saved());
    context->saved_data["order"] =
        std::vector<std::int64_t>{order.input, order.forget, order.candidate, order.output};
    context->saved_data["started"] = pass.started;
    context->mark_non_differentiable({pass.weights_BTS});
    return {pass.hidden.narrow(0, 1, steps), f_TBG, pass.weights_BTS};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const ArithmeticScope scope(savedArithmetic(context));
    const AttentionalPass pass = AttentionalPass::of(
        context->get_saved_variables(), orderOf(context->saved_data["order"].toIntVector()),
        context->saved_data["started"].toBool());
    const auto options = pass.gates_TBG.options();
    const std::int64_t steps = pass.steps(), parts = at::get_num_threads(),
                       width = pass.hidden.size(2);
    const Tensor states = pass.hidden.narrow(0, 1, steps);
    AttentionalGradients grads{
        .hidden_TBH = gradOut[0].defined() ? gradOut[0].contiguous() : torch::zeros_like(states),
        .f_TBG = gradOut[1].defined() ? gradOut[1].clone(at::MemoryFormat::Contiguous)
                                      : torch::zeros_like(pass.gates_TBG),
        .products_TBP = torch::empty({steps, pass.batch(), pass.packed_PH.size(0)}, options),
        .keys_BSA = torch::zeros_like(pass.keys_BSA),
        .energies_NA = torch::zeros({parts, pass.energy_A.size(0)}, options),
        .peephole_N3H =
            pass.peephole_3H.defined() ? torch::zeros({parts, 3, width}, options) : Tensor{}};
    const Factor packed_HP(pass.packed_PH.t());
    forEachPart(1, pass.batch(), [&](std::size_t, const Rows& rows, std::int64_t part) {
      runBackward(pass, packed_HP, grads, rows, part);
    });
    const std::int64_t gates = pass.gates(), queries = pass.packed_PH.size(0) - gates;
    const Tensor flat = grads.products_TBP.flatten(0, 1);
    const Tensor packed = torch::empty_like(pass.packed_PH), sums = flat.sum(0);
    multiplyGradient(flat, pass.hidden.narrow(0, 0, steps).flatten(0, 1), packed);
    return {grads.f_TBG,
            grads.keys_BSA,
            pass.weights_BTS.transpose(1, 2).bmm(grads.f_TBG.transpose(0, 1)),
            packed.narrow(0, 0, gates),
            sums.narrow(0, 0, gates),
            packed.narrow(0, gates, queries),
            sums.narrow(0, gates, queries),
            grads.energies_NA.sum(0),
            pass.peephole_3H.defined() ? grads.peephole_N3H.sum(0) : Tensor{},
            pass.started ? grads.products_TBP.select(0, 0).mm(pass.packed_PH) : Tensor{},
            Tensor{},   // of the lengths
            Tensor{}};  // of the order
  }

  static GateOrder orderOf(const std::vector<std::int64_t>& order) {
    return {static_cast<int>(order[0]), static_cast<int>(order[1]), static_cast<int>(order[2]),
            static_cast<int>(order[3])};
  }
};

// alpha [N, S] of queries [N, A], each with its own keys.
Tensor plainWeights(const Tensor& queries_NA, const Tensor& keys_NSA, const Tensor& padding_NS,
                    const Tensor& energy_A) {
  Tensor energies_NS = torch::tanh(keys_NSA + queries_NA.unsqueeze(1)).matmul(energy_A);
  if (padding_NS.defined())
    energies_NS = energies_NS.masked_fill(padding_NS, -std::numeric_limits<double>::infinity());
  return torch::softmax(energies_NS, 1);
}

struct PlainStep {
  CellState state;
  Tensor context_RG;
};
// One step in libtorch's operators; sums_RG: x + b; `map` may replace the weights.
PlainStep plainStep(const Tensor& sums_RG, const CellState& before, const Tensor& keys_RSA,
                    const Tensor& values_RSG, const Tensor& padding_RS,
                    const AttentionalWeights& weights, const AttentionalOptions& options) {
  const Tensor queries = affine(before.hidden_RH, weights.query_AH, weights.queryBias_A);
  const Tensor alpha_RS =
      options.map.pass(plainWeights(queries, keys_RSA, padding_RS, weights.energy_A).unsqueeze(1))
          .squeeze(1);
  const Tensor context_RG = product(alpha_RS.unsqueeze(1), values_RSG).squeeze(1);
  const Tensor gates_RG = sums_RG + context_RG + affine(before.hidden_RH, weights.recurrent_GH);
  return {recurOnce(gates_RG, weights.peephole_3H, before.cell_RH, options.order), context_RG};
}

// What the steps share is split and biased at once: each split's gradient is a tensor of all steps,
// each bias's a sum.
AttentionalStates plainStates(const Tensor& inputs_TBG, const Tensor& initial_BH,
                              const AttendedSource& attended, const AttentionalWeights& weights,
                              const AttentionalOptions& options) {
  const Tensor zeros =
      torch::zeros({inputs_TBG.size(1), weights.recurrent_GH.size(1)}, inputs_TBG.options());
  CellState state{initial_BH.defined() ? initial_BH : zeros, zeros};
  const std::vector<Tensor> sums = (inputs_TBG + weights.bias_G).unbind(0);
  const Tensor keys_BSA = attended.keys_BSA + weights.queryBias_A;
  AttentionalWeights unbiased = weights;
  unbiased.queryBias_A.reset();
  std::vector<Tensor> hidden, contexts, maps;
  Recorder* const asker = options.map.recorder;
  for (std::int64_t t = 0; t < inputs_TBG.size(0); ++t) {
    // Each step publishes its part; the full map is assembled after them.
    Recorder recorder({options.map.info.name});
    AttentionalOptions own{options.order, {&recorder, options.map.info}};
    if (asker != nullptr) {
      recorder.intervene(asker->interventions());
      recorder.beginStep(t);
    }
    const auto step = plainStep(sums[static_cast<std::size_t>(t)], state, keys_BSA,
                                attended.values_BSG, attended.source.padding_BS, unbiased, own);
    state = step.state;
    hidden.push_back(state.hidden_RH);
    contexts.push_back(step.context_RG);
    if (asker != nullptr) maps.push_back(recorder.tensors().front().values);
  }
  if (asker != nullptr) asker->publish(options.map.info, torch::cat(maps, 1));
  return {torch::stack(hidden), inputs_TBG + torch::stack(contexts)};
}

}  // namespace

AttentionalStates attendAndRecur(const Tensor& inputs_TBG, const Tensor& initial_BH,
                                 const AttendedSource& attended, const AttentionalWeights& weights,
                                 const AttentionalOptions& options) {
  if (!usesKernels(inputs_TBG) || options.map.replaces())
    return plainStates(inputs_TBG, initial_BH, attended, weights, options);
  const std::vector<Tensor> tensors{inputs_TBG,           attended.keys_BSA, attended.values_BSG,
                                    weights.recurrent_GH, weights.bias_G,    weights.query_AH,
                                    weights.queryBias_A,  weights.energy_A};
  const auto results =
      AttendAndRecur::apply(at::TensorList(tensors), maybe(weights.peephole_3H), maybe(initial_BH),
                            maybe(attended.source.lengthsIfPadded()), options.order);
  if (options.map.wanted()) options.map.pass(results[2]);
  return {results[0], results[1]};
}

AttentionalStep attendAndRecurOnce(const Tensor& inputs_RG, const CellState& before,
                                   const AttendedSource& attended, const Backpointers& backpointers,
                                   const AttentionalWeights& weights,
                                   const AttentionalOptions& options) {
  if (!usesKernels(inputs_RG) || options.map.replaces()) {
    const auto keys = sourceRows(attended.keys_BSA, attended.source.padding_BS, backpointers),
               values = sourceRows(attended.values_BSG, attended.source.padding_BS, backpointers);
    const auto step = plainStep(inputs_RG + weights.bias_G, before, keys.keysValues_RS2D,
                                values.keysValues_RS2D, keys.padding_RS, weights, options);
    return {step.state, inputs_RG + step.context_RG};
  }
  const Tensor queries_RA = affine(before.hidden_RH, weights.query_AH, weights.queryBias_A);
  const Tensor f_RG = inputs_RG.clone(at::MemoryFormat::Contiguous),
               keys = attended.keys_BSA.contiguous(), values = attended.values_BSG.contiguous(),
               energy = weights.energy_A.contiguous(),
               alpha_RS = torch::empty({f_RG.size(0), keys.size(1)}, f_RG.options());
  byType(f_RG, [&](auto type) {
    using T = decltype(type);
    const auto* lengths = pointer<std::int64_t>(attended.source.lengthsIfPadded());
    forEachPart(1, f_RG.size(0), [&](std::size_t, const Rows& part, std::int64_t) {
      const auto [first, rows] = part;
      kernels::additiveAttention<T>(
          {pointer<T>(queries_RA) + first * queries_RA.size(1), pointer<T>(keys),
           pointer<T>(values), pointer<T>(energy), pointer<T>(alpha_RS) + first * keys.size(1),
           pointer<T>(f_RG) + first * f_RG.size(1)},
          {rows, keys.size(1), keys.size(2), values.size(2), keys.size(1),
           backpointers.sentences().data() + first, lengths});
    });
  });
  if (options.map.wanted()) options.map.pass(alpha_RS.unsqueeze(1));
  const Tensor sums_RG = affine(before.hidden_RH, weights.recurrent_GH, weights.bias_G);
  return {recurOnce(sums_RG.add_(f_RG), weights.peephole_3H, before.cell_RH, options.order), f_RG};
}

}  // namespace strata
