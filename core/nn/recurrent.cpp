#include "core/nn/recurrent.h"

#include <c10/util/Exception.h>

#include "core/nn/cpu_products.h"
#include "core/nn/function_cpu.h"
#include "core/nn/fused.h"
#include "core/nn/step_rows.h"

namespace strata {
namespace {

using namespace cpu;

// Which optional tensors one recurrence has; the tensors themselves are passed in one list, since
// autograd accepts no undefined ones.
struct Parts {
  bool sums, bias, peephole, initial, reverse;
};
struct Call : torch::CustomClassHolder {
  std::vector<Parts> parts;  // one per recurrence
  GateOrder order;
  Tensor lengths_B;
  bool overwrite = false;
  std::optional<StepRows> rows;  // N of every recurrence
};

// Reads the list of tensors back, recurrence by recurrence.
class PartReader {
 public:
  explicit PartReader(at::TensorList tensors) : tensors_(tensors) {}
  Recurrence next(const Parts& parts) {
    Recurrence r;
    if (parts.sums) {
      r.sums_TBG = tensors_[at_++];
    } else {
      r.x_TBX = tensors_[at_++];
      r.input_GX = tensors_[at_++];
    }
    r.recurrent_GH = tensors_[at_++];
    if (parts.bias) r.bias_G = tensors_[at_++];
    if (parts.peephole) r.peephole_3H = tensors_[at_++];
    if (parts.initial) r.initial_BH = tensors_[at_++];
    r.reverse = parts.reverse;
    return r;
  }

 private:
  at::TensorList tensors_;
  std::size_t at_ = 0;
};

// What one recurrence computes and keeps for its gradient.
struct Track {
  Tensor gates_NG, before_NH, cell_NH;  // before: the hidden state before a step
  Tensor x_NX, input_GX;                // if it has no sums
  Tensor recurrent_GH, peephole_3H;
  bool reverse = false, started = false;  // started: there is a hidden state before the first step

  static constexpr std::size_t kTensors = 7;
  void save(variable_list& saved) const {
    for (const Tensor& tensor :
         {gates_NG, before_NH, cell_NH, x_NX, input_GX, recurrent_GH, peephole_3H})
      saved.push_back(tensor);
  }
  static Track of(const Tensor* saved, const Parts& parts) {
    return {saved[0], saved[1], saved[2],      saved[3],     saved[4],
            saved[5], saved[6], parts.reverse, parts.initial};
  }
  std::int64_t width() const { return before_NH.size(1); }
};

// One part of a track on its way through the steps.
struct Walk {
  const Track& track;
  const Call& call;
  const Rows& part;

