#include "core/nn/attentional_recurrence.h"

#include "core/nn/cpu_products.h"
#include "core/nn/function_cpu.h"
#include "core/nn/fused.h"
#include "core/nn/kernels/additive.h"
#include "core/nn/packed_weights.h"
#include "core/nn/step_rows.h"

namespace strata {
namespace {

using namespace cpu;

// What the forward pass computes and keeps for the gradient.
struct AttentionalPass {
  Tensor keys_BSA, encoded_BSC;
  Tensor input_GX, recurrent_GH, bias_G, query_AH, queryBias_A, energy_A, peephole_3H;
  Tensor sourceLengths_B;  // undefined: no padding
  Tensor inputs_NX;        // [c_t, y_t]
  Tensor gates_NG, queries_NA;
  Tensor before_NH, cell_NH;  // the hidden state before a step, the cell after it
  Tensor weights_BTS;

  // Conversion to and from the list that autograd saves.
  variable_list saved() const {
    return {keys_BSA,    encoded_BSC, input_GX,    recurrent_GH,    bias_G,    query_AH,
            queryBias_A, energy_A,    peephole_3H, sourceLengths_B, inputs_NX, gates_NG,
            queries_NA,  before_NH,   cell_NH,     weights_BTS};
  }
  static AttentionalPass of(const variable_list& s) {
    return {s[0], s[1], s[2],  s[3],  s[4],  s[5],  s[6],  s[7],
            s[8], s[9], s[10], s[11], s[12], s[13], s[14], s[15]};
  }

  std::int64_t steps() const { return weights_BTS.size(1); }
  std::int64_t contextWidth() const { return encoded_BSC.size(2); }
};

struct AttentionalCall : torch::CustomClassHolder {
  AttentionalCall(const GateOrder& order, bool wantsF, bool started, const StepRows& rows)
      : order(order), wantsF(wantsF), started(started), rows(rows) {}
  GateOrder order;
  bool wantsF, started;  // started: there is a hidden state before the first step
  StepRows rows;         // N
};

// One part of the batch on its way through the steps.
struct AttentionalWalk {
  const AttentionalPass& pass;
  const AttentionalCall& call;
  const Rows& part;

