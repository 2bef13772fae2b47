#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/autograd.h>
#include <torch/types.h>
#endif

#include <cmath>

#include "core/nn/convolution.h"
#include "tests/nn/random_values.h"
#include "tests/program.h"

namespace strata {
namespace {

using torch::Tensor;

constexpr std::int64_t kSentences = 3, kColumns = 5;

WeightNorm layer(std::int64_t in, std::int64_t out, std::int64_t kernel = 0) {
  WeightNorm made(in, out, kernel);
  made->to(torch::kFloat64);
  const torch::NoGradGuard frozen;
  for (Tensor& parameter : made->parameters()) parameter.normal_();
  return made;
}

Parts parts(const std::vector<std::int64_t>& widths) {
  Parts made;
  for (const std::int64_t width : widths)
    made.push_back(torch::randn({kSentences, kColumns, width}, torch::kFloat64).requires_grad_());
  return made;
}

SourceBatch lengths(const std::vector<std::int64_t>& trueLengths) {
  return makeSourceBatch(torch::full({kSentences, kColumns}, 4, torch::kInt64),
                         torch::tensor(trueLengths));
}

double at(const Tensor& x, at::IntArrayRef place) {
  Tensor value = x;
  for (const std::int64_t index : place) value = value[index];
  return value.item<double>();
}

// w = g v / |v| of one output unit, the convolution, its bias and the gate, position by position.
struct Loop {
  WeightNorm convolution;
  std::int64_t left;
  std::vector<std::int64_t> lengths;

  double channel(const Tensor& x, std::int64_t b, std::int64_t t, std::int64_t o) const {
    const Tensor& v = convolution->weight_v;
    double norm = 0, sum = 0;
    for (std::int64_t i = 0; i < v.size(1); ++i) {
      for (std::int64_t k = 0; k < v.size(2); ++k) {
        norm += at(v, {o, i, k}) * at(v, {o, i, k});
        const std::int64_t read = t + k - left;
        if (read >= 0 && read < lengths[std::size_t(b)])
          sum += at(v, {o, i, k}) * at(x, {b, read, i});
      }
    }
    return at(convolution->weight_g, {o, 0, 0}) * sum / std::sqrt(norm) +
           at(convolution->bias, {o});
  }
  Tensor operator()(const Tensor& x) const {
    const std::int64_t width = convolution->out() / 2;
    Tensor out = torch::empty({kSentences, kColumns, width}, torch::kFloat64);
    for (std::int64_t b = 0; b < kSentences; ++b) {
      for (std::int64_t t = 0; t < kColumns; ++t) {
        for (std::int64_t c = 0; c < width; ++c) {
          const double gate = 1 / (1 + std::exp(-channel(x, b, t, width + c)));
          out.index_put_({b, t, c}, channel(x, b, t, c) * gate);
        }
      }
    }
    return out;
  }
};

const Dropout kDropped{0.4, 77};

}  // namespace

class TestConvolution : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { torch::manual_seed(7); }
  void equalsALoopOverPositions_data();
  void equalsALoopOverPositions();
  void gradientsAreThoseOfDifferences_data() { equalsALoopOverPositions_data(); }
  void gradientsAreThoseOfDifferences();
  void otherTypesComputeTheSame();
  void largeBatchesAreThoseOfTheirSentences_data();
  void largeBatchesAreThoseOfTheirSentences();
  void laterInputsDoNotCount();
  void float32LosesFewDigits();
  void oneStepIsTheLastPosition();
  void linearReadsPartsAsOne();
  void theGateSaturates();
  void normalisedWeightsAreKept();
};

void TestConvolution::equalsALoopOverPositions_data() {
  QTest::addColumn<int>("kernel");
  QTest::addColumn<int>("left");
  QTest::addColumn<bool>("padded");
  QTest::addColumn<bool>("dropped");
  for (const bool dropped : {false, true}) {
    const char* how = dropped ? ", dropped" : "";
    QTest::addRow("one tap%s", how) << 1 << 0 << true << dropped;
    QTest::addRow("centred%s", how) << 3 << 1 << true << dropped;
    QTest::addRow("centred, no padding%s", how) << 3 << 1 << false << dropped;
    QTest::addRow("centred, wider than a sentence%s", how) << 7 << 3 << true << dropped;
    QTest::addRow("causal%s", how) << 3 << 2 << false << dropped;
    QTest::addRow("causal, even%s", how) << 4 << 3 << false << dropped;
  }
}