  std::int64_t steps() const { return call.rows->steps(part); }
  std::int64_t stepAt(std::int64_t i) const { return track.reverse ? steps() - 1 - i : i; }
  Tensor of(const Tensor& x_ND, std::int64_t i) const {
    return call.rows->of(x_ND, part, stepAt(i));
  }
  kernels::CellBlock block(std::int64_t i) const {
    const auto* lengths = pointer<std::int64_t>(call.lengths_B);
    return {part.count, track.width(), call.order,
            lengths == nullptr ? nullptr : lengths + part.begin, stepAt(i)};
  }
};

// What only the forward pass needs of a recurrence.
struct Given {
  Factor recurrent_GH;
  Tensor bias_G;  // that the sums do not have yet
  Tensor initial_BH;
};

// The gates' tensor holds the sums.
void runForward(const Walk& walk, const Given& given, const Tensor& hidden_TBH) {
  const Track& track = walk.track;
  const Rows& part = walk.part;
  const std::int64_t steps = walk.steps();
  walk.call.rows->clearRest(track.before_NH, part);
  part.from(hidden_TBH, steps).zero_();
  for (std::int64_t i = 0; i < steps; ++i) {
    const Tensor before = walk.of(track.before_NH, i), cell = walk.of(track.cell_NH, i),
                 hidden = part.of(hidden_TBH, walk.stepAt(i));
    Tensor gates = walk.of(track.gates_NG, i);
    if (i > 0) {
      before.copy_(part.of(hidden_TBH, walk.stepAt(i - 1)));
    } else if (track.started) {
      before.copy_(given.initial_BH.narrow(0, part.begin, part.count));
    } else {
      before.zero_();
    }
    if (i > 0 || track.started) {
      given.recurrent_GH.times(before, {.bias = given.bias_G, .out = gates, .adds = true});
    } else if (given.bias_G.defined()) {
      gates.add_(given.bias_G);
    }
    byType(gates, [&](auto type) {
      using T = decltype(type);
      kernels::lstmCell<T>({pointer<T>(gates), pointer<T>(track.peephole_3H),
                            i > 0 ? pointer<T>(walk.of(track.cell_NH, i - 1)) : nullptr,
                            pointer<T>(cell), pointer<T>(hidden)},
                           walk.block(i));
    });
  }
}

struct Gradients {
  Tensor hidden_TBH;             // input
  Tensor gates_NG;               // of the pre-activations, where the gates' values were
  Tensor initial_BH;             // undefined: not wanted
  Tensor peephole_P3H, bias_PG;  // one per part, to be summed
};

void runBackward(const Walk& walk, const Factor& recurrent_HG, const Gradients& grads,
                 std::int64_t task) {
  const Track& track = walk.track;
  const Rows& part = walk.part;
  Tensor hidden = torch::empty({part.count, track.width()}, track.before_NH.options());
  const Tensor cell = torch::zeros_like(hidden), peepholeGrad = partOf(grads.peephole_P3H, task),
               biasGrad = partOf(grads.bias_PG, task);
  walk.call.rows->clearRest(grads.gates_NG, part);
  for (std::int64_t i = walk.steps() - 1; i >= 0; --i) {
    const Tensor gates = walk.of(track.gates_NG, i), gatesGrad = walk.of(grads.gates_NG, i);
    hidden.copy_(part.of(grads.hidden_TBH, walk.stepAt(i)));
    if (i + 1 < walk.steps()) recurrent_HG.addTo(hidden, walk.of(grads.gates_NG, i + 1));
    byType(gates, [&](auto type) {
      using T = decltype(type);
      kernels::lstmCellBackward<T>(
          {pointer<T>(gates), pointer<T>(track.peephole_3H),
           i > 0 ? pointer<T>(walk.of(track.cell_NH, i - 1)) : nullptr,
           pointer<T>(walk.of(track.cell_NH, i)), pointer<T>(hidden), pointer<T>(cell),
           pointer<T>(gatesGrad), pointer<T>(peepholeGrad), pointer<T>(biasGrad)},
          walk.block(i));
    });
  }
  if (grads.initial_BH.defined()) {
    recurrent_HG.times(walk.of(grads.gates_NG, 0),
                       {.out = grads.initial_BH.narrow(0, part.begin, part.count)});
  }
}

Track trackOf(const Recurrence& r, const Call& call) {
  Track track;
  if (r.sums_TBG.defined()) {
    const Tensor sums = call.rows->taken(r.sums_TBG.contiguous());
    track.gates_NG = call.overwrite ? sums.detach() : sums.clone();
  } else {
    track.input_GX = r.input_GX;
    track.x_NX = call.rows->taken(r.x_TBX);
    track.gates_NG = timesTransposed(track.x_NX, r.input_GX, {.bias = r.bias_G});
  }
  track.before_NH =
      torch::empty({call.rows->count(), r.recurrent_GH.size(1)}, track.gates_NG.options());
  track.cell_NH = torch::empty_like(track.before_NH);
  track.recurrent_GH = r.recurrent_GH.contiguous();
  if (r.peephole_3H.defined()) track.peephole_3H = r.peephole_3H.contiguous();
  track.reverse = r.reverse;
  track.started = r.initial_BH.defined();
  return track;
}

StepRows rowsOf(const Recurrence& r, std::size_t recurrences, const Tensor& lengths_B) {
  const Tensor& x = r.sums_TBG.defined() ? r.sums_TBG : r.x_TBX;
  const Split split(x.size(1), static_cast<std::int64_t>(recurrences), kSentencesAtOnce);
  return r.sums_TBG.defined() ? StepRows::padded(split, x.size(0), lengths_B)
                              : StepRows::packed(split, x.size(0), lengths_B);
}

struct Recur : torch::autograd::Function<Recur> {
  static variable_list forward(AutogradContext* context, at::TensorList tensors,
                               const c10::intrusive_ptr<Call>& call) {
    call->rows =
        rowsOf(PartReader(tensors).next(call->parts.front()), call->parts.size(), call->lengths_B);
    std::vector<Track> tracks;
    std::vector<Given> given;
    variable_list saved, hidden;
    PartReader reader(tensors);
    for (const Parts& parts : call->parts) {
      const Recurrence r = reader.next(parts);
      tracks.push_back(trackOf(r, *call));
      tracks.back().save(saved);
      given.push_back(
          {Factor(tracks.back().recurrent_GH), parts.sums ? r.bias_G : Tensor{}, r.initial_BH});
      const Tensor& x = parts.sums ? r.sums_TBG : r.x_TBX;
      hidden.push_back(torch::empty({x.size(0), x.size(1), tracks.back().width()}, x.options()));
    }
    forEachPart(call->rows->split(), [&](std::size_t track, const Rows& part, std::int64_t) {
      runForward({tracks[track], *call, part}, given[track], hidden[track]);
    });
    saveArithmetic(context);
    context->save_for_backward(saved);
    context->saved_data["call"] = torch::IValue::make_capsule(call);
    return hidden;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const ArithmeticScope scope(savedArithmetic(context));
    spend(context);
    const auto saved = context->get_saved_variables();
    const auto held = context->saved_data["call"].toCapsule();
    const auto& call = static_cast<const Call&>(*held);
    const Split& split = call.rows->split();
    std::vector<Track> tracks;
    std::vector<Gradients> grads;
    std::vector<Factor> factors;
    for (std::size_t i = 0; i < call.parts.size(); ++i) {
      tracks.push_back(Track::of(&saved[Track::kTensors * i], call.parts[i]));
      factors.emplace_back(tracks[i].recurrent_GH.t());
      grads.push_back(emptyGradients(tracks[i], call.parts[i], split, gradOut[i]));
    }
    forEachPart(split, [&](std::size_t track, const Rows& part, std::int64_t task) {
      runBackward({tracks[track], call, part}, factors[track], grads[track], task);
    });
    variable_list results;
    for (std::size_t i = 0; i < tracks.size(); ++i)
      appendResults(tracks[i], call.parts[i], *call.rows, grads[i], results);
    results.emplace_back();  // of the call
    return results;
  }