  std::int64_t steps() const { return call.rows.steps(part); }
  Tensor of(const Tensor& x_ND, std::int64_t t) const { return call.rows.of(x_ND, part, t); }
  Tensor sentences(const Tensor& x_B) const { return x_B.narrow(0, part.begin, part.count); }
  bool moves(std::int64_t t) const { return t > 0 || call.started; }
  kernels::AdditiveShape shape() const {
    const auto* lengths = pointer<std::int64_t>(pass.sourceLengths_B);
    return {.rows = part.count,
            .keys = pass.keys_BSA.size(1),
            .width = pass.keys_BSA.size(2),
            .valueWidth = pass.contextWidth(),
            .contextStride = pass.inputs_NX.size(1),
            .weightStride = pass.steps() * pass.keys_BSA.size(1),
            .lengths = lengths == nullptr ? nullptr : lengths + part.begin};
  }
  kernels::CellBlock block() const {
    return {part.count, pass.before_NH.size(1), call.order, nullptr, 0};
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

// What the forward pass reads, and results that are [T, B, ..].
struct AttentionalFlow {
  Tensor words_TBE, initial_BH;
  Tensor hidden_TBH, f_TBG;  // f: undefined if it is not wanted
};

// What others read of the steps after a part's longest sentence, which are not computed.
void clearRest(const AttentionalWalk& walk, const AttentionalFlow& flow) {
  const std::int64_t steps = walk.steps();
  if (steps == walk.pass.steps()) return;
  walk.part.from(flow.hidden_TBH, steps).zero_();
  walk.part.from(walk.pass.weights_BTS.transpose(0, 1), steps).zero_();
  if (flow.f_TBG.defined()) walk.part.from(flow.f_TBG, steps).zero_();
}

// The state, the query and the word of a step.
void beginStep(const AttentionalWalk& walk, const StepFactors& factors, const AttentionalFlow& flow,
               std::int64_t t) {
  const AttentionalPass& pass = walk.pass;
  const Tensor before = walk.of(pass.before_NH, t), queries = walk.of(pass.queries_NA, t),
               inputs = walk.of(pass.inputs_NX, t);
  if (t > 0) {
    before.copy_(walk.part.of(flow.hidden_TBH, t - 1));
  } else if (walk.call.started) {
    before.copy_(walk.sentences(flow.initial_BH));
  } else {
    before.zero_();
  }
  walk.moves(t) ? factors.query.times(before, {.bias = pass.queryBias_A, .out = queries})
                : queries.copy_(pass.queryBias_A.expand_as(queries));
  inputs.narrow(1, 0, pass.contextWidth()).zero_();
  inputs.narrow(1, pass.contextWidth(), flow.words_TBE.size(2))
      .copy_(walk.part.of(flow.words_TBE, t));
}

void runForward(const AttentionalWalk& walk, const StepFactors& factors,
                const AttentionalFlow& flow) {
  const AttentionalPass& pass = walk.pass;
  const Tensor keys = walk.sentences(pass.keys_BSA), encoded = walk.sentences(pass.encoded_BSC),
               weights = walk.sentences(pass.weights_BTS);
  clearRest(walk, flow);
  for (std::int64_t t = 0; t < walk.steps(); ++t) {
    beginStep(walk, factors, flow, t);
    const Tensor inputs = walk.of(pass.inputs_NX, t);
    byType(inputs, [&](auto type) {
      using T = decltype(type);
      kernels::additiveAttention<T>({pointer<T>(walk.of(pass.queries_NA, t)), pointer<T>(keys),
                                     pointer<T>(encoded), pointer<T>(pass.energy_A),
                                     pointer<T>(weights) + t * weights.size(2), pointer<T>(inputs)},
                                    walk.shape());
    });
    Tensor gates = walk.of(pass.gates_NG, t);
    if (flow.f_TBG.defined()) {
      const Tensor f = factors.input.times(inputs, {.out = walk.part.of(flow.f_TBG, t)});
      at::add_out(gates, f, pass.bias_G);
    } else {
      factors.input.times(inputs, {.bias = pass.bias_G, .out = gates});
    }
    if (walk.moves(t)) factors.recurrent.addTo(gates, walk.of(pass.before_NH, t));
    byType(gates, [&](auto type) {
      using T = decltype(type);
      kernels::lstmCell<T>(
          {pointer<T>(gates), pointer<T>(pass.peephole_3H),
           t > 0 ? pointer<T>(walk.of(pass.cell_NH, t - 1)) : nullptr,
           pointer<T>(walk.of(pass.cell_NH, t)), pointer<T>(walk.part.of(flow.hidden_TBH, t))},
          walk.block());
    });
  }
}

// Results of back-propagation through time.
struct AttentionalGradients {
  Tensor hidden_TBH, f_TBG;  // inputs; f: undefined if nobody read it
  Tensor gates_NG;           // of the pre-activations, where the gates' values were
  Tensor f_NG;               // complete, if f_TBG is defined
  Tensor queries_NA;
  Tensor inputs_TBX;
  Tensor initial_BH;                          // undefined: not wanted
  Tensor keys_BSA;                            // added to
  Tensor energies_PA, peephole_P3H, bias_PG;  // one per part

  const Tensor& completeF_NG() const { return f_TBG.defined() ? f_NG : gates_NG; }
};

void runBackward(const AttentionalWalk& walk, const StepFactors& transposed,
                 const AttentionalGradients& grads) {
  const AttentionalPass& pass = walk.pass;
  const Rows& part = walk.part;
  Tensor hidden = torch::empty({part.count, pass.before_NH.size(1)}, pass.before_NH.options());
  const Tensor cellGrad = torch::zeros_like(hidden), keys = walk.sentences(pass.keys_BSA),
               encoded = walk.sentences(pass.encoded_BSC),
               weights = walk.sentences(pass.weights_BTS),
               keysGrad = walk.sentences(grads.keys_BSA),
               energyGrad = partOf(grads.energies_PA, part.number),
               peepholeGrad = partOf(grads.peephole_P3H, part.number),
               biasGrad = partOf(grads.bias_PG, part.number);
  part.from(grads.inputs_TBX, walk.steps()).zero_();
  const auto addRecurrent = [&](Tensor sum, std::int64_t t) {  // of h_{t-1}
    transposed.recurrent.addTo(sum, walk.of(grads.gates_NG, t));
    transposed.query.addTo(sum, walk.of(grads.queries_NA, t));
  };
  for (std::int64_t t = walk.steps() - 1; t >= 0; --t) {
    hidden.copy_(part.of(grads.hidden_TBH, t));
    if (t + 1 < walk.steps()) addRecurrent(hidden, t + 1);
    const Tensor gates = walk.of(pass.gates_NG, t), gatesGrad = walk.of(grads.gates_NG, t),
                 inputsGrad = part.of(grads.inputs_TBX, t);
    byType(gates, [&](auto type) {
      using T = decltype(type);
      kernels::lstmCellBackward<T>(
          {pointer<T>(gates), pointer<T>(pass.peephole_3H),
           t > 0 ? pointer<T>(walk.of(pass.cell_NH, t - 1)) : nullptr,
           pointer<T>(walk.of(pass.cell_NH, t)), pointer<T>(hidden), pointer<T>(cellGrad),
           pointer<T>(gatesGrad), pointer<T>(peepholeGrad), pointer<T>(biasGrad)},
          walk.block());
      Tensor completeF = walk.of(grads.completeF_NG(), t);
      if (grads.f_TBG.defined()) at::add_out(completeF, gatesGrad, part.of(grads.f_TBG, t));
      transposed.input.times(completeF, {.out = inputsGrad});
      kernels::additiveAttentionBackward<T>(
          {pointer<T>(walk.of(pass.queries_NA, t)), pointer<T>(keys), pointer<T>(encoded),
           pointer<T>(pass.energy_A), pointer<T>(weights) + t * weights.size(2),
           pointer<T>(inputsGrad), pointer<T>(walk.of(grads.queries_NA, t)), pointer<T>(keysGrad),
           pointer<T>(energyGrad)},
          walk.shape());
    });
  }
  if (grads.initial_BH.defined()) addRecurrent(walk.sentences(grads.initial_BH), 0);
}

struct AttendAndRecur : torch::autograd::Function<AttendAndRecur> {
  // tensors: words, keys, encoded, input, recurrent, bias, query, query's bias, energy.
  static variable_list forward(AutogradContext* context, at::TensorList tensors,
                               const MaybeTensor& peephole, const MaybeTensor& initial,
                               const MaybeTensor& sourceLengths,
                               const c10::intrusive_ptr<AttentionalCall>& call) {
    const Tensor &words = tensors[0], &input = tensors[3];
    const std::int64_t steps = words.size(0), batch = words.size(1), width = tensors[4].size(1),
                       rows = call->rows.count();
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
                               .inputs_NX = memory(rows, input.size(1)),
                               .gates_NG = memory(rows, input.size(0)),
                               .queries_NA = memory(rows, tensors[6].size(0)),
                               .before_NH = memory(rows, width),
                               .cell_NH = memory(rows, width),
                               .weights_BTS = memory(batch, steps, tensors[1].size(1))};
    const AttentionalFlow flow{words, initial.value_or(Tensor{}), memory(steps, batch, width),
                               call->wantsF ? memory(steps, batch, input.size(0)) : Tensor{}};
    const StepFactors factors = StepFactors::of(pass);
    forEachPart(call->rows.split(), [&](std::size_t, const Rows& part, std::int64_t) {
      runForward({pass, *call, part}, factors, flow);
    });
    saveArithmetic(context);
    context->save_for_backward(pass.saved());
    context->saved_data["call"] = torch::IValue::make_capsule(call);
    context->mark_non_differentiable({pass.weights_BTS});
    variable_list results{flow.hidden_TBH, pass.weights_BTS};
    if (call->wantsF) results.push_back(flow.f_TBG);
    return results;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const ArithmeticScope scope(savedArithmetic(context));
    spend(context);
    const AttentionalPass pass = AttentionalPass::of(context->get_saved_variables());
    const auto held = context->saved_data["call"].toCapsule();
    const auto& call = static_cast<const AttentionalCall&>(*held);
    const AttentionalGradients grads = emptyGradients(pass, call, gradOut);
    const StepFactors transposed = StepFactors::transposedOf(pass);
    forEachPart(call.rows.split(), [&](std::size_t, const Rows& part, std::int64_t) {
      runBackward({pass, call, part}, transposed, grads);
    });
    const std::int64_t contextWidth = pass.contextWidth(),
                       wordWidth = pass.inputs_NX.size(1) - contextWidth;
    const Tensor contexts_BTC = grads.inputs_TBX.narrow(2, 0, contextWidth).transpose(0, 1);
    const auto read = [&](const Tensor& x_ND) {  // by the products with h_{t-1}
      return call.started ? x_ND : call.rows.later(x_ND, /*reverse=*/false);
    };
    const Tensor before_NH = read(pass.before_NH);
    return {grads.inputs_TBX.narrow(2, contextWidth, wordWidth),
            grads.keys_BSA,
            pass.weights_BTS.transpose(1, 2).bmm(contexts_BTC),
            weightGradient(grads.completeF_NG(), pass.inputs_NX, pass.input_GX),
            weightGradient(read(grads.gates_NG), before_NH, pass.recurrent_GH),
            grads.bias_PG.sum(0),
            weightGradient(read(grads.queries_NA), before_NH, pass.query_AH),
            grads.queries_NA.sum(0),
            grads.energies_PA.sum(0),
            pass.peephole_3H.defined() ? grads.peephole_P3H.sum(0) : Tensor{},
            grads.initial_BH,
            Tensor{},   // of the source's lengths
            Tensor{}};  // of the call
  }

  static AttentionalGradients emptyGradients(const AttentionalPass& pass,
                                             const AttentionalCall& call,
                                             const variable_list& gradOut) {
    const auto options = pass.gates_NG.options();
    const std::int64_t parts = call.rows.split().parts(), batch = call.rows.split().batch(),
                       width = pass.before_NH.size(1);
    const bool readsF = gradOut.size() > 2 && gradOut[2].defined();
    return {.hidden_TBH = gradOut[0].contiguous(),
            .f_TBG = readsF ? gradOut[2] : Tensor{},
            .gates_NG = pass.gates_NG,
            .f_NG = readsF ? torch::empty_like(pass.gates_NG) : Tensor{},
            .queries_NA = torch::empty_like(pass.queries_NA),
            .inputs_TBX = torch::empty({pass.steps(), batch, pass.inputs_NX.size(1)}, options),
            .initial_BH = call.started ? torch::zeros({batch, width}, options) : Tensor{},
            .keys_BSA = torch::zeros_like(pass.keys_BSA),
            .energies_PA = torch::zeros({parts, pass.energy_A.size(0)}, options),
            .peephole_P3H =
                pass.peephole_3H.defined() ? torch::zeros({parts, 3, width}, options) : Tensor{},
            .bias_PG = torch::zeros({parts, pass.bias_G.size(0)}, options)};
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
  const Tensor& words = inputs.words_TBE;
  const Split split(words.size(1), /*tracks=*/1, kSentencesAtOnce);
  const auto call = c10::make_intrusive<AttentionalCall>(
      options.order, options.wantsF, inputs.initial_BH.defined(),
      StepRows::packed(split, words.size(0), inputs.lengths_B));
  const auto results =
      AttendAndRecur::apply(at::TensorList(tensors), maybe(weights.peephole_3H),
                            maybe(inputs.initial_BH), maybe(inputs.source.lengthsIfPadded()), call);
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
    forEachPart(Split(f_RG.size(0)), [&](std::size_t, const Rows& part, std::int64_t) {
      const std::int64_t first = part.begin;
      kernels::additiveAttention<T>(
          {pointer<T>(queries_RA) + first * queries_RA.size(1), pointer<T>(keys),
           pointer<T>(values), pointer<T>(energy), pointer<T>(alpha_RS) + first * keys.size(1),
           pointer<T>(f_RG) + first * f_RG.size(1)},
          {.rows = part.count,
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
