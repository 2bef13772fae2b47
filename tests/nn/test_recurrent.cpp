// Recurrent layers against a loop over words and steps, and against the library's LSTM.
#include <QtTest>

#include <limits>
#ifndef Q_MOC_RUN
#include <torch/autograd.h>
#include <torch/types.h>
#endif

#include "core/nn/recurrent.h"
#include "tests/nn/random_values.h"
#include "tests/program.h"

namespace strata {
namespace {

using torch::Tensor;

constexpr std::int64_t kTimes = 5, kBatch = 3, kCells = 4;
Tensor slot(const Tensor& sums_G, int place) {
  return sums_G.narrow(0, place * kCells, kCells);
}

// One sentence at a time, one step at a time, as the equations are written.
Tensor loop(const Recurrence& r, const std::vector<std::int64_t>& lengths, const GateOrder& order) {
  const Tensor sums_TBG = r.sums_TBG.defined() ? r.sums_TBG : r.x_TBX.matmul(r.input_GX.t());
  std::vector<Tensor> sentences;
  for (std::int64_t b = 0; b < std::ssize(lengths); ++b) {
    Tensor h = r.initial_BH.defined() ? r.initial_BH[b] : torch::zeros({kCells}, kDouble);
    Tensor s = torch::zeros({kCells}, kDouble);
    std::vector<Tensor> states(kTimes, torch::zeros({kCells}, kDouble));
    for (std::int64_t i = 0; i < lengths[b]; ++i) {
      const std::int64_t t = r.reverse ? lengths[b] - 1 - i : i;
      Tensor a = sums_TBG[t][b] + r.recurrent_GH.mv(h);
      if (r.bias_G.defined()) a = a + r.bias_G;
      Tensor in = slot(a, order.input), keep = slot(a, order.forget), out = slot(a, order.output);
      if (r.peephole_3H.defined()) {
        in = in + r.peephole_3H[0] * s;
        keep = keep + r.peephole_3H[1] * s;
      }
      s = torch::tanh(slot(a, order.candidate)) * torch::sigmoid(in) + torch::sigmoid(keep) * s;
      if (r.peephole_3H.defined()) out = out + r.peephole_3H[2] * s;
      h = torch::tanh(s) * torch::sigmoid(out);
      states[t] = h;
    }
    sentences.push_back(torch::stack(states));
  }
  return torch::stack(sentences, 1);
}

enum class Over { kSums, kInputs };

Recurrence someRecurrence(bool full, bool reverse, Over over = Over::kSums,
                          std::int64_t sentences = kBatch) {
  Recurrence r;
  if (over == Over::kSums) {
    r.sums_TBG = drawnDoubles({kTimes, sentences, 4 * kCells});
  } else {
    r.x_TBX = drawnDoubles({kTimes, sentences, 6});
    r.input_GX = drawnDoubles({4 * kCells, 6});
  }
  r.recurrent_GH = drawnDoubles({4 * kCells, kCells});
  r.reverse = reverse;
  if (!full) return r;
  r.bias_G = drawnDoubles({4 * kCells});
  r.peephole_3H = drawnDoubles({3, kCells});
  if (!reverse) r.initial_BH = drawnDoubles({sentences, kCells});
  return r;
}

std::vector<Tensor> tensorsOf(const std::vector<Recurrence>& recurrences) {
  std::vector<Tensor> all;
  for (const Recurrence& r : recurrences) {
    for (const Tensor& t :
         {r.sums_TBG, r.x_TBX, r.input_GX, r.recurrent_GH, r.bias_G, r.peephole_3H, r.initial_BH})
      if (t.defined()) all.push_back(t);
  }
  return all;
}

// Values and gradients of both for the same random weighting of the states.
void compare(const std::vector<Recurrence>& recurrences, const std::vector<std::int64_t>& lengths,
             const GateOrder& order) {
  const bool all = lengths == std::vector<std::int64_t>(lengths.size(), kTimes);
  const RecurrenceOptions options{
      .order = order, .lengths_B = all ? Tensor{} : torch::tensor(lengths, torch::kInt64)};
  const auto got = recur(recurrences, options);
  const auto parameters = tensorsOf(recurrences);
  Tensor gotSum = torch::zeros({}, kDouble), wantedSum = torch::zeros({}, kDouble);
  for (std::size_t i = 0; i < recurrences.size(); ++i) {
    const Tensor wanted = loop(recurrences[i], lengths, order);
    QVERIFY(largestDifference(got[i], wanted) < 1e-12);
    const Tensor weights = torch::randn(wanted.sizes(), kDouble);
    gotSum = gotSum + (got[i] * weights).sum();
    wantedSum = wantedSum + (wanted * weights).sum();
  }
  const auto gotGrads = torch::autograd::grad({gotSum}, parameters);
  const auto wantedGrads = torch::autograd::grad({wantedSum}, parameters);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    QVERIFY2(largestDifference(gotGrads[i], wantedGrads[i]) < 1e-11,
             qPrintable(QString::number(i)));
}

const GateOrder kCandidateFirst{.input = 1, .forget = 2, .candidate = 0, .output = 3};

}  // namespace

class TestRecurrent : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(3); }
  void equalsTheLoop_data();
  void equalsTheLoop();
  void columnsAdvanceTogether();
  void manySentencesTakeSeveralParts();
  void threadsChangeNothing();
  void stepsEqualTheSequence();
  void activationsAreRight();
  void gradientsAreTakenOnce();
  void layerEqualsTheLibrary();
  void otherTypesTakeLibraryOperators();
};

