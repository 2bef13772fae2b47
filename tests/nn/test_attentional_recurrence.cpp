// A recurrent layer that attends at every step: the kernels, which take a batch in parts, against
// libtorch's operators, which take all of it at once.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/autograd.h>
#include <torch/types.h>
#endif

#include "core/data/batch.h"
#include "core/nn/arithmetic.h"
#include "core/nn/attentional_recurrence.h"
#include "tests/nn/random_values.h"
#include "tests/program.h"

namespace strata {
namespace {

using torch::Tensor;

constexpr std::int64_t kSteps = 5, kPositions = 4, kWidth = 3, kContext = 6, kWord = 2, kKey = 4;
struct Case {
  AttentionalWeights weights{.input_GX = drawnDoubles({4 * kWidth, kContext + kWord}),
                             .recurrent_GH = drawnDoubles({4 * kWidth, kWidth}),
                             .bias_G = drawnDoubles({4 * kWidth}),
                             .peephole_3H = drawnDoubles({3, kWidth}),
                             .query_AH = drawnDoubles({kKey, kWidth}),
                             .queryBias_A = drawnDoubles({kKey}),
                             .energy_A = drawnDoubles({kKey})};
  Tensor words_TBE, keys_BSA, encoded_BSC, initial_BH, lengths_B;
  SourceBatch source;

  Case(std::int64_t sentences, bool started)
      : words_TBE(drawnDoubles({kSteps, sentences, kWord})),
        keys_BSA(drawnDoubles({sentences, kPositions, kKey})),
        encoded_BSC(drawnDoubles({sentences, kPositions, kContext})),
        initial_BH(started ? drawnDoubles({sentences, kWidth}) : Tensor{}),
        lengths_B(torch::arange(sentences, torch::kInt64).mul(7).remainder(kSteps) + 1) {
    lengths_B.narrow(0, 0, sentences / 3).fill_(1);  // parts of one step
    const Tensor known_B = torch::arange(sentences, torch::kInt64).remainder(kPositions) + 1,
                 beyond_BS = torch::arange(kPositions, torch::kInt64) >= known_B.unsqueeze(1);
    source = makeSourceBatch(
        torch::full({sentences, kPositions}, 5, torch::kInt64).masked_fill(beyond_BS, kPadId),
        known_B);
  }

  std::vector<Tensor> parameters() const {
    std::vector<Tensor> all{words_TBE,           keys_BSA,         encoded_BSC,
                            weights.input_GX,    weights.bias_G,   weights.recurrent_GH,
                            weights.peephole_3H, weights.query_AH, weights.queryBias_A,
                            weights.energy_A};
    if (initial_BH.defined()) all.push_back(initial_BH);
    return all;
  }

  // States and f within the sentences' lengths, and the gradients of a weighted sum of both.
  std::vector<Tensor> results(bool kernels, bool wantsF) const {
    Arithmetic used;
    used.kernels = kernels;
    const ArithmeticScope scope(used);
    const AttentionalStates states =
        attendAndRecur({words_TBE, lengths_B, initial_BH, keys_BSA, encoded_BSC, source}, weights,
                       {.order = {.input = 1, .forget = 2, .candidate = 0, .output = 3},
                        .map = {},
                        .wantsF = wantsF});
    const Tensor live_TB1 = (torch::arange(kSteps, torch::kInt64).unsqueeze(1) < lengths_B)
                                .unsqueeze(2)
                                .to(torch::kFloat64);
    std::vector<Tensor> all{states.hidden_TBH * live_TB1};
    if (wantsF) all.push_back(states.f_TBG * live_TB1);
    Tensor sum = torch::zeros({}, kDouble);
    for (const Tensor& x : all)
      sum = sum + (x * torch::linspace(-1, 1, x.numel(), kDouble).view(x.sizes())).sum();
    for (const Tensor& gradient : torch::autograd::grad({sum}, parameters()))
      all.push_back(gradient);
    return all;
  }
};

}  // namespace

class TestAttentionalRecurrence : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(3); }
  void kernelsEqualTheOperators_data();
  void kernelsEqualTheOperators();
};

void TestAttentionalRecurrence::kernelsEqualTheOperators_data() {
  QTest::addColumn<int>("sentences");
  QTest::addColumn<bool>("started");
  QTest::addColumn<bool>("wantsF");
  for (const int sentences : {3, 200}) {
    for (const bool started : {false, true}) {
      for (const bool wantsF : {false, true}) {
        QTest::addRow("%d sentences%s%s", sentences, started ? ", started" : "",
                      wantsF ? ", with f" : "")
            << sentences << started << wantsF;
      }
    }
  }
}

void TestAttentionalRecurrence::kernelsEqualTheOperators() {
  QFETCH(int, sentences);
  QFETCH(bool, started);
  QFETCH(bool, wantsF);
  const Case some(sentences, started);
  const auto got = some.results(/*kernels=*/true, wantsF),
             expected = some.results(/*kernels=*/false, wantsF);
  QCOMPARE(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double difference = (got[i] - expected[i]).abs().max().item<double>();
    QVERIFY2(difference < 1e-11, qPrintable(QString("%1: %2").arg(i).arg(difference)));
  }
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestAttentionalRecurrence)
#include "test_attentional_recurrence.moc"