  // `given`: of the hidden states.
  static Gradients emptyGradients(const Track& track, const Parts& parts, const Split& split,
                                  const Tensor& given) {
    const std::int64_t width = track.width();
    const auto options = track.before_NH.options();
    Gradients grads;
    grads.hidden_TBH = given.contiguous();
    grads.gates_NG = track.gates_NG;
    if (parts.initial) grads.initial_BH = torch::empty({split.batch(), width}, options);
    if (parts.peephole) grads.peephole_P3H = torch::zeros({split.tasks(), 3, width}, options);
    if (parts.bias) grads.bias_PG = torch::zeros({split.tasks(), 4 * width}, options);
    return grads;
  }

  // In the order of the inputs.
  static void appendResults(const Track& track, const Parts& parts, const StepRows& rows,
                            const Gradients& grads, variable_list& results) {
    const Tensor& gates = grads.gates_NG;
    if (parts.sums) {
      results.push_back(rows.spread(gates));
    } else {
      results.push_back(rows.spread(timesTransposed(gates, track.input_GX.t())));
      results.push_back(weightGradient(gates, track.x_NX, track.input_GX));
    }
    const auto read = [&](const Tensor& x) {  // by the recurrent product
      return track.started ? x : rows.later(x, track.reverse);
    };
    results.push_back(weightGradient(read(gates), read(track.before_NH), track.recurrent_GH));
    if (parts.bias) results.push_back(grads.bias_PG.sum(0));
    if (parts.peephole) results.push_back(grads.peephole_P3H.sum(0));
    if (parts.initial) results.push_back(grads.initial_BH);
  }
};

// The cell in libtorch's operators.
CellState plainCell(const Tensor& sums, const Tensor& peephole, const Tensor& before,
                    const GateOrder& order) {
  const auto slots = sums.chunk(4, -1);
  Tensor input = slots[order.input], forget = slots[order.forget], output = slots[order.output];
  std::vector<Tensor> peepholes;
  if (peephole.defined()) peepholes = peephole.unbind(0);
  if (!peepholes.empty()) {
    input = torch::addcmul(input, peepholes[0], before);
    forget = torch::addcmul(forget, peepholes[1], before);
  }
  const Tensor cell =
      torch::tanh(slots[order.candidate]) * torch::sigmoid(input) + torch::sigmoid(forget) * before;
  if (!peepholes.empty()) output = torch::addcmul(output, peepholes[2], cell);
  return {torch::tanh(cell) * torch::sigmoid(output), cell};
}

Tensor plainRecurrence(const Recurrence& r, const RecurrenceOptions& options) {
  const std::int64_t steps = r.sums_TBG.size(0), batch = r.sums_TBG.size(1);
  const Tensor zeros = torch::zeros({batch, r.recurrent_GH.size(1)}, r.sums_TBG.options());
  CellState state{r.initial_BH.defined() ? r.initial_BH : zeros, zeros};
  Tensor live_TB1;
  if (options.lengths_B.defined()) {
    const auto positions = torch::arange(steps, options.lengths_B.options()).unsqueeze(1);
    live_TB1 = (positions < options.lengths_B.unsqueeze(0))
                   .to(r.sums_TBG.device())
                   .unsqueeze(2)
                   .to(r.sums_TBG.scalar_type());
  }
  // Biased and split at once: the gradients are one sum and one tensor of all steps.
  const std::vector<Tensor> given =
      (r.bias_G.defined() ? r.sums_TBG + r.bias_G : r.sums_TBG).unbind(0);
  std::vector<Tensor> states(given.size());
  for (std::int64_t i = 0; i < steps; ++i) {
    const auto t = static_cast<std::size_t>(r.reverse ? steps - 1 - i : i);
    const Tensor sums = given[t] + affine(state.hidden_RH, r.recurrent_GH);
    state = plainCell(sums, r.peephole_3H, state.cell_RH, options.order);
    if (live_TB1.defined()) {
      const Tensor live_B1 = live_TB1[static_cast<std::int64_t>(t)];
      state = {state.hidden_RH * live_B1, state.cell_RH * live_B1};
    }
    states[t] = state.hidden_RH;
  }
  return torch::stack(states);
}

// Reverses the positions [T, B] of each sentence; padding stays in place.
Tensor backwards(const Tensor& lengths_B, const Tensor& x_TBX) {
  const std::int64_t steps = x_TBX.size(0), batch = x_TBX.size(1);
  const auto options = torch::dtype(torch::kInt64).device(x_TBX.device());
  const Tensor t = torch::arange(steps, options).unsqueeze(1).expand({steps, batch});
  if (!lengths_B.defined()) return steps - 1 - t;
  const Tensor mirrored = lengths_B.to(x_TBX.device()).unsqueeze(0) - 1 - t;
  return torch::where(mirrored >= 0, mirrored, t);
}
Tensor taken(const Tensor& x_TBX, const Tensor& positions_TB) {
  return x_TBX.gather(0, positions_TB.unsqueeze(2).expand({-1, -1, x_TBX.size(2)}));
}

class WithoutWarnings : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}