void TestConvolution::equalsALoopOverPositions() {
  QFETCH(int, kernel);
  QFETCH(int, left);
  QFETCH(bool, padded);
  QFETCH(bool, dropped);
  const torch::NoGradGuard frozen;
  const std::vector<std::int64_t> sizes =
      padded ? std::vector<std::int64_t>{5, 1, 3} : std::vector<std::int64_t>{5, 5, 5};
  const WeightNorm convolution = layer(9, 6, kernel);
  const Dropout dropout = dropped ? kDropped : Dropout{};
  for (const std::vector<std::int64_t>& widths : {std::vector<std::int64_t>{9}, {2, 4, 3}}) {
    const Parts x = parts(widths);
    const Tensor got =
        convolutionGlu(x, convolution, lengths(sizes), {.left = left, .dropout = dropout});
    const Tensor expected = Loop{convolution, left, sizes}(applyDropout(torch::cat(x, 2), dropout));
    QVERIFY(largestDifference(got, expected) < 1e-12);
  }
}

void TestConvolution::gradientsAreThoseOfDifferences() {
  QFETCH(int, kernel);
  QFETCH(int, left);
  QFETCH(bool, padded);
  QFETCH(bool, dropped);
  const SourceBatch source = padded ? lengths({5, 1, 3}) : lengths({5, 5, 5});
  const WeightNorm convolution = layer(5, 4, kernel);
  const ConvolutionOptions options{.left = left, .dropout = dropped ? kDropped : Dropout{}};
  const Parts x = parts({2, 3});
  const Tensor weights = torch::randn({kSentences, kColumns, 2}, torch::kFloat64);
  const auto loss = [&] {
    return (convolutionGlu(x, convolution, source, options) * weights).sum();
  };
  std::vector<Tensor> of{x[0], x[1], convolution->weight_v, convolution->weight_g,
                         convolution->bias};
  const auto gradients = torch::autograd::grad({loss()}, of);
  const torch::NoGradGuard frozen;
  constexpr double kStep = 1e-5;
  for (std::size_t i = 0; i < of.size(); ++i) {
    const Tensor flat = of[i].view({-1}), gradient = gradients[i].reshape({-1});
    for (std::int64_t e = 0; e < flat.numel(); e += 3) {
      flat[e] += kStep;
      const double above = loss().item<double>();
      flat[e] -= 2 * kStep;
      const double below = loss().item<double>();
      flat[e] += kStep;
      QVERIFY(std::abs(gradient[e].item<double>() - (above - below) / (2 * kStep)) < 1e-7);
    }
  }
}

// Half precision takes libtorch's operators, as a GPU does.
void TestConvolution::otherTypesComputeTheSame() {
  const SourceBatch source = lengths({5, 1, 3});
  WeightNorm convolution = layer(5, 4, 3), projection = layer(5, 4);
  for (WeightNorm& made : {std::ref(convolution), std::ref(projection)}) {
    made->to(torch::kBFloat16);
    made->to(torch::kFloat64);  // rounded
  }
  Parts exact = parts({2, 3}), rounded;
  for (Tensor& part : exact) {
    rounded.push_back(part.detach().to(torch::kBFloat16).requires_grad_());
    part = rounded.back().detach().to(torch::kFloat64).requires_grad_();
  }
  const Tensor convolved = convolutionGlu(exact, convolution, source, {.left = 1}),
               projected = linear(exact, projection);
  const auto gradients = torch::autograd::grad({convolved.sum() + projected.sum()}, exact);
  convolution->to(torch::kBFloat16);
  projection->to(torch::kBFloat16);
  const Tensor other = convolutionGlu(rounded, convolution, source, {.left = 1}),
               otherProjected = linear(rounded, projection);
  const auto otherGradients = torch::autograd::grad({other.sum() + otherProjected.sum()}, rounded);
  const auto near = [](const Tensor& a, const Tensor& b) {
    return largestDifference(a.to(torch::kFloat64), b) < 0.03 * b.abs().max().item<double>();
  };
  QVERIFY(near(other, convolved));
  QVERIFY(near(otherProjected, projected));
  for (std::size_t i = 0; i < exact.size(); ++i) QVERIFY(near(otherGradients[i], gradients[i]));
}

// Large batches are multiplied by fewer products (Winograd's filtering), small ones are not: a
// sentence's results and all gradients are the same for a batch and for its sentences one by one.
void TestConvolution::largeBatchesAreThoseOfTheirSentences_data() {
  QTest::addColumn<int>("left");
  QTest::addColumn<int>("positions");
  QTest::addColumn<bool>("padded");
  for (const int left : {0, 1, 2}) {
    for (const int positions : {1, 2, 3, 4, 5, 7, 8, 9, 10, 11}) {
      for (const bool padded : {false, true}) {
        QTest::addRow("%d earlier, %d positions%s", left, positions, padded ? ", padded" : "")
            << left << positions << padded;
      }
    }
  }
}

