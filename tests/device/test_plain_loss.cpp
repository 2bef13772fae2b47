// The loss over the vocabulary in libtorch's operators: equal to its formula, and never with all
// scores in memory.
#include <QtTest>

#include "core/nn/cross_entropy.h"
#include "core/train/memory.h"
#include "device/device_fixture.h"
#include "models/catalogue.h"
#include "models/presets.h"
#include "tests/program.h"
#include "train/training_fixture.h"

namespace strata {
namespace {

using namespace testing;
using torch::Tensor;

constexpr std::int64_t kWords = 1001;  // no multiple of 8

std::shared_ptr<TranslationModel> modelOf(const std::string& preset, const ParameterPlace& place) {
  const Json config = resolveConfig(
      {.file = "", .preset = preset, .overrides = {"model.embed_dim=32"}}, builtInSources());
  auto model = createModel(modelConfig(parseExperiment(config).model, kWords, kWords), place);
  model->initialise("default", 1);
  return model;
}

// 12 positions, 4 of them padding.
Tensor targets() {
  return torch::tensor({{5, 600, 7, 2}, {1000, 2, 1, 1}, {4, 2, 1, 1}}, torch::kInt64);
}

Tensor featuresOf(const TranslationModel& model, const at::IntArrayRef positions) {
  torch::manual_seed(3);
  auto shape = positions.vec();
  shape.push_back(model.projection().weight_VD.size(1));
  return torch::randn(shape, torch::kFloat64)
      .to(model.device(), model.projection().weight_VD.scalar_type())
      .requires_grad_();
}

// Loss, nll and errors, then the gradients of loss / 3: of the features and of every parameter that
// the loss depends on.
std::vector<Tensor> lossResults(const CrossEntropy& sums, const Tensor& features,
                                const TranslationModel& model) {
  std::vector<Tensor> results{sums.loss, sums.nll, sums.errors}, of = model.parameters();
  of.insert(of.begin(), features);
  for (const Tensor& gradient :
       torch::autograd::grad({sums.loss / 3}, of, {}, /*retain_graph=*/{},
                             /*create_graph=*/false, /*allow_unused=*/true))
    if (gradient.defined()) results.push_back(gradient);
  return results;
}

// models.md 0.4, differentiated by libtorch.
CrossEntropy byFormula(TranslationModel& model, const Tensor& features, double smoothing) {
  const Tensor words = targets().to(model.device()), real = words != kPadId;
  const Tensor scores = model.project(features);
  const Tensor p = torch::softmax(scores, -1);
  const Tensor nll = -p.gather(-1, words.unsqueeze(-1)).squeeze(-1).log() * real;
  const Tensor uniform = -p.log().mean(-1) * real;
  return {((1 - smoothing) * nll + smoothing * uniform).sum(), nll.sum(),
          ((p.argmax(-1) != words) & real).sum()};
}

double relativeDifference(const Tensor& a, const Tensor& b) {
  const double scale = b.detach().to(torch::kCPU, torch::kFloat64).abs().max().item<double>();
  return largestDifference(a, b) / std::max(1e-3, scale);
}

}  // namespace

class TestPlainLoss : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { registerModels(); }
  void lossEqualsItsFormula_data();
  void lossEqualsItsFormula();
  void bf16ProductsHaveTheirGradients();
  void likelihoodsComeInChunks();
  void scoresAreInMemoryAChunkAtATime();
};

void TestPlainLoss::lossEqualsItsFormula_data() {
  QTest::addColumn<std::string>("preset");
  QTest::addColumn<bool>("onDevice");
  QTest::addColumn<double>("smoothing");
  QTest::addColumn<qlonglong>("positionsAtOnce");
  // Without a bias, with one, with a weight that is itself computed.
  for (const char* preset : {"mlrf/base", "deepatt/att-1-1", "densenmt/4l-2"}) {
    for (const bool onDevice : {false, true}) {
      for (const double smoothing : {0.0, 0.1}) {
        for (const qlonglong positions : {1, 5, 0})
          QTest::addRow("%s %s, smoothing %g, %lld at once", preset, onDevice ? "device" : "host",
                        smoothing, positions)
              << std::string(preset) << onDevice << smoothing << positions;
      }
    }
  }
}