 private:
  c10::WarningUtils::WarningHandlerGuard guard_{this};
};

// The library's LSTM, in float32 whatever the precision of products, since its states would have
// the type of its inputs. States beyond a sentence's length are computed from its padding and never
// reach a real position.
Tensor libraryLayer(const Tensor& x_TBX, const LstmWeights& weights, const LstmOptions& options) {
  const Tensor positions = options.reverse ? backwards(options.lengths_B, x_TBX) : Tensor{};
  const Tensor input = options.reverse ? taken(x_TBX, positions) : x_TBX;
  const Tensor zeros =
      torch::zeros({1, x_TBX.size(1), weights.recurrent_GH.size(1)}, x_TBX.options());
  // Factors of 10 bits are finer than bf16 and too coarse for float32.
  at::globalContext().setAllowTF32CuDNN(arithmetic().bf16Products);
  const WithoutWarnings quiet;  // that the weights are not in one piece
  const auto results = at::lstm(
      input, {zeros, zeros},
      {weights.input_GX, weights.recurrent_GH, weights.bias_G, torch::zeros_like(weights.bias_G)},
      /*has_biases=*/true, /*num_layers=*/1, /*dropout=*/0, /*train=*/torch::GradMode::is_enabled(),
      /*bidirectional=*/false, /*batch_first=*/false);
  const Tensor states = std::get<0>(results);
  return options.reverse ? taken(states, positions) : states;
}

}  // namespace

