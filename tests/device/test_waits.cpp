// Waits of the host for a GPU: real presets of every family (with small batches and vocabularies)
// train and validate on the counting device, and every wait must be on a list.
#include <QtTest>

#include "core/nn/upload.h"
#include "core/train/criterion.h"
#include "core/train/sentence_recorder.h"
#include "device/waits_fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

using namespace testing;
using torch::Tensor;

// Takes the traffic of every update but the last: the trainer asks its control between two.
class Watch : public TrainControl {
 public:
  TrainCommand poll() override {
    if (polled_++ > 0) updates.push_back(takeDeviceTraffic());
    takeDeviceTraffic();
    return TrainCommand::kNone;
  }
  std::vector<DeviceTraffic> updates;

 private:
  int polled_ = 0;
};

struct Trained {
  std::shared_ptr<TranslationModel> model;
  std::vector<DeviceTraffic> updates;
};

Trained train(Bench& bench, const ExperimentSpec& spec, const fs::path& run) {
  Watch watch;
  Trained trained{modelFor(spec), {}};
  auto given = bench.parts(trained.model, run);
  TrainerParts parts{.model = given.model,
                     .train = given.train,
                     .sets = given.sets,
                     .text = given.text,
                     .runFolder = run,
                     .device = countingDevice(),
                     .sink = bench.sink,
                     .control = watch};
  Trainer(spec, std::move(parts)).run();
  trained.updates = watch.updates;
  return trained;
}

// The meant waits of an update: a log step reads losses, norms and ratios; the first pass brings
// tables of positions.
void checkUpdates(const Trained& trained, const System& system, std::int64_t accumulate,
                  std::int64_t downloads = 4) {
  for (std::size_t i = 0; i < trained.updates.size(); ++i) {
    DeviceTraffic traffic = trained.updates[i];
    const std::string text = fmt::format("update {}: {}", i + 1, traffic.text());
    QCOMPARE(traffic.pinnedUploads, 4 * accumulate);
    if (i == 0 && system.sinusoids > 0) {
      QVERIFY2(traffic.waits["upload"] <= system.sinusoids, text.c_str());
      traffic.waits.erase("upload");
    }
    if ((i + 1) % kLogEvery == 0) {
      QVERIFY2(traffic.waits["download"] <= downloads, text.c_str());
      traffic.waits.erase("download");
    }
    QVERIFY2(traffic.waits.empty(), text.c_str());
  }
}

}  // namespace

class TestWaits : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { registerModels(); }
  void updatesWaitAtLogStepsOnly_data();
  void updatesWaitAtLogStepsOnly();
  void histogramsComeAtLogSteps_data() { addSystems(); }
  void histogramsComeAtLogSteps();
  void criteriaWaitForNothing_data();
  void criteriaWaitForNothing();
  void optimizersWaitForNothing_data();
  void optimizersWaitForNothing();
  void passesFollowTheirKey_data() { addSystems(); }
  void passesFollowTheirKey();
  void joinedLossEqualsTheCpus_data();
  void joinedLossEqualsTheCpus();
  void recordedSentencesComeOneInternalAtATime_data() { addSystems(); }
  void recordedSentencesComeOneInternalAtATime();
  void validationWaitsOnceASetAndStep_data() { addSystems(); }
  void validationWaitsOnceASetAndStep();
};

void TestWaits::updatesWaitAtLogStepsOnly_data() {
  QTest::addColumn<int>("system");
  QTest::addColumn<QString>("precision");
  for (std::size_t i = 0; i < std::size(kSystems); ++i) {
    for (const char* precision : {"fp32", "bf16"})
      QTest::addRow("%s %s", kSystems[i].preset, precision) << static_cast<int>(i) << precision;
  }
}

void TestWaits::updatesWaitAtLogStepsOnly() {
  QFETCH(int, system);
  QFETCH(QString, precision);
  Bench bench;
  ExperimentSpec spec = specOf(kSystems[system], {"training.precision=" + precision.toStdString()});
  spec.training.maxUpdates = kLogEvery + 1;
  spec.training.accumulate = 1;
  const Trained trained = train(bench, spec, bench.folder / "run");
  QCOMPARE(std::ssize(trained.updates), kLogEvery);
  checkUpdates(trained, kSystems[system], 1);
  for (const auto& [step, loss] : bench.sink.series.at("train/nll"))
    QVERIFY(std::isfinite(loss) && loss > 0);
  QVERIFY(!sameParameters(*trained.model, *modelFor(spec)));
}

