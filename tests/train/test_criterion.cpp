// R-Drop and SimCut against numbers worked out by hand and against the library's divergence.
#include "core/train/criterion.h"

#ifndef Q_MOC_RUN
#include <torch/nn/functional/loss.h>
#endif

#include "core/nn/fused.h"

#include "models/catalogue.h"
#include "models/presets.h"
#include "tests/fixture.h"
#include "tests/program.h"
#include "train/training_fixture.h"

namespace strata {
namespace {

using torch::Tensor;

// Scores are features times a matrix, with a bias or without.
class Projector : public testing::TinyModel {
 public:
  Projector(Tensor weight, Tensor bias) : weight_(std::move(weight)), bias_(std::move(bias)) {}
  Projection projection() const override { return {weight_, bias_}; }
  Tensor project(const Tensor& features) override {
    return torch::linear(features, weight_, bias_);
  }

 private:
  Tensor weight_, bias_;
};

const auto kDouble = torch::dtype(torch::kFloat64);

double close(const Tensor& a, const Tensor& b) {
  return (a - b).abs().max().item<double>();
}

Json transformerKeys() {
  return testing::fusedTransformer(16);
}

}  // namespace

class TestCriterion : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { registerModels(); }
  void oneWordByHand();
  void equalsTheLibrary();
  void equalPassesAddNothing();
  void longerRowsChangeNothing_data();
  void longerRowsChangeNothing();
  void cutWordsAreZero();
  void switchedOffItIsTheCrossEntropy();
  void everyFamilyTrainsWithThem();
  void notBothAtOnce();
};

// Two words, p_1 = (1/2, 1/2) and p_2 = (1/4, 3/4), the right word is the second:
// KL(p_1 || p_2) = ln(2)/2 + ln(2/3)/2 = 0.143841, KL(p_2 || p_1) = ln(1/2)/4 + 3 ln(3/2)/4 =
// 0.130812, L_1 = ln 2 = 0.693147, L_2 = ln(4/3) = 0.287682.
void TestCriterion::oneWordByHand() {
  const Tensor identity = torch::eye(2, kDouble);
  Projector model(identity, {});
  const Tensor first = torch::zeros({1, 1, 2}, kDouble),
               second = torch::tensor({{{0.0, std::log(3.0)}}}, kDouble);
  const Tensor target = torch::ones({1, 1}, torch::kInt64) * 0;  // id 0; 1 would be padding
  const auto loss = [&](const PassWeights& weights) {
    return joinedLoss(model, second.flip(2), first, target, {}, weights).loss.item<double>();
  };
  // The second word is the first after the flip: p = (3/4, 1/4) against (1/2, 1/2), right word 0.
  QVERIFY(std::abs(loss({1, 0, 0, 0}) - 0.287682) < 1e-6);
  QVERIFY(std::abs(loss({0, 1, 0, 0}) - 0.693147) < 1e-6);
  QVERIFY(std::abs(loss({0, 0, 1, 0}) - 0.130812) < 1e-6);
  QVERIFY(std::abs(loss({0, 0, 0, 1}) - 0.143841) < 1e-6);
  // R-Drop with alpha = 5: (0.287682 + 0.693147) / 2 + 5/4 (0.130812 + 0.143841) = 0.833730
  QVERIFY(std::abs(loss({0.5, 0.5, 1.25, 1.25}) - 0.833730) < 1e-6);
}