void TestRecurrent::equalsTheLoop_data() {
  QTest::addColumn<bool>("full");
  QTest::addColumn<bool>("reverse");
  QTest::addColumn<bool>("padded");
  QTest::addColumn<bool>("inputs");
  for (const bool full : {false, true})
    for (const bool reverse : {false, true})
      for (const bool padded : {false, true})
        for (const bool inputs : {false, true})
          QTest::addRow("%s %s %s over %s", full ? "peepholes" : "plain",
                        reverse ? "backward" : "forward", padded ? "padded" : "full",
                        inputs ? "inputs" : "sums")
              << full << reverse << padded << inputs;
}

void TestRecurrent::equalsTheLoop() {
  QFETCH(bool, full);
  QFETCH(bool, reverse);
  QFETCH(bool, padded);
  QFETCH(bool, inputs);
  const std::vector<std::int64_t> lengths =
      padded ? std::vector<std::int64_t>{5, 1, 3} : std::vector<std::int64_t>{5, 5, 5};
  const Over over = inputs ? Over::kInputs : Over::kSums;
  compare({someRecurrence(full, reverse, over)}, lengths, full ? kCandidateFirst : GateOrder{});
}

void TestRecurrent::columnsAdvanceTogether() {
  compare({someRecurrence(true, false), someRecurrence(true, true)}, {4, 5, 2}, kCandidateFirst);
}

// More sentences than take their steps together, of all lengths and in no order; parts whose
// longest sentences have one step, two and all of them.
void TestRecurrent::manySentencesTakeSeveralParts() {
  for (const Over over : {Over::kSums, Over::kInputs}) {
    std::vector<std::int64_t> lengths;
    for (std::int64_t b = 0; b < 300; ++b)
      lengths.push_back(b < 100 ? 1 : b < 180 ? 1 + b % 2 : 1 + (b * 7) % kTimes);
    compare({someRecurrence(true, false, over, 300), someRecurrence(true, true, over, 300)},
            lengths, kCandidateFirst);
  }
}

void TestRecurrent::threadsChangeNothing() {
  const std::vector<Recurrence> both{someRecurrence(true, false), someRecurrence(true, true)};
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const auto one = recur(both, {.order = kCandidateFirst});
  at::set_num_threads(5);
  const auto five = recur(both, {.order = kCandidateFirst});
  at::set_num_threads(threads);
  for (std::size_t i = 0; i < both.size(); ++i) QVERIFY(largestDifference(one[i], five[i]) < 1e-12);
}

void TestRecurrent::stepsEqualTheSequence() {
  const torch::NoGradGuard frozen;
  const Recurrence r = someRecurrence(true, false);
  const Tensor states = recur({r}, {.order = kCandidateFirst}).front();
  CellState state{r.initial_BH, torch::zeros({kBatch, kCells}, kDouble)};
  for (std::int64_t t = 0; t < kTimes; ++t) {
    const Tensor sums = r.sums_TBG[t] + r.bias_G + state.hidden_RH.mm(r.recurrent_GH.t());
    state = recurOnce(sums, r.peephole_3H, state.cell_RH, kCandidateFirst);
    QVERIFY(largestDifference(state.hidden_RH, states[t]) < 1e-12);
  }
}