// Those of every step come in one more transfer, and count what they count on the CPU.
void TestWaits::histogramsComeAtLogSteps() {
  QFETCH(int, system);
  Bench bench;
  ExperimentSpec spec = specOf(kSystems[system]);
  spec.training.maxUpdates = kLogEvery + 1;
  spec.training.accumulate = 1;
  spec.recording.histogramEvery = 1;
  checkUpdates(train(bench, spec, bench.folder / "run"), kSystems[system], 1, 5);
  QCOMPARE(std::ssize(bench.sink.counted), kLogEvery + 1);
  const auto there = modelFor(spec), host = modelFor(spec, false);
  for (std::size_t i = 0; i < host->parameters().size(); ++i) {
    const auto bounds = HistogramRecorder::boundsOn(countingDevice());
    const Tensor counts = countValues(there->parameters()[i], bounds).cpu();
    const Tensor expected =
        countValues(host->parameters()[i], HistogramRecorder::boundsOn(torch::kCPU));
    QVERIFY(torch::equal(counts, expected));
  }
}

void TestWaits::criteriaWaitForNothing_data() {
  QTest::addColumn<int>("system");
  QTest::addColumn<QString>("criterion");
  for (std::size_t i = 0; i < std::size(kSystems); ++i) {
    for (const char* criterion : {"criterion.r_drop=3", "criterion.simcut.alpha=3"})
      QTest::addRow("%s %s", kSystems[i].preset, criterion) << static_cast<int>(i) << criterion;
  }
}

// R-Drop and SimCut, with two batches an update and clipping.
void TestWaits::criteriaWaitForNothing() {
  QFETCH(int, system);
  QFETCH(QString, criterion);
  Bench bench;
  const std::vector<std::string> keys{criterion.toStdString(), "training.clip_norm=0.5",
                                      "training.accumulate=2"};
  ExperimentSpec spec = specOf(kSystems[system], keys);
  QVERIFY(spec.criterion.rDrop > 0 || spec.criterion.simcutAlpha > 0);
  spec.training.maxUpdates = 3;
  checkUpdates(train(bench, spec, bench.folder / "run"), kSystems[system], 2);
}

void TestWaits::optimizersWaitForNothing_data() {
  QTest::addColumn<QString>("optimizer");
  QTest::addColumn<QString>("decay");
  for (const char* optimizer : {"adam", "nag"}) {
    for (const char* decay : {"decoupled", "coupled"})
      QTest::addRow("%s %s", optimizer, decay) << optimizer << decay;
  }
}

void TestWaits::optimizersWaitForNothing() {
  QFETCH(QString, optimizer);
  QFETCH(QString, decay);
  Bench bench;
  const System& system = kSystems[0];
  ExperimentSpec spec = specOf(system, {"training.optimizer.name=" + optimizer.toStdString(),
                                        "training.optimizer.decay_kind=" + decay.toStdString(),
                                        "training.optimizer.weight_decay=0.01",
                                        "training.clip_norm=0.5", "training.ema=0.9"});
  spec.training.maxUpdates = 3;
  spec.training.accumulate = 1;
  checkUpdates(train(bench, spec, bench.folder / "run"), system, 1);
}

// The masks of a pass follow from seed and step, as on the CPU.
void TestWaits::passesFollowTheirKey() {
  QFETCH(int, system);
  const auto model = modelFor(specOf(kSystems[system], {"training.dropout=0.3"}));
  model->train();
  const torch::NoGradGuard frozen;
  const auto pass = [&](std::uint64_t seed, std::uint64_t step) {
    const Tensor ids = torch::tensor({{5, 6, 7, 2}, {8, 9, 2, 1}}, torch::kInt64);
    const auto source =
        uploaded(makeSourceBatch(ids, torch::tensor({4, 3}, torch::kInt64)), countingDevice());
    model->keyDropout(seed, step);
    return model->decode(*model->encode(source, nullptr), uploaded(ids, countingDevice()), nullptr)
        .cpu();
  };
  const Tensor first = pass(1, 1);
  torch::rand({7});  // whatever else draws in between
  QCOMPARE(largestDifference(first, pass(1, 1)), 0.0);
  QVERIFY(largestDifference(first, pass(1, 2)) > 1e-6);
  QVERIFY(largestDifference(first, pass(2, 1)) > 1e-6);
}

void TestWaits::joinedLossEqualsTheCpus_data() {
  QTest::addColumn<bool>("bias");
  QTest::addColumn<qlonglong>("positionsAtOnce");
  for (const bool bias : {false, true}) {
    for (const qlonglong positions : {2, 1000})
      QTest::addRow("%s, %lld at once", bias ? "bias" : "no bias", positions) << bias << positions;
  }
}