void TestCriterion::equalsTheLibrary() {
  torch::manual_seed(2);
  const auto drawn = [](at::IntArrayRef shape) {
    return torch::randn(shape, kDouble).requires_grad_(true);
  };
  const Tensor weight = drawn({9, 4}), bias = drawn({9}), first = drawn({2, 3, 4}),
               second = drawn({2, 3, 4});
  const Tensor targets = torch::tensor({{4, 5, 2}, {8, 2, 1}}, torch::kInt64);
  Projector model(weight, bias);
  const PassWeights weights{0.7, 0.2, 1.5, 0.4};
  const CrossEntropyOptions options{
      .labelSmoothing = 0.1, .countErrors = true, .positionsAtOnce = 2};
  const auto got = joinedLoss(model, first, second, targets, options, weights);

  const Tensor real = (targets != 1).flatten();
  const auto logP = [&](const Tensor& x) {
    return torch::log_softmax(torch::linear(x, weight, bias), -1).flatten(0, 1);
  };
  const auto own = [&](const Tensor& logits) {
    return torch::nn::functional::cross_entropy(logits, targets.flatten(),
                                                torch::nn::functional::CrossEntropyFuncOptions()
                                                    .label_smoothing(0.1)
                                                    .ignore_index(1)
                                                    .reduction(torch::kSum));
  };
  const auto divergence = [&](const Tensor& p, const Tensor& q) {  // KL(p || q)
    return (torch::kl_div(q, p, at::Reduction::None, /*log_target=*/true).sum(1) *
            real.to(torch::kFloat64))
        .sum();
  };
  const Tensor one = logP(first), two = logP(second);
  const Tensor wanted =
      0.7 * own(one) + 0.2 * own(two) + 1.5 * divergence(one, two) + 0.4 * divergence(two, one);
  QVERIFY(std::abs((got.loss - wanted).item<double>()) < 1e-10);
  const std::vector<Tensor> of{first, second, weight, bias};
  const auto gotGrads = torch::autograd::grad({got.loss}, of),
             wantedGrads = torch::autograd::grad({wanted}, of);
  for (std::size_t i = 0; i < of.size(); ++i) QVERIFY(close(gotGrads[i], wantedGrads[i]) < 1e-10);
}

// Without dropout both passes are the same: R-Drop is the cross-entropy, SimCut too where no word
// is cut.
void TestCriterion::equalPassesAddNothing() {
  const auto model = createModel(transformerKeys(), {.type = torch::kFloat64});
  model->initialise("default", 1);
  model->train();
  testing::Bench bench;
  Batch batch;
  const std::vector<std::int64_t> pairs{0, 1, 2, 3, 4, 5};
  fillBatch(*bench.train, pairs, batch);
  const BatchTensors tensors = tensorsOf(batch, torch::kCPU);
  const auto loss = [&](const CriterionSpec& criterion) {
    return trainingLoss(*model, tensors, criterion, {.key = 3}).loss.item<double>();
  };
  const double plain = loss({.labelSmoothing = 0.1});
  QVERIFY(std::abs(loss({.labelSmoothing = 0.1, .rDrop = 5}) - plain) < 1e-8 * plain);
  QVERIFY(std::abs(loss({.labelSmoothing = 0.1, .simcutAlpha = 3, .simcutP = 0}) - plain) <
          1e-8 * plain);
  QVERIFY(loss({.labelSmoothing = 0.1, .simcutAlpha = 3, .simcutP = 0.5}) > plain + 1e-3);
  model->setDropout({0.3, 0, 0});
  model->keyDropout(1, 1);
  const double noisy = loss({.labelSmoothing = 0.1});
  QVERIFY(loss({.labelSmoothing = 0.1, .rDrop = 5}) > noisy + 1e-3);
}

void TestCriterion::longerRowsChangeNothing_data() {
  QTest::addColumn<bool>("kernels");
  QTest::newRow("kernels") << true;
  QTest::newRow("plain operators") << false;
}

// training.batch.length_multiple pads more, and no more.
void TestCriterion::longerRowsChangeNothing() {
  QFETCH(bool, kernels);
  const ArithmeticScope scope({.kernels = kernels});
  const auto model = createModel(transformerKeys(), {.type = torch::kFloat64});
  model->initialise("default", 1);
  model->train();
  testing::Bench bench;
  const std::vector<std::int64_t> pairs{0, 1, 2, 3, 4, 5};
  const auto pass = [&](std::int64_t multiple) {
    Batch batch;
    fillBatch(*bench.train, pairs, batch, multiple);
    std::vector<Tensor> results{
        trainingLoss(*model, tensorsOf(batch, torch::kCPU), {.labelSmoothing = 0.1}, {.key = 3})
            .loss};
    const auto gradients = torch::autograd::grad({results[0]}, model->parameters());
    results.insert(results.end(), gradients.begin(), gradients.end());
    results.push_back(torch::tensor(batch.source.columns));
    return results;
  };
  const auto wanted = pass(1), padded = pass(16);
  QCOMPARE(padded.back().item<std::int64_t>() % 16, 0);
  QVERIFY(padded.back().item<std::int64_t>() > wanted.back().item<std::int64_t>());
  for (std::size_t i = 0; i + 1 < wanted.size(); ++i) QVERIFY(close(padded[i], wanted[i]) < 1e-10);
}