std::vector<Tensor> recur(std::vector<Recurrence> recurrences, const RecurrenceOptions& options) {
  const Recurrence& first = recurrences.front();
  const bool over = !first.sums_TBG.defined(),
             kernels = usesKernels(over ? first.x_TBX : first.sums_TBG);
  // A search multiplies by weights that are packed already, or rounded.
  const bool multipliesFirst = over && (!kernels || packedWeights() != nullptr);
  if (multipliesFirst) {
    for (Recurrence& r : recurrences) {
      r.sums_TBG = affine(r.x_TBX, r.input_GX);
      r.x_TBX.reset();
      r.input_GX.reset();
    }
  }
  if (!kernels) {
    std::vector<Tensor> states;
    for (const Recurrence& r : recurrences) states.push_back(plainRecurrence(r, options));
    return states;
  }
  std::vector<Tensor> tensors;
  const auto call = c10::make_intrusive<Call>();
  call->order = options.order;
  call->lengths_B = options.lengths_B;
  call->overwrite = options.overwrite || multipliesFirst;
  for (const Recurrence& r : recurrences) {
    call->parts.push_back({r.sums_TBG.defined(), r.bias_G.defined(), r.peephole_3H.defined(),
                           r.initial_BH.defined(), r.reverse});
    for (const Tensor& tensor :
         {r.sums_TBG, r.x_TBX, r.input_GX, r.recurrent_GH, r.bias_G, r.peephole_3H, r.initial_BH}) {
      if (tensor.defined()) tensors.push_back(tensor);
    }
  }
  return Recur::apply(at::TensorList(tensors), call);
}

CellState recurOnce(const Tensor& sums_RG, const Tensor& peephole_3H, const Tensor& cell_RH,
                    const GateOrder& order) {
  if (!usesKernels(sums_RG)) return plainCell(sums_RG, peephole_3H, cell_RH, order);
  CellState state{torch::empty_like(cell_RH), torch::empty_like(cell_RH)};
  const Tensor gates = sums_RG.contiguous().clone(), before = cell_RH.contiguous();
  const Tensor peephole = peephole_3H.defined() ? peephole_3H.contiguous() : Tensor{};
  byType(gates, [&](auto type) {
    using T = decltype(type);
    kernels::lstmCell<T>({pointer<T>(gates), pointer<T>(peephole), pointer<T>(before),
                          pointer<T>(state.cell_RH), pointer<T>(state.hidden_RH)},
                         {gates.size(0), before.size(1), order, nullptr, 0});
  });
  return state;
}

Tensor lstmLayer(const Tensor& x_TBX, const LstmWeights& weights, const LstmOptions& options) {
  if (!usesKernels(x_TBX)) return libraryLayer(x_TBX, weights, options);
  return recur({{.x_TBX = x_TBX,
                 .input_GX = weights.input_GX,
                 .recurrent_GH = weights.recurrent_GH,
                 .bias_G = weights.bias_G,
                 .reverse = options.reverse}},
               {.order = {}, .lengths_B = options.lengths_B})
      .front();
}

std::vector<RowTensor> rowTensorsOf(std::vector<CellState>& cells,
                                    const std::vector<Tensor>& hidden_BH) {
  std::vector<RowTensor> tensors;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    tensors.push_back({cells[k].hidden_RH, hidden_BH.empty() ? Tensor{} : hidden_BH[k]});
    tensors.push_back({cells[k].cell_RH, {}});
  }
  return tensors;
}

}  // namespace strata
