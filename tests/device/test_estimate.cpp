// A dry run measures memory and time on the model's device.
#include <QtTest>

#include "core/train/estimate.h"
#include "core/train/memory.h"
#include "device/device_fixture.h"
#include "models/catalogue.h"
#include "tests/program.h"
#include "train/training_fixture.h"

namespace strata {
namespace {

using namespace testing;

std::shared_ptr<TranslationModel> modelThere(const ExperimentSpec& spec) {
  auto model = createModel(fusedTransformer(32), {.device = countingDevice()});
  model->setDropout(dropoutRatesOf(spec.training));
  model->initialise("default", 1);
  return model;
}

ExperimentSpec largeBatches() {
  ExperimentSpec spec = quietSpec();
  spec.training.phases.front().batch.size = 100;
  spec.training.maxEpochs = 1;
  return spec;
}

}  // namespace

class TestEstimate : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { registerModels(); }
  void cleanup() { limitDeviceMemory(0); }
  void memoryIsTheRunsPeakThere();
  void updatesRunThere();
  void whatDoesNotFitIsEstimatedFromParts();
  void notOneSentenceFits();
};

void TestEstimate::memoryIsTheRunsPeakThere() {
  Bench bench;
  const ExperimentSpec spec = largeBatches();
  const auto estimated =
      static_cast<double>(estimateTraining(spec, *modelThere(spec), *bench.train).bytes);
  const std::int64_t before = memoryUse(countingDevice()).resident;
  restartPeak(countingDevice());
  const auto model = modelThere(spec);
  auto given = bench.parts(model, bench.folder / "run");
  Trainer(spec, TrainerParts{.model = given.model,
                             .train = given.train,
                             .sets = {},
                             .text = given.text,
                             .runFolder = given.runFolder,
                             .device = countingDevice(),
                             .sink = bench.sink,
                             .control = bench.control})
      .run();
  const auto measured = static_cast<double>(memoryUse(countingDevice()).peak - before);
  const auto text = fmt::format("{:.0f} bytes estimated, {:.0f} measured", estimated, measured);
  qInfo("%s", text.c_str());
  QVERIFY2(std::abs(estimated / measured - 1) < 0.1, text.c_str());
}

void TestEstimate::updatesRunThere() {
  Bench bench;
  const ExperimentSpec spec = largeBatches();
  const auto model = modelThere(spec);
  std::vector<torch::Tensor> before;
  for (const auto& parameter : model->parameters()) before.push_back(parameter.detach().clone());
  estimateTraining(spec, *model, *bench.train);  // tables that the model makes once
  const std::int64_t held = memoryUse(countingDevice()).resident;
  takeDeviceTraffic();
  const TrainingEstimate estimate = estimateTraining(spec, *model, *bench.train);
  const DeviceTraffic traffic = takeDeviceTraffic();
  QVERIFY(estimate.tokensPerSecond > 0 && estimate.secondsPerEpoch > 0);
  const std::int64_t timed = 1 + static_cast<std::int64_t>(estimate.speed.steps.size());
  QCOMPARE(timed, std::int64_t{4});                  // the first does not count
  QCOMPARE(traffic.pinnedUploads, (1 + timed) * 4);  // of the whole batch, and the timed ones
  QCOMPARE(traffic.waits.at("_local_scalar_dense"), timed);
  QCOMPARE(memoryUse(countingDevice()).resident, held);
  for (std::size_t i = 0; i < before.size(); ++i)
    QCOMPARE(largestDifference(model->parameters()[i], before[i]), 0.0);
}

void TestEstimate::whatDoesNotFitIsEstimatedFromParts() {
  Bench bench;
  const ExperimentSpec spec = largeBatches();
  const auto bytes = [&] {
    return static_cast<double>(estimateTraining(spec, *modelThere(spec), *bench.train).bytes);
  };
  const double whole = bytes();
  limitDeviceMemory(static_cast<std::int64_t>(0.6 * whole));
  takeDeviceTraffic();
  const double fromParts = bytes();
  QVERIFY(takeDeviceTraffic().pinnedUploads > 3 * 4);  // more than a whole batch and two timed ones
  const auto text = fmt::format("{:.0f} of a whole batch, {:.0f} of parts", whole, fromParts);
  qInfo("%s", text.c_str());
  QVERIFY2(std::abs(fromParts / whole - 1) < 0.1, text.c_str());
}

void TestEstimate::notOneSentenceFits() {
  Bench bench;
  const ExperimentSpec spec = largeBatches();
  const auto model = modelThere(spec);
  const std::int64_t held = memoryUse(countingDevice()).resident,
                     parameters = model->parameterCount() * std::int64_t{sizeof(float)};
  for (const std::int64_t more : {parameters, 3 * parameters + 1000}) {  // moments are 2
    limitDeviceMemory(held + more);
    QHOLDS(errorOf([&] { estimateTraining(spec, *model, *bench.train); }),
           "does not fit into the memory of ");
  }
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestEstimate)
#include "test_estimate.moc"