// Padded positions, which are computed on a device, count nothing in losses and gradients.
void TestWaits::joinedLossEqualsTheCpus() {
  QFETCH(bool, bias);
  QFETCH(qlonglong, positionsAtOnce);
  ExperimentSpec spec = specOf(kSystems[0]);
  spec.model["output_bias"] = bias;
  const auto host = modelFor(spec, false), there = modelFor(spec);
  const std::int64_t width = spec.model.at("embed_dim").get<std::int64_t>();
  torch::manual_seed(4);
  const Tensor first = torch::randn({2, 4, width}), second = torch::randn({2, 4, width});
  const Tensor words = torch::tensor({{5, 6, 7, 2}, {8, 2, 1, 1}}, torch::kInt64);
  const auto pass = [&](TranslationModel& model, const torch::Device& device) {
    const Tensor x = first.to(device, false, true).requires_grad_(),
                 y = second.to(device, false, true).requires_grad_();
    const auto loss =
        joinedLoss(model, x, y, words.to(device),
                   {.labelSmoothing = 0.1, .countErrors = true, .positionsAtOnce = positionsAtOnce},
                   {0.7, 0.2, 1.5, 0.4});
    (loss.loss / 3).backward();
    std::vector<Tensor> results{loss.loss, loss.nll, loss.errors, x.grad(), y.grad()};
    const auto projection = model.projection();
    for (const Tensor& tensor : {projection.weight_VD, projection.bias_V})
      if (tensor.defined()) results.push_back(tensor.grad());
    return results;
  };
  const auto expected = pass(*host, torch::kCPU);
  takeDeviceTraffic();
  const auto got = pass(*there, countingDevice());
  QCOMPARE(takeDeviceTraffic().text(), std::string("upload 3"));  // this test's own
  QCOMPARE(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    QVERIFY(!got[i].is_cpu());
    const double scale = std::max(1.0, expected[i].abs().max().item<double>());
    QVERIFY(largestDifference(got[i], expected[i]) < 1e-5 * scale);
  }
}

// Recordings of sentences during training: one transfer per internal and sentence.
void TestWaits::recordedSentencesComeOneInternalAtATime() {
  QFETCH(int, system);
  Bench bench;
  const auto model = modelFor(specOf(kSystems[system]));
  const ScoredSet set{
      .name = "valid", .corpus = bench.valid, .pairs = {}, .source = {}, .references = {}};
  takeDeviceTraffic();
  const auto recorded = recordSentences(*model, set, bench.text, {.sentences = 2, .names = {}});
  DeviceTraffic traffic = takeDeviceTraffic();
  const std::string text = traffic.text();
  QCOMPARE(recorded.size(), std::size_t{2});
  QVERIFY2(traffic.waits["upload"] <= kSystems[system].sinusoids, text.c_str());
  traffic.waits.erase("upload");
  const std::ptrdiff_t each = std::ssize(recorded.front().recordings);
  QVERIFY(each > 0);
  QCOMPARE(traffic.text(), fmt::format("download {}", 2 * each));
}

// Likelihoods of a set come in one transfer; its translations as any search does: one a step, and
// their words.
void TestWaits::validationWaitsOnceASetAndStep() {
  QFETCH(int, system);
  Bench bench;
  ExperimentSpec spec = specOf(kSystems[system]);
  spec.validation.metrics = {"nll", "token-error", "multi-bleu"};
  spec.validation.beam = 3;
  spec.decoding.maxLengthFactor = 1;
  spec.decoding.maxLengthOffset = 2;
  ScoredSet set{.name = "valid",
                .corpus = bench.valid,
                .pairs = {0, 1, 2, 3},
                .source = {},
                .references = {}};
  std::vector<std::string>& reference = set.references.emplace_back();
  for (std::int64_t pair = 0; pair < bench.valid->pairs(); ++pair)
    reference.push_back(bench.text.target(bench.valid->ids(CorpusSide::kTarget, pair).toVector()));
  std::int64_t longest = 0;
  for (const std::int64_t pair : set.pairs)
    longest = std::max(longest, bench.valid->length(CorpusSide::kSource, pair) + 1);
  const auto score = [&](const torch::Device& device) {
    const auto model = modelFor(spec, !device.is_cpu());
    const Validator validator(
        {set}, bench.text,
        {.validation = spec.validation, .decoding = spec.decoding, .device = device});
    takeDeviceTraffic();
    return validator.score(*model).scores;
  };
  const auto expected = score(torch::kCPU), got = score(countingDevice());
  DeviceTraffic traffic = takeDeviceTraffic();
  const std::string text = traffic.text();
  QVERIFY2(traffic.waits["upload"] <= kSystems[system].sinusoids, text.c_str());
  traffic.waits.erase("upload");
  QVERIFY2(traffic.waits["download"] <= 2 + longest + 2, text.c_str());
  traffic.waits.erase("download");
  QVERIFY2(traffic.waits.empty(), text.c_str());
  QCOMPARE(got.size(), std::size_t{3});
  QVERIFY(std::abs(got.at("valid/nll") - expected.at("valid/nll")) < 1e-4);
  QCOMPARE(got.at("valid/token-error"), expected.at("valid/token-error"));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestWaits)
#include "test_waits.moc"