void TestConvolution::largeBatchesAreThoseOfTheirSentences() {
  QFETCH(int, left);
  QFETCH(int, positions);
  QFETCH(bool, padded);
  const std::int64_t sentences = 130;
  const WeightNorm convolution = layer(5, 4, 3);
  std::vector<std::int64_t> sizes(std::size_t(sentences), positions);
  if (padded) {
    for (std::size_t b = 0; b < sizes.size(); b += 2) sizes[b] = 1 + std::int64_t(b) % positions;
  }
  const auto sourceOf = [&](const std::vector<std::int64_t>& lengths) {
    const auto count = static_cast<std::int64_t>(lengths.size());
    return makeSourceBatch(torch::full({count, positions}, 4, torch::kInt64),
                           torch::tensor(lengths));
  };
  Parts x;
  for (const std::int64_t width : {2, 3})
    x.push_back(torch::randn({sentences, positions, width}, torch::kFloat64).requires_grad_());
  const Tensor weights = torch::randn({sentences, positions, 2}, torch::kFloat64);
  const ConvolutionOptions options{.left = left};
  std::vector<Tensor> of{x[0], x[1], convolution->weight_v, convolution->weight_g,
                         convolution->bias};
  const Tensor whole = convolutionGlu(x, convolution, sourceOf(sizes), options);
  std::vector<Tensor> single;
  for (std::int64_t b = 0; b < sentences; ++b) {
    const Parts sentence{x[0].narrow(0, b, 1), x[1].narrow(0, b, 1)};
    single.push_back(
        convolutionGlu(sentence, convolution, sourceOf({sizes[std::size_t(b)]}), options));
  }
  const Tensor apart = torch::cat(single);
  QVERIFY(largestDifference(whole, apart) < 1e-12);
  const auto got = torch::autograd::grad({(whole * weights).sum()}, of);
  const auto expected = torch::autograd::grad({(apart * weights).sum()}, of);
  for (std::size_t i = 0; i < of.size(); ++i)
    QVERIFY(largestDifference(got[i], expected[i]) < 1e-10);
}

// Sums over a tile hold inputs that come later than an output; its value does not.
void TestConvolution::laterInputsDoNotCount() {
  const torch::NoGradGuard frozen;
  const WeightNorm convolution = layer(5, 4, 3);
  const Tensor x = torch::randn({40, 11, 5}, torch::kFloat64), changed = x.clone();
  for (const std::int64_t first : {1, 2, 3, 6, 7, 8, 10}) {
    changed.copy_(x).narrow(1, first, 11 - first).normal_();
    const Tensor before = convolutionGlu({x}, convolution, {}, {.left = 2}),
                 after = convolutionGlu({changed}, convolution, {}, {.left = 2});
    QVERIFY(largestDifference(before.narrow(1, 0, first), after.narrow(1, 0, first)) < 1e-12);
    QVERIFY(largestDifference(before.select(1, first), after.select(1, first)) > 1e-3);
  }
}

// At the size of a real layer, with sentences of several lengths. float32: errors of the batch's
// results and gradients against those of its sentences one by one, which take no filtering.
void TestConvolution::float32LosesFewDigits() {
  const std::int64_t sentences = 20, positions = 27, width = 256;
  const Tensor trueLengths = torch::arange(8, 28);
  const auto sourceOf = [&](std::int64_t first, std::int64_t count) {
    return makeSourceBatch(torch::full({count, positions}, 4, torch::kInt64),
                           trueLengths.narrow(0, first, count));
  };
  WeightNorm convolution = layer(width, 2 * width, 3);
  const Tensor input = torch::randn({sentences, positions, width}),
               weights = torch::randn({sentences, positions, width});
  const auto gradients = [&](torch::ScalarType type, std::int64_t atOnce) {
    convolution->to(type);
    const Tensor x = input.to(type).requires_grad_();
    std::vector<Tensor> out;
    for (std::int64_t b = 0; b < sentences; b += atOnce) {
      out.push_back(
          convolutionGlu({x.narrow(0, b, atOnce)}, convolution, sourceOf(b, atOnce), {.left = 1}));
    }
    const Tensor all = torch::cat(out);
    auto results =
        torch::autograd::grad({(all * weights.to(type)).sum()},
                              {x, convolution->weight_v, convolution->weight_g, convolution->bias});
    results.push_back(all.detach());
    return results;
  };
  const auto single = gradients(torch::kFloat32, 1), batch = gradients(torch::kFloat32, sentences),
             exact = gradients(torch::kFloat64, 1);
  const auto error = [](const Tensor& a, const Tensor& b) {
    return ((a.to(torch::kFloat64) - b).norm() / b.norm()).item<double>();
  };
  for (std::size_t i = 0; i < exact.size(); ++i) {
    QVERIFY(error(batch[i], exact[i]) < 1.5e-6);
    QVERIFY(error(batch[i], exact[i]) < 4 * error(single[i], exact[i]));
  }
}

