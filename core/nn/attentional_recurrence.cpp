#include "core/nn/attentional_recurrence.h"

#include "core/nn/cpu_products.h"
#include "core/nn/function_cpu.h"
#include "core/nn/fused.h"
#include "core/nn/kernels/additive.h"
#include "core/nn/packed_weights.h"

namespace strata {
namespace {

using namespace cpu;

// What the forward pass computes and keeps for the gradient. Slot t of `hidden` and `cell` is the
// state before step t.
struct AttentionalPass {
  Tensor keys_BSA, encoded_BSC;
  Tensor input_GX, recurrent_GH, bias_G, query_AH, queryBias_A, energy_A, peephole_3H;
  Tensor sourceLengths_B, lengths_B;  // of source and target; undefined: no padding
  Tensor inputs_TBX;                  // [c_t, y_t]
  Tensor gates_TBG, hidden, cell, queries_TBA, weights_BTS;
  GateOrder order;
  bool started = false;

  std::int64_t steps() const { return gates_TBG.size(0); }
  std::int64_t batch() const { return gates_TBG.size(1); }
  std::int64_t contextWidth() const { return encoded_BSC.size(2); }

  const std::int64_t* sourceLengthsFrom(std::int64_t row) const {
    return sourceLengths_B.defined() ? sourceLengths_B.data_ptr<std::int64_t>() + row : nullptr;
  }
  kernels::AdditiveShape shape(const Rows& rows) const {
    return {.rows = rows.count,
            .keys = keys_BSA.size(1),
            .width = keys_BSA.size(2),
            .valueWidth = contextWidth(),
            .contextStride = inputs_TBX.size(2),
            .weightStride = steps() * keys_BSA.size(1),
            .lengths = sourceLengthsFrom(rows.begin)};
  }
  kernels::CellBlock block(std::int64_t rows) const {
    return {rows, hidden.size(2), order, nullptr, 0};
  }
  // Conversion to and from the list that autograd saves.
  variable_list saved() const {
    return {keys_BSA,    encoded_BSC, input_GX,    recurrent_GH,    bias_G,     query_AH,
            queryBias_A, energy_A,    peephole_3H, sourceLengths_B, lengths_B,  inputs_TBX,
            gates_TBG,   hidden,      cell,        queries_TBA,     weights_BTS};
  }
  static AttentionalPass of(const variable_list& s, const GateOrder& order, bool started) {
    return {s[0],  s[1],  s[2],  s[3],  s[4],  s[5],  s[6],  s[7],  s[8],   s[9],
            s[10], s[11], s[12], s[13], s[14], s[15], s[16], order, started};
  }
};

// The matrices of the steps, to be multiplied by at each of them.
struct StepFactors {
  Factor input, recurrent, query;