void TestCriterion::cutWordsAreZero() {
  const Tensor table = torch::arange(12, kDouble).view({4, 3}).requires_grad_(true);
  const Tensor ids = torch::tensor({{2, -1, 3}}, torch::kInt64);
  const Tensor positions = torch::ones({3, 3}, kDouble);
  const Tensor out = embed(table, ids, 2, positions, {});
  QVERIFY(torch::equal(out[0][0], torch::tensor({13.0, 15.0, 17.0}, kDouble)));
  QVERIFY(torch::equal(out[0][1], torch::ones({3}, kDouble)));
  const Tensor gradient = torch::autograd::grad({out.sum()}, {table})[0];
  QVERIFY(torch::equal(gradient.sum(1), torch::tensor({0.0, 0.0, 6.0, 6.0}, kDouble)));
}

void TestCriterion::switchedOffItIsTheCrossEntropy() {
  const auto trained = [](const CriterionSpec& criterion) {
    testing::Bench bench;
    auto spec = testing::quietSpec();
    spec.training.maxUpdates = 5;
    spec.criterion = criterion;
    auto model = createModel(transformerKeys());
    model->initialise("default", 1);
    Trainer(spec, bench.parts(model, bench.folder / "run")).run();
    return model;
  };
  const auto off = trained({});
  QVERIFY(testing::sameParameters(*off, *trained({.rDrop = 0, .simcutAlpha = 0, .simcutP = 0.5})));
  QVERIFY(!testing::sameParameters(*off, *trained({.rDrop = 1})));
}

void TestCriterion::everyFamilyTrainsWithThem() {
  const std::vector<Json> families{
      transformerKeys(),
      {{"family", "densenmt"},
       {"embed_dim", 8},
       {"token_embed_dim", 6},
       {"hidden", 8},
       {"growth", 4},
       {"encoder_layers", 2},
       {"decoder_layers", 2}},
      {{"family", "deepatt"},
       {"embed_dim", 8},
       {"hidden", 8},
       {"encoder_layers", 2},
       {"decoder_layers", 2}},
      {{"family", "dhea"}, {"hidden", 8}, {"encoder_layers", 2}, {"decoder_layers", 2}}};
  for (const Json& keys : families) {
    Json config{
        {"format", 1}, {"src_vocab", testing::kVocabulary}, {"tgt_vocab", testing::kVocabulary}};
    config.update(keys);
    for (const CriterionSpec& criterion :
         {CriterionSpec{.rDrop = 2}, CriterionSpec{.simcutAlpha = 2, .simcutP = 0.3}}) {
      testing::Bench bench;
      auto spec = testing::quietSpec();
      spec.training.maxUpdates = 8;
      spec.criterion = criterion;
      auto model = createModel(config);
      model->initialise("default", 1);
      Trainer(spec, bench.parts(model, bench.folder / "run")).run();
      const auto& loss = bench.sink.series["train/loss"];
      QVERIFY2(std::isfinite(loss.back().second) && loss.back().second < loss.front().second,
               config.dump().c_str());
    }
  }
}

void TestCriterion::notBothAtOnce() {
  const std::string error = usageErrorOf([&] {
    resolveConfig(
        {.preset = "mlrf/base", .overrides = {"criterion.r_drop=1", "criterion.simcut.alpha=1"}},
        builtInSources());
  });
  QVERIFY2(holds(error, "criterion.r_drop is on too"), error.c_str());
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestCriterion)
#include "test_criterion.moc"