// In float32, from a cell that starts at 0: where the other gates are open, the new cell state is
// tanh(z) or sigma(i).
void TestRecurrent::activationsAreRight() {
  const torch::NoGradGuard frozen;
  const Tensor x = torch::linspace(-100, 100, 20'001, kDouble).to(torch::kFloat32).unsqueeze(1),
               open = torch::full_like(x, 100), zeros = torch::zeros_like(x);
  const auto cellOf = [&](const Tensor& input, const Tensor& candidate) {
    return recurOnce(torch::cat({input, zeros, candidate, open}, 1), {}, zeros, {}).cell_RH;
  };
  const Tensor exact = x.to(torch::kFloat64);
  QVERIFY(largestDifference(cellOf(open, x), torch::tanh(exact)) < 1.5e-7);
  QVERIFY(largestDifference(cellOf(x, open), torch::sigmoid(exact)) < 1.5e-7);
  const Tensor none = torch::full_like(x, std::numeric_limits<double>::quiet_NaN());
  QVERIFY(cellOf(open, none).isnan().all().item<bool>());
  QVERIFY(cellOf(none, open).isnan().all().item<bool>());
}

// Gradients take the place of what they need; asking again is an error and not a wrong result.
void TestRecurrent::gradientsAreTakenOnce() {
  const Recurrence r = someRecurrence(true, false);
  const Tensor sum = recur({r}, {.order = kCandidateFirst}).front().sum();
  torch::autograd::grad({sum}, {r.sums_TBG}, {}, /*retain_graph=*/true);
  QVERIFY_THROWS_EXCEPTION(c10::Error, torch::autograd::grad({sum}, {r.sums_TBG}));
}

void TestRecurrent::layerEqualsTheLibrary() {
  const LstmWeights weights{drawnDoubles({4 * kCells, 6}), drawnDoubles({4 * kCells, kCells}),
                            drawnDoubles({4 * kCells})};
  const Tensor x = drawnDoubles({kTimes, kBatch, 6});
  const Tensor zeros = torch::zeros({1, kBatch, kCells}, kDouble);
  const auto library = [&](const Tensor& input) {
    return std::get<0>(at::lstm(
        input, {zeros, zeros},
        {weights.input_GX, weights.recurrent_GH, weights.bias_G, torch::zeros_like(weights.bias_G)},
        true, 1, 0.0, true, false, false));
  };
  const Tensor got = lstmLayer(x, weights, {}), wanted = library(x);
  QVERIFY(largestDifference(got, wanted) < 1e-12);
  const std::vector<Tensor> of{x, weights.input_GX, weights.recurrent_GH, weights.bias_G};
  const auto gotGrads = torch::autograd::grad({got.square().sum()}, of),
             wantedGrads = torch::autograd::grad({wanted.square().sum()}, of);
  for (std::size_t i = 0; i < of.size(); ++i)
    QVERIFY(largestDifference(gotGrads[i], wantedGrads[i]) < 1e-11);
  const Tensor back = lstmLayer(x, weights, {.reverse = true});
  QVERIFY(largestDifference(back, library(x.flip(0)).flip(0)) < 1e-12);
}

// What a GPU or autocast uses, here in bfloat16: the same up to its eight bits.
void TestRecurrent::otherTypesTakeLibraryOperators() {
  const torch::NoGradGuard frozen;
  const Tensor lengths = torch::tensor({5, 1, 3}, torch::kInt64);
  const auto half = [](const Tensor& x) { return x.mul(0.3).to(torch::kBFloat16); };
  const auto whole = [&](const Tensor& x) { return half(x).to(torch::kFloat64); };
  const Recurrence r = someRecurrence(true, false);
  for (const bool reverse : {false, true}) {
    const auto made = [&](const auto& as) {
      return Recurrence{.sums_TBG = as(r.sums_TBG),
                        .recurrent_GH = as(r.recurrent_GH),
                        .bias_G = as(r.bias_G),
                        .peephole_3H = as(r.peephole_3H),
                        .reverse = reverse};
    };
    const RecurrenceOptions options{.order = kCandidateFirst, .lengths_B = lengths};
    QVERIFY(largestDifference(recur({made(half)}, options).front().to(torch::kFloat64),
                              recur({made(whole)}, options).front()) < 0.02);
    const Tensor x = drawnDoubles({kTimes, kBatch, 6});
    const LstmWeights weights{half(drawnDoubles({4 * kCells, 6})),
                              half(drawnDoubles({4 * kCells, kCells})),
                              half(drawnDoubles({4 * kCells}))};
    const LstmWeights wide{weights.input_GX.to(torch::kFloat64),
                           weights.recurrent_GH.to(torch::kFloat64),
                           weights.bias_G.to(torch::kFloat64)};
    const LstmOptions layer{.lengths_B = lengths, .reverse = reverse};
    const Tensor got = lstmLayer(half(x), weights, layer).to(torch::kFloat64),
                 wanted = lstmLayer(whole(x), wide, layer);
    for (std::int64_t b = 0; b < kBatch; ++b) {
      const auto length = lengths[b].item<std::int64_t>();
      QVERIFY(largestDifference(got.select(1, b).narrow(0, 0, length),
                                wanted.select(1, b).narrow(0, 0, length)) < 0.02);
    }
  }
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestRecurrent)
#include "test_recurrent.moc"