void TestPlainLoss::lossEqualsItsFormula() {
  QFETCH(std::string, preset);
  QFETCH(bool, onDevice);
  QFETCH(double, smoothing);
  QFETCH(qlonglong, positionsAtOnce);
  const auto model =
      modelOf(preset, {.device = onDevice ? countingDevice() : torch::Device(torch::kCPU),
                       .type = torch::kFloat64});
  const ArithmeticScope scope({.kernels = false});
  const Tensor features = featuresOf(*model, {3, 4}), words = targets().to(model->device());
  takeDeviceTraffic();
  const auto sums = crossEntropy(
      *model, features, words,
      {.labelSmoothing = smoothing, .countErrors = true, .positionsAtOnce = positionsAtOnce});
  const auto got = lossResults(sums, features, *model);
  QCOMPARE(takeDeviceTraffic().text(), std::string("none"));
  const auto expected = lossResults(byFormula(*model, features, smoothing), features, *model);
  QCOMPARE(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    QVERIFY2(relativeDifference(got[i], expected[i]) < 1e-11, std::to_string(i).c_str());
}

// With factors of products in bf16, gradients are those of back-propagation through the products,
// on a device with columns for words that do not exist.
void TestPlainLoss::bf16ProductsHaveTheirGradients() {
  for (const char* preset : {"mlrf/base", "deepatt/att-1-1", "densenmt/4l-2"}) {
    const auto model = modelOf(preset, {.device = countingDevice()});
    const Tensor features = featuresOf(*model, {3, 4}), words = targets().to(model->device());
    const auto exact = lossResults(byFormula(*model, features, 0.1), features, *model);
    const ArithmeticScope scope(model->productArithmetic(true));
    const auto got = lossResults(
        crossEntropy(*model, features, words,
                     {.labelSmoothing = 0.1, .countErrors = true, .positionsAtOnce = 5}),
        features, *model);
    const auto expected = lossResults(byFormula(*model, features, 0.1), features, *model);
    for (std::size_t i = 0; i < got.size(); ++i) {
      QVERIFY(got[i].scalar_type() == (i < 3 ? torch::kFloat64 : torch::kFloat32));
      QVERIFY2(relativeDifference(got[i], expected[i]) < 1e-2, std::to_string(i).c_str());
    }
    QVERIFY(relativeDifference(got[3], exact[3]) > 1e-5);
  }
}

void TestPlainLoss::likelihoodsComeInChunks() {
  const auto host = modelOf("mlrf/base", {}),
             there = modelOf("mlrf/base", {.device = countingDevice()});
  // More positions than are scored at once.
  const std::int64_t length = positionsAtOnce(countingDevice()) / 2 + 3;
  const Tensor features = featuresOf(*host, {2, length}).detach();
  torch::manual_seed(5);
  Tensor words = torch::randint(kFirstWordId, kWords, {2, length}, torch::kInt64);
  words[1].narrow(0, length - 100, 100).fill_(kPadId);
  const Tensor expected = tokenLogProbabilities(*host, features, words);
  const Tensor onDevice =
      tokenLogProbabilities(*there, features.to(countingDevice()), words.to(countingDevice()));
  QVERIFY(largestDifference(onDevice, expected) < 1e-4);
  const ArithmeticScope scope({.kernels = false});
  QVERIFY(largestDifference(tokenLogProbabilities(*host, features, words), expected) < 1e-4);
  QCOMPARE(onDevice.cpu()[1].narrow(0, length - 100, 100).abs().max().item<float>(), 0.0F);
}

// Loss and all gradients need less memory than the scores alone would take together.
void TestPlainLoss::scoresAreInMemoryAChunkAtATime() {
  const auto model = modelOf("mlrf/base", {.device = countingDevice()});
  const Tensor features = featuresOf(*model, {8, 128});
  const Tensor words = torch::full({8, 128}, kFirstWordId, features.options().dtype(torch::kInt64));
  const auto peakOf = [&](std::int64_t positionsAtOnce) {
    const std::int64_t before = memoryUse(countingDevice()).resident;
    restartPeak(countingDevice());
    lossResults(
        crossEntropy(
            *model, features, words,
            {.labelSmoothing = 0.1, .countErrors = true, .positionsAtOnce = positionsAtOnce}),
        features, *model);
    return memoryUse(countingDevice()).peak - before;
  };
  const std::int64_t scores = words.numel() * kWords * std::int64_t{sizeof(float)},
                     together = peakOf(words.numel()), chunked = peakOf(words.numel() / 8);
  const auto text = fmt::format("{} bytes of scores; {} for all at once, {} for eight chunks",
                                scores, together, chunked);
  qInfo("%s", text.c_str());
  QVERIFY2(together >= 2 * scores && chunked < scores, text.c_str());
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestPlainLoss)
#include "test_plain_loss.moc"