  static StepFactors of(const AttentionalPass& pass) {
    return {Factor(pass.input_GX), Factor(pass.recurrent_GH), Factor(pass.query_AH)};
  }
  static StepFactors transposedOf(const AttentionalPass& pass) {
    return {Factor(pass.input_GX.t()), Factor(pass.recurrent_GH.t()), Factor(pass.query_AH.t())};
  }
};

// What others read of the steps after a part's longest sentence, which are not computed.
void clearFrom(const AttentionalPass& pass, const Tensor& f_TBG, const Rows& rows,
               std::int64_t step) {
  if (step == pass.steps()) return;
  rows.from(pass.hidden, step + 1).zero_();
  rows.from(pass.inputs_TBX, step).zero_();
  rows.from(pass.weights_BTS.transpose(0, 1), step).zero_();
  if (f_TBG.defined()) rows.from(f_TBG, step).zero_();
}

// f_TBG is written if it is defined.
void runForward(const AttentionalPass& pass, const StepFactors& factors, const Tensor& f_TBG,
                const Rows& rows) {
  const Tensor keys = pass.keys_BSA.narrow(0, rows.begin, rows.count),
               encoded = pass.encoded_BSC.narrow(0, rows.begin, rows.count),
               weights = pass.weights_BTS.narrow(0, rows.begin, rows.count);
  const std::int64_t steps = rows.longest(pass.lengths_B, pass.steps());
  clearFrom(pass, f_TBG, rows, steps);
  for (std::int64_t t = 0; t < steps; ++t) {
    const bool moving = t > 0 || pass.started;
    const Tensor hiddenBefore = rows.of(pass.hidden, t), queries = rows.of(pass.queries_TBA, t),
                 inputs = rows.of(pass.inputs_TBX, t);
    moving ? factors.query.times(hiddenBefore, {.bias = pass.queryBias_A, .out = queries})
           : queries.copy_(pass.queryBias_A.expand_as(queries));
    inputs.narrow(1, 0, pass.contextWidth()).zero_();
    byType(inputs, [&](auto type) {
      using T = decltype(type);
      kernels::additiveAttention<T>(
          {pointer<T>(queries), pointer<T>(keys), pointer<T>(encoded), pointer<T>(pass.energy_A),
           pointer<T>(weights) + t * weights.size(2), pointer<T>(inputs)},
          pass.shape(rows));
    });
    Tensor gates = rows.of(pass.gates_TBG, t);
    if (f_TBG.defined()) {
      at::add_out(gates, factors.input.times(inputs, {.out = rows.of(f_TBG, t)}), pass.bias_G);
    } else {
      factors.input.times(inputs, {.bias = pass.bias_G, .out = gates});
    }
    if (moving) factors.recurrent.addTo(gates, hiddenBefore);
    const Tensor before = rows.of(pass.cell, t), cell = rows.of(pass.cell, t + 1),
                 hidden = rows.of(pass.hidden, t + 1);
    byType(gates, [&](auto type) {
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
  Tensor hidden_TBH;  // input
  Tensor gates_TBG;   // of the pre-activations, where the gates' values were
  Tensor queries_TBA;
  Tensor f_TBG;  // input, becomes the complete gradient; undefined: as gates_TBG
  Tensor inputs_TBX;
  Tensor keys_BSA;                            // added to
  Tensor energies_NA, peephole_N3H, bias_NG;  // one per part

  const Tensor& completeF_TBG() const { return f_TBG.defined() ? f_TBG : gates_TBG; }
};

void runBackward(const AttentionalPass& pass, const StepFactors& transposed,
                 const AttentionalGradients& grads, const Rows& rows, std::int64_t part) {
  Tensor hidden = torch::empty({rows.count, pass.hidden.size(2)}, pass.hidden.options());
  const Tensor cellGrad = torch::zeros_like(hidden),
               keys = pass.keys_BSA.narrow(0, rows.begin, rows.count),
               encoded = pass.encoded_BSC.narrow(0, rows.begin, rows.count),
               weights = pass.weights_BTS.narrow(0, rows.begin, rows.count),
               keysGrad = grads.keys_BSA.narrow(0, rows.begin, rows.count),
               energyGrad = partOf(grads.energies_NA, part),
               peepholeGrad = partOf(grads.peephole_N3H, part),
               biasGrad = partOf(grads.bias_NG, part);
  const std::int64_t steps = rows.longest(pass.lengths_B, pass.steps());
  for (const Tensor& ofSteps : {grads.gates_TBG, grads.queries_TBA, grads.inputs_TBX})
    rows.from(ofSteps, steps).zero_();
  for (std::int64_t t = steps - 1; t >= 0; --t) {
    hidden.copy_(rows.of(grads.hidden_TBH, t));
    if (t + 1 < steps) {
      transposed.recurrent.addTo(hidden, rows.of(grads.gates_TBG, t + 1));
      transposed.query.addTo(hidden, rows.of(grads.queries_TBA, t + 1));
    }
    const Tensor gates = rows.of(pass.gates_TBG, t), before = rows.of(pass.cell, t),
                 after = rows.of(pass.cell, t + 1), gatesGrad = rows.of(grads.gates_TBG, t),
                 queries = rows.of(pass.queries_TBA, t), queryGrad = rows.of(grads.queries_TBA, t),
                 inputsGrad = rows.of(grads.inputs_TBX, t);
    byType(gates, [&](auto type) {
      using T = decltype(type);
      kernels::lstmCellBackward<T>(
          {pointer<T>(gates), pointer<T>(pass.peephole_3H), t > 0 ? pointer<T>(before) : nullptr,
           pointer<T>(after), pointer<T>(hidden), pointer<T>(cellGrad), pointer<T>(gatesGrad),
           pointer<T>(peepholeGrad), pointer<T>(biasGrad)},
          pass.block(rows.count));
      if (grads.f_TBG.defined()) rows.of(grads.f_TBG, t).add_(gatesGrad);
      transposed.input.times(rows.of(grads.completeF_TBG(), t), {.out = inputsGrad});
      kernels::additiveAttentionBackward<T>(
          {pointer<T>(queries), pointer<T>(keys), pointer<T>(encoded), pointer<T>(pass.energy_A),
           pointer<T>(weights) + t * weights.size(2), pointer<T>(inputsGrad), pointer<T>(queryGrad),
           pointer<T>(keysGrad), pointer<T>(energyGrad)},
          pass.shape(rows));
    });
  }
}

// W's gradient from those of all steps' products W x.
Tensor gradientOf(const Tensor& weight, const Tensor& productGrad_TBX, const Tensor& x_TBX) {
  return weightGradient(productGrad_TBX.flatten(0, 1), x_TBX.flatten(0, 1), weight);
}

struct AttendAndRecur : torch::autograd::Function<AttendAndRecur> {
  // tensors: words, keys, encoded, input, recurrent, bias, query, query's bias, energy.
  static variable_list forward(AutogradContext* context, at::TensorList tensors,
                               const MaybeTensor& peephole, const MaybeTensor& initial,
                               const MaybeTensor& sourceLengths, const MaybeTensor& lengths,
                               const GateOrder& order, bool wantsF) {
    const Tensor &words = tensors[0], &input = tensors[3];
    const std::int64_t steps = words.size(0), batch = words.size(1), width = tensors[4].size(1);
    const auto memory = [&](auto... sizes) { return torch::empty({sizes...}, words.options()); };
    const AttentionalPass pass{.keys_BSA = tensors[1].contiguous(),
                               .encoded_BSC = tensors[2].contiguous(),
                               .input_GX = input,
                               .recurrent_GH = tensors[4],
                               .bias_G = tensors[5],
                               .query_AH = tensors[6],
                               .queryBias_A = tensors[7],
                               .energy_A = tensors[8].contiguous(),
                               .peephole_3H = peephole ? peephole->contiguous() : Tensor{},
                               .sourceLengths_B = sourceLengths.value_or(Tensor{}),
                               .lengths_B = lengths.value_or(Tensor{}),
                               .inputs_TBX = memory(steps, batch, input.size(1)),
                               .gates_TBG = memory(steps, batch, input.size(0)),
                               .hidden = memory(steps + 1, batch, width),
                               .cell = memory(steps + 1, batch, width),
                               .queries_TBA = memory(steps, batch, tensors[6].size(0)),
                               .weights_BTS = memory(batch, steps, tensors[1].size(1)),
                               .order = order,
                               .started = initial.has_value()};
    pass.inputs_TBX.narrow(2, pass.contextWidth(), words.size(2)).copy_(words);
    if (initial) {
      pass.hidden.select(0, 0).copy_(*initial);
    } else {
      pass.hidden.select(0, 0).zero_();
    }
    const Tensor f_TBG = wantsF ? torch::empty_like(pass.gates_TBG) : Tensor{};
    const StepFactors factors = StepFactors::of(pass);
    forEachPart({.batch = batch, .atOnce = kSentencesAtOnce},
                [&](std::size_t, const Rows& rows, std::int64_t) {
                  runForward(pass, factors, f_TBG, rows);
                });
    saveArithmetic(context);
    context->save_for_backward(pass.saved());
    context->saved_data["order"] =
        std::vector<std::int64_t>{order.input, order.forget, order.candidate, order.output};
    context->saved_data["started"] = pass.started;
    context->mark_non_differentiable({pass.weights_BTS});
    variable_list results{pass.hidden.narrow(0, 1, steps), pass.weights_BTS};
    if (wantsF) results.push_back(f_TBG);
    return results;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const ArithmeticScope scope(savedArithmetic(context));
    spend(context);
    const AttentionalPass pass = AttentionalPass::of(
        context->get_saved_variables(), orderOf(context->saved_data["order"].toIntVector()),
        context->saved_data["started"].toBool());
    const Split split{.batch = pass.batch(), .atOnce = kSentencesAtOnce};
    const AttentionalGradients grads = emptyGradients(pass, gradOut, split.parts());
    const StepFactors transposed = StepFactors::transposedOf(pass);
    forEachPart(split, [&](std::size_t, const Rows& rows, std::int64_t part) {
      runBackward(pass, transposed, grads, rows, part);
    });
    const std::int64_t contextWidth = pass.contextWidth(), steps = pass.steps(),
                       wordWidth = pass.inputs_TBX.size(2) - contextWidth;
    const Tensor before_TBH = pass.hidden.narrow(0, 0, steps),
                 contexts_BTC = grads.inputs_TBX.narrow(2, 0, contextWidth).transpose(0, 1);
    return {grads.inputs_TBX.narrow(2, contextWidth, wordWidth),
            grads.keys_BSA,
            pass.weights_BTS.transpose(1, 2).bmm(contexts_BTC),
            gradientOf(pass.input_GX, grads.completeF_TBG(), pass.inputs_TBX),
            gradientOf(pass.recurrent_GH, grads.gates_TBG, before_TBH),
            grads.bias_NG.sum(0),
            gradientOf(pass.query_AH, grads.queries_TBA, before_TBH),
            grads.queries_TBA.flatten(0, 1).sum(0),
            grads.energies_NA.sum(0),
            pass.peephole_3H.defined() ? grads.peephole_N3H.sum(0) : Tensor{},
            pass.started ? initialGradient(pass, grads) : Tensor{},
            Tensor{},   // of the source's lengths
            Tensor{},   // of the lengths
            Tensor{},   // of the order
            Tensor{}};  // of `wantsF`
  }

  static AttentionalGradients emptyGradients(const AttentionalPass& pass,
                                             const variable_list& gradOut, std::int64_t parts) {
    const auto options = pass.gates_TBG.options();
    const Tensor states = pass.hidden.narrow(0, 1, pass.steps());
    const bool readsF = gradOut.size() > 2 && gradOut[2].defined();
    return {
        .hidden_TBH = gradOut[0].defined() ? gradOut[0].contiguous() : torch::zeros_like(states),
        .gates_TBG = pass.gates_TBG,
        .queries_TBA = torch::empty_like(pass.queries_TBA),
        .f_TBG = readsF ? gradOut[2].clone(at::MemoryFormat::Contiguous) : Tensor{},
        .inputs_TBX = torch::empty_like(pass.inputs_TBX),
        .keys_BSA = torch::zeros_like(pass.keys_BSA),
        .energies_NA = torch::zeros({parts, pass.energy_A.size(0)}, options),
        .peephole_N3H = pass.peephole_3H.defined()
                            ? torch::zeros({parts, 3, pass.hidden.size(2)}, options)
                            : Tensor{},
        .bias_NG = torch::zeros({parts, pass.bias_G.size(0)}, options)};
  }

  static Tensor initialGradient(const AttentionalPass& pass, const AttentionalGradients& grads) {
    return grads.gates_TBG.select(0, 0)
        .mm(pass.recurrent_GH)
        .addmm_(grads.queries_TBA.select(0, 0), pass.query_AH);
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
// each bias's a sum. W_x is applied to every e_s and y_t once, and contexts are sums of the
// products.
AttentionalStates plainStates(const AttentionalInputs& inputs, const AttentionalWeights& weights,
                              const AttentionalOptions& options) {
  const std::int64_t contextWidth = inputs.encoded_BSC.size(2);
  const Tensor values_BSG = affine(inputs.encoded_BSC, weights.input_GX.narrow(1, 0, contextWidth)),
               words_TBG = affine(inputs.words_TBE, weights.input_GX.narrow(
                                                        1, contextWidth, inputs.words_TBE.size(2)));
  const Tensor zeros =
      torch::zeros({words_TBG.size(1), weights.recurrent_GH.size(1)}, words_TBG.options());
  CellState state{inputs.initial_BH.defined() ? inputs.initial_BH : zeros, zeros};
  const std::vector<Tensor> sums = (words_TBG + weights.bias_G).unbind(0);
  const Tensor keys_BSA = inputs.keys_BSA + weights.queryBias_A;
  AttentionalWeights unbiased = weights;
  unbiased.queryBias_A.reset();
  std::vector<Tensor> hidden, contexts, maps;
  Recorder* const asker = options.map.recorder;
  for (std::int64_t t = 0; t < words_TBG.size(0); ++t) {
    // Each step publishes its part; the full map is assembled after them.
    Recorder recorder({options.map.info.name});
    AttentionalOptions own{options.order, {&recorder, options.map.info}};
    if (asker != nullptr) {
      recorder.intervene(asker->interventions());
      recorder.beginStep(t);
    }
    const auto step = plainStep(sums[static_cast<std::size_t>(t)], state, keys_BSA, values_BSG,
                                inputs.source.padding_BS, unbiased, own);
    state = step.state;
    hidden.push_back(state.hidden_RH);
    contexts.push_back(step.context_RG);
    if (asker != nullptr) maps.push_back(recorder.tensors().front().values);
  }
  if (asker != nullptr) asker->publish(options.map.info, torch::cat(maps, 1));
  return {torch::stack(hidden), options.wantsF ? words_TBG + torch::stack(contexts) : Tensor{}};
}

// Whether products are a search's with rounded weights, which the kernels over all steps do not
// have.
bool roundsWeights() {
  const PackedWeights* const packed = packedWeights();
  return packed != nullptr && packed->compute() != Compute::kFloat32;
}

}  // namespace

AttentionalStates attendAndRecur(const AttentionalInputs& inputs, const AttentionalWeights& weights,
                                 const AttentionalOptions& options) {
  if (!usesKernels(inputs.words_TBE) || options.map.replaces() || roundsWeights())
    return plainStates(inputs, weights, options);
  const std::vector<Tensor> tensors{inputs.words_TBE, inputs.keys_BSA,      inputs.encoded_BSC,
                                    weights.input_GX, weights.recurrent_GH, weights.bias_G,
                                    weights.query_AH, weights.queryBias_A,  weights.energy_A};
  const auto results =
      AttendAndRecur::apply(at::TensorList(tensors), maybe(weights.peephole_3H),
                            maybe(inputs.initial_BH), maybe(inputs.source.lengthsIfPadded()),
                            maybe(inputs.lengths_B), options.order, options.wantsF);
  if (options.map.wanted()) options.map.pass(results[1]);
  return {results[0], options.wantsF ? results[2] : Tensor{}};
}

AttentionalStep attendAndRecurOnce(const Tensor& words_RG, const CellState& before,
                                   const AttendedSource& attended, const Backpointers& backpointers,
                                   const AttentionalWeights& weights,
                                   const AttentionalOptions& options) {
  if (!usesKernels(words_RG) || options.map.replaces()) {
    const auto keys = sourceRows(attended.keys_BSA, attended.source.padding_BS, backpointers),
               values = sourceRows(attended.values_BSG, attended.source.padding_BS, backpointers);
    const auto step = plainStep(words_RG + weights.bias_G, before, keys.keysValues_RS2D,
                                values.keysValues_RS2D, keys.padding_RS, weights, options);
    return {step.state, words_RG + step.context_RG};
  }
  const Tensor queries_RA = affine(before.hidden_RH, weights.query_AH, weights.queryBias_A);
  const Tensor f_RG = words_RG.clone(at::MemoryFormat::Contiguous),
               keys = attended.keys_BSA.contiguous(), values = attended.values_BSG.contiguous(),
               energy = weights.energy_A.contiguous(),
               alpha_RS = torch::empty({f_RG.size(0), keys.size(1)}, f_RG.options());
  byType(f_RG, [&](auto type) {
    using T = decltype(type);
    const auto* lengths = pointer<std::int64_t>(attended.source.lengthsIfPadded());
    forEachPart({.batch = f_RG.size(0)}, [&](std::size_t, const Rows& part, std::int64_t) {
      const auto [first, rows] = part;
      kernels::additiveAttention<T>(
          {pointer<T>(queries_RA) + first * queries_RA.size(1), pointer<T>(keys),
           pointer<T>(values), pointer<T>(energy), pointer<T>(alpha_RS) + first * keys.size(1),
           pointer<T>(f_RG) + first * f_RG.size(1)},
          {.rows = rows,
           .keys = keys.size(1),
           .width = keys.size(2),
           .valueWidth = values.size(2),
           .contextStride = f_RG.size(1),
           .weightStride = keys.size(1),
           .sentences = backpointers.sentences().data() + first,
           .lengths = lengths});
    });
  });
  if (options.map.wanted()) options.map.pass(alpha_RS.unsqueeze(1));
  const Tensor sums_RG = affine(before.hidden_RH, weights.recurrent_GH, weights.bias_G);
  return {recurOnce(sums_RG.add_(f_RG), weights.peephole_3H, before.cell_RH, options.order), f_RG};
}

}  // namespace strata
