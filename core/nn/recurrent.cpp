#include "core/nn/recurrent.h"

#include <c10/util/Exception.h>

#include "core/nn/cpu_products.h"
#include "core/nn/function_cpu.h"
#include "core/nn/fused.h"

namespace strata {
namespace {

using namespace cpu;

// Which optional tensors one recurrence has; the tensors themselves are passed in one list, since
// autograd accepts no undefined ones.
struct Parts {
  bool bias, peephole, initial, reverse;
};
struct Call : torch::CustomClassHolder {
  std::vector<Parts> parts;  // one per recurrence
  GateOrder order;
  Tensor lengths_B;
  bool overwrite = false;
};

// Reads the list of tensors back, recurrence by recurrence.
class PartReader {
 public:
  explicit PartReader(at::TensorList tensors) : tensors_(tensors) {}
  Recurrence next(const Parts& parts) {
    Recurrence r{.sums_TBG = tensors_[at_], .recurrent_GH = tensors_[at_ + 1]};
    at_ += 2;
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

// What one recurrence computes and keeps for its gradient. Slot t of `hidden` and `cell` is the
// state before step t (reverse: after it).
struct Track {
  Tensor gates_TBG, hidden, cell;  // [T, B, G], [T + 1, B, H]
  Tensor recurrent_GH, peephole_3H;
  bool reverse = false, started = false;  // started: there is a hidden state before the first step

  std::int64_t steps() const { return gates_TBG.size(0); }
  std::int64_t stepAt(std::int64_t i) const { return reverse ? steps() - 1 - i : i; }
  std::int64_t slotBefore(std::int64_t t) const { return reverse ? t + 1 : t; }
  std::int64_t slotAfter(std::int64_t t) const { return reverse ? t : t + 1; }
  Tensor states(const Tensor& slots) const { return slots.narrow(0, slotAfter(0), steps()); }
  Tensor statesBefore(const Tensor& slots) const { return slots.narrow(0, slotBefore(0), steps()); }
};

kernels::CellBlock blockOf(const Track& track, const Call& call, const Rows& rows, std::int64_t t) {
  const std::int64_t* lengths =
      call.lengths_B.defined() ? call.lengths_B.data_ptr<std::int64_t>() + rows.begin : nullptr;
  return {rows.count, track.hidden.size(2), call.order, lengths, t};
}

// The gates' tensor holds the sums.
void runForward(Track& track, const Factor& recurrent_GH, const Tensor& bias_G, const Call& call,
                const Rows& rows) {
  const std::int64_t longest = rows.longest(call.lengths_B, track.steps());
  for (std::int64_t i = 0; i < track.steps(); ++i) {
    const std::int64_t t = track.stepAt(i);
    Tensor gates = rows.of(track.gates_TBG, t);
    const Tensor cell = rows.of(track.cell, track.slotAfter(t)),
                 hidden = rows.of(track.hidden, track.slotAfter(t)),
                 before = rows.of(track.cell, track.slotBefore(t));
    if (t >= longest) {
      cell.zero_();
      hidden.zero_();
      continue;
    }
    if (i > 0 || track.started) {
      recurrent_GH.times(rows.of(track.hidden, track.slotBefore(t)),
                         {.bias = bias_G, .out = gates, .adds = true});
    } else if (bias_G.defined()) {
      gates.add_(bias_G);
    }
    byType(gates, [&](auto type) {
      using T = decltype(type);
      kernels::lstmCell<T>(
          {pointer<T>(gates), pointer<T>(track.peephole_3H), i > 0 ? pointer<T>(before) : nullptr,
           pointer<T>(cell), pointer<T>(hidden)},
          blockOf(track, call, rows, t));
    });
  }
}

struct Gradients {
  Tensor hidden_TBH;             // input
  Tensor gates_TBG;              // of the pre-activations, where the gates' values were
  Tensor peephole_P3H, bias_PG;  // one per part, to be summed
};

void runBackward(const Track& track, const Factor& recurrent_HG, const Call& call, const Rows& rows,
                 const Gradients& grads, std::int64_t task) {
  Tensor hidden = torch::empty({rows.count, track.hidden.size(2)}, track.hidden.options());
  const Tensor cell = torch::zeros_like(hidden);
  const Tensor peepholeGrad = partOf(grads.peephole_P3H, task),
               biasGrad = partOf(grads.bias_PG, task);
  const std::int64_t longest = rows.longest(call.lengths_B, track.steps());
  for (std::int64_t i = track.steps() - 1; i >= 0; --i) {
    const std::int64_t t = track.stepAt(i);
    const Tensor before = rows.of(track.cell, track.slotBefore(t)),
                 after = rows.of(track.cell, track.slotAfter(t)),
                 gates = rows.of(track.gates_TBG, t), gatesGrad = rows.of(grads.gates_TBG, t);
    if (t >= longest) {
      gatesGrad.zero_();
      continue;
    }
    hidden.copy_(rows.of(grads.hidden_TBH, t));
    if (i + 1 < track.steps() && track.stepAt(i + 1) < longest)
      recurrent_HG.addTo(hidden, rows.of(grads.gates_TBG, track.stepAt(i + 1)));
    byType(gates, [&](auto type) {
      using T = decltype(type);
      kernels::lstmCellBackward<T>(
          {pointer<T>(gates), pointer<T>(track.peephole_3H), i > 0 ? pointer<T>(before) : nullptr,
           pointer<T>(after), pointer<T>(hidden), pointer<T>(cell), pointer<T>(gatesGrad),
           pointer<T>(peepholeGrad), pointer<T>(biasGrad)},
          blockOf(track, call, rows, t));
    });
  }
}

Split splitOf(const std::vector<Track>& tracks) {
  return {.batch = tracks.front().hidden.size(1),
          .tracks = std::ssize(tracks),
          .atOnce = kSentencesAtOnce};
}

Track trackOf(const Recurrence& r, bool overwrite) {
  Track track;
  const std::int64_t steps = r.sums_TBG.size(0), batch = r.sums_TBG.size(1),
                     width = r.recurrent_GH.size(1);
  const Tensor sums = r.sums_TBG.contiguous();
  track.gates_TBG = overwrite ? sums.detach() : sums.clone();
  track.hidden = torch::empty({steps + 1, batch, width}, sums.options());
  track.cell = torch::empty_like(track.hidden);
  track.recurrent_GH = r.recurrent_GH.contiguous();
  if (r.peephole_3H.defined()) track.peephole_3H = r.peephole_3H.contiguous();
  track.reverse = r.reverse;
  track.started = r.initial_BH.defined();
  const std::int64_t first = track.slotBefore(track.stepAt(0));
  if (track.started) {
    track.hidden.select(0, first).copy_(r.initial_BH);
  } else {
    track.hidden.select(0, first).zero_();
  }
  return track;
}

struct Recur : torch::autograd::Function<Recur> {
  static variable_list forward(AutogradContext* context, at::TensorList tensors,
                               const c10::intrusive_ptr<Call>& call) {
    std::vector<Track> tracks;
    std::vector<Tensor> biases;
    PartReader reader(tensors);
    for (const Parts& parts : call->parts) {
      const Recurrence recurrence = reader.next(parts);
      tracks.push_back(trackOf(recurrence, call->overwrite));
      biases.push_back(recurrence.bias_G);
    }
    std::vector<Factor> factors;
    for (const Track& track : tracks) factors.emplace_back(track.recurrent_GH);
    forEachPart(splitOf(tracks), [&](std::size_t track, const Rows& rows, std::int64_t) {
      runForward(tracks[track], factors[track], biases[track], *call, rows);
    });
    variable_list saved, results;
    for (const Track& track : tracks) {
      results.push_back(track.states(track.hidden));
      for (const Tensor& tensor :
           {track.gates_TBG, track.hidden, track.cell, track.recurrent_GH, track.peephole_3H})
        saved.push_back(tensor);
    }
    saveArithmetic(context);
    context->save_for_backward(saved);
    context->saved_data["call"] = torch::IValue::make_capsule(call);
    return results;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradOut) {
    const ArithmeticScope scope(savedArithmetic(context));
    spend(context);
    const auto saved = context->get_saved_variables();
    const auto held = context->saved_data["call"].toCapsule();
    const auto& call = static_cast<const Call&>(*held);
    std::vector<Track> tracks;
    std::vector<Gradients> grads;
    std::vector<Factor> factors;
    for (std::size_t i = 0; i < call.parts.size(); ++i) {
      const Tensor* of = &saved[5 * i];
      tracks.push_back(
          {of[0], of[1], of[2], of[3], of[4], call.parts[i].reverse, call.parts[i].initial});
      factors.emplace_back(tracks[i].recurrent_GH.t());
      const Tensor given = gradOut[i].defined() ? gradOut[i].contiguous()
                                                : torch::zeros_like(tracks[i].states(of[1]));
      grads.push_back({given, of[0], {}, {}});
    }
    const Split split = splitOf(tracks);
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      const std::int64_t width = tracks[i].hidden.size(2);
      const auto options = tracks[i].hidden.options();
      if (call.parts[i].peephole)
        grads[i].peephole_P3H = torch::zeros({split.tasks(), 3, width}, options);
      if (call.parts[i].bias) grads[i].bias_PG = torch::zeros({split.tasks(), 4 * width}, options);
    }
    forEachPart(split, [&](std::size_t track, const Rows& rows, std::int64_t task) {
      runBackward(tracks[track], factors[track], call, rows, grads[track], task);
    });
    variable_list results;
    for (std::size_t i = 0; i < tracks.size(); ++i)
      appendResults(tracks[i], call.parts[i], grads[i], results);
    results.emplace_back();  // of the call
    return results;
  }

  // In the order of the inputs.
  static void appendResults(const Track& track, const Parts& parts, const Gradients& grads,
                            variable_list& results) {
    Tensor recurrent;
    if (track.started) {
      recurrent =
          weightGradient(grads.gates_TBG.flatten(0, 1),
                         track.statesBefore(track.hidden).flatten(0, 1), track.recurrent_GH);
    } else {  // the first step had no state before it
      const std::int64_t later = track.steps() - 1;
      const std::int64_t gatesFrom = track.reverse ? 0 : 1, statesFrom = 1;
      recurrent = weightGradient(grads.gates_TBG.narrow(0, gatesFrom, later).flatten(0, 1),
                                 track.hidden.narrow(0, statesFrom, later).flatten(0, 1),
                                 track.recurrent_GH);
    }
    results.push_back(grads.gates_TBG);
    results.push_back(recurrent);
    if (parts.bias) results.push_back(grads.bias_PG.sum(0));
    if (parts.peephole) results.push_back(grads.peephole_P3H.sum(0));
    if (parts.initial)
      results.push_back(grads.gates_TBG.select(0, track.stepAt(0)).mm(track.recurrent_GH));
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

std::vector<Tensor> recur(const std::vector<Recurrence>& recurrences,
                          const RecurrenceOptions& options) {
  if (!usesKernels(recurrences.front().sums_TBG)) {
    std::vector<Tensor> states;
    for (const Recurrence& r : recurrences) states.push_back(plainRecurrence(r, options));
    return states;
  }
  std::vector<Tensor> tensors;
  const auto call = c10::make_intrusive<Call>();
  call->order = options.order;
  call->lengths_B = options.lengths_B;
  call->overwrite = options.overwrite;
  for (const Recurrence& r : recurrences) {
    call->parts.push_back(
        {r.bias_G.defined(), r.peephole_3H.defined(), r.initial_BH.defined(), r.reverse});
    for (const Tensor& tensor :
         {r.sums_TBG, r.recurrent_GH, r.bias_G, r.peephole_3H, r.initial_BH}) {
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
  return recur({{.sums_TBG = affine(x_TBX, weights.input_GX),
                 .recurrent_GH = weights.recurrent_GH,
                 .bias_G = weights.bias_G,
                 .reverse = options.reverse}},
               {.order = {}, .lengths_B = options.lengths_B, .overwrite = true})
      .front();
}

std::vector<RowTensor> rowTensorsOf(std::vector<CellState>& cells) {
  std::vector<RowTensor> tensors;
  for (CellState& cell : cells) {
    tensors.push_back({cell.hidden_RH});
    tensors.push_back({cell.cell_RH});
  }
  return tensors;
}

}  // namespace strata