void TestConvolution::oneStepIsTheLastPosition() {
  const torch::NoGradGuard frozen;
  const WeightNorm convolution = layer(6, 4, 3);
  const Parts x = parts({6});
  const Tensor all = convolutionGlu(x, convolution, {}, {.left = 2});
  for (std::int64_t t = 0; t < kColumns; ++t) {
    std::vector<Tensor> inputs(3);  // what lies before the sentence is undefined
    for (std::int64_t k = 0; k < 3; ++k)
      if (t + k - 2 >= 0) inputs[std::size_t(k)] = x[0].select(1, t + k - 2).contiguous();
    QVERIFY(largestDifference(convolutionGluStep(inputs, convolution), all.select(1, t)) < 1e-12);
  }
}

void TestConvolution::linearReadsPartsAsOne() {
  const WeightNorm projection = layer(9, 4);
  const Parts x = parts({2, 4, 3});
  const Tensor weights = torch::randn({kSentences, kColumns, 4}, torch::kFloat64);
  std::vector<Tensor> of{
      x[0], x[1], x[2], projection->weight_v, projection->weight_g, projection->bias};
  const Tensor got = linear(x, projection);
  const Tensor norm = projection->weight_v.square().sum(1, true).sqrt();
  const Tensor expected =
      torch::matmul(torch::cat(x, 2), (projection->weight_g * projection->weight_v / norm).t()) +
      projection->bias;
  QVERIFY(largestDifference(got, expected) < 1e-12);
  const auto first = torch::autograd::grad({(got * weights).sum()}, of);
  const auto second = torch::autograd::grad({(expected * weights).sum()}, of);
  for (std::size_t i = 0; i < of.size(); ++i)
    QVERIFY(largestDifference(first[i], second[i]) < 1e-11);
}

// Gates far from 0 are 0 or 1, never anything else.
void TestConvolution::theGateSaturates() {
  const torch::NoGradGuard frozen;
  WeightNorm convolution(1, 2, 1);
  convolution->weight_v.fill_(1);
  convolution->weight_g.copy_(torch::tensor({1., 1.}).view({2, 1, 1}));
  convolution->bias.zero_();
  const Tensor x = torch::tensor({-1000.f, -100.f, -50.f, 50.f, 100.f, 1000.f}).view({1, 6, 1});
  const Tensor y = convolutionGlu({x}, convolution, {}, {}).view({6});
  for (const int low : {0, 1, 2}) QVERIFY(std::abs(y[low].item<float>()) < 1e-19f);
  QVERIFY(torch::equal(y.narrow(0, 3, 3), x.view({6}).narrow(0, 3, 3)));
}

void TestConvolution::normalisedWeightsAreKept() {
  WeightNorm convolution = layer(4, 6, 3);
  QVERIFY(convolution->weight().requires_grad());
  const torch::NoGradGuard frozen;
  const Tensor kept = convolution->weight();
  QCOMPARE(kept.sizes().vec(), (std::vector<std::int64_t>{3, 6, 4}));
  QVERIFY(kept.data_ptr() == convolution->weight().data_ptr());
  const Tensor norm = kept.square().sum(torch::IntArrayRef{0, 2}).sqrt();  // |w| = |g|
  QVERIFY(largestDifference(norm, convolution->weight_g.abs().view({6})) < 1e-12);
  std::vector<Tensor> gains{convolution->weight_g};
  at::_foreach_mul_(gains, 2);  // as an optimizer does
  QVERIFY(largestDifference(convolution->weight(), 2 * kept) < 1e-12);
  convolution->weight_v.set_data(convolution->weight_v.clone().neg_());
  QVERIFY(largestDifference(convolution->weight(), -2 * kept) < 1e-12);
  convolution->train();
  QVERIFY(largestDifference(convolution->weight(), -2 * kept) < 1e-12);
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestConvolution)
#include "test_convolution.moc"
