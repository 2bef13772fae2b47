// The moving average of parameters: by hand, beside a run, and over a resumption.
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/safetensors.h"
#include "core/nn/tensor_files.h"
#include "core/train/checkpoint.h"
#include "core/train/moving_average.h"
#include "models/catalogue.h"
#include "models/presets.h"
#include "tests/fixture.h"
#include "tests/program.h"
#include "train/training_fixture.h"

namespace strata {

using testing::Bench;
using testing::kVocabulary;
using testing::quietSpec;
using testing::sameParameters;
using testing::tinyModel;

class TestMovingAverage : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { registerModels(); }
  void threeUpdatesByHand();
  void aSkippedUpdateLeavesAverages();
  void presetsByHand_data();
  void presetsByHand();
  void theRunItselfStays();
  void resumesBitForBit();
  void anAverageOfAnOlderVersionIsVoid();
};

// d = 0.75 from 8: 8 -> 0.75 * 8 + 0.25 * 4 = 7 -> 0.75 * 7 + 0.25 * 4 = 6.25.
void TestMovingAverage::threeUpdatesByHand() {
  torch::Tensor value = torch::full({2}, 8.0);
  MovingAverage average(std::make_shared<const ParameterBuffer>(NamedParameters{{"value", value}}),
                        0.75);
  value.fill_(4);
  average.update();
  {
    const MovingAverage::InPlace averaged(average);
    QVERIFY(torch::equal(value, torch::full({2}, 7.0)));
  }
  QVERIFY(torch::equal(value, torch::full({2}, 4.0)));
  average.update();
  const MovingAverage::InPlace averaged(average);
  QVERIFY(torch::equal(value, torch::full({2}, 6.25)));
}

void TestMovingAverage::aSkippedUpdateLeavesAverages() {
  torch::Tensor value = torch::full({2}, 8.0);
  MovingAverage average(std::make_shared<const ParameterBuffer>(NamedParameters{{"value", value}}),
                        0.75);
  value.fill_(4);
  average.update(torch::ones({}));
  average.update(torch::zeros({}));
  const MovingAverage::InPlace averaged(average);
  QVERIFY(torch::equal(value, torch::full({2}, 7.0)));
}

void TestMovingAverage::presetsByHand_data() {
  QTest::addColumn<QString>("preset");
  for (const char* preset :
       {"mlrf/both-fnn-sa4", "densenmt/4l-2", "deepatt/att-2-2", "dhea/hybrid"})
    QTest::newRow(preset) << preset;
}

// A preset's own model and optimizer: every parameter's saved average is what the saved parameters
// of all updates give by the definition, from the parameters that training began with.
void TestMovingAverage::presetsByHand() {
  QFETCH(QString, preset);
  constexpr double kDecay = 0.75;
  Bench bench;
  const Json config = resolveConfig({.file = "", .preset = preset.toStdString(), .overrides = {}},
                                    builtInSources());
  ExperimentSpec spec = parseExperiment(config);
  const ExperimentSpec quiet = quietSpec();
  spec.training.ema = kDecay;
  spec.training.maxUpdates = 3;
  for (PhaseSpec& phase : spec.training.phases) {
    phase.batch = quiet.training.phases.front().batch;
    phase.schedule = quiet.training.phases.front().schedule;
    phase.optimizer.lr = 0.02;  // far enough in three updates
  }
  spec.validation = quiet.validation;
  spec.recording = quiet.recording;
  spec.checkpoint.everyUpdates = 1;
  spec.checkpoint.keepLast = 0;
  auto model = createModel(modelConfig(spec.model, kVocabulary, kVocabulary));
  model->initialise(spec.training.init, 1);
  std::map<std::string, torch::Tensor> averages;
  for (const auto& [name, value] : model->parameterBuffer()->named())
    averages[name] = value.detach().to(torch::kFloat64, false, /*copy=*/true);
  const fs::path run = bench.folder / "run";
  Trainer(spec, bench.parts(model, run)).run();
  const auto checkpoints = listCheckpoints(run);
  QCOMPARE(checkpoints.size(), std::size_t{3});
  for (const auto& checkpoint : checkpoints) {
    const SafetensorsFile parameters(checkpoint.folder / "model.safetensors"),
        saved(averageFolder(checkpoint.folder) / "model.safetensors");
    QCOMPARE(saved.tensors().size(), averages.size());
    for (auto& [name, average] : averages) {
      const auto value = tensorOf(parameters.at(name)).to(torch::kFloat64);
      average = kDecay * average + (1 - kDecay) * value;
      QVERIFY2(torch::allclose(tensorOf(saved.at(name)).to(torch::kFloat64), average, 1e-5, 1e-6),
               name.c_str());
    }
  }
  // The average lags behind: most parameters have moved on (a few hardly move in three updates).
  const SafetensorsFile last(checkpoints.back().folder / "model.safetensors");
  std::size_t behind = 0;
  for (const auto& [name, average] : averages)
    behind += !torch::allclose(average, tensorOf(last.at(name)).to(torch::kFloat64), 1e-4, 1e-6);
  QVERIFY2(behind > averages.size() / 2, qPrintable(QString::number(behind)));
}

// Keeping an average changes neither the parameters nor their scores.
void TestMovingAverage::theRunItselfStays() {
  const auto trained = [](double ema, Bench& bench) {
    auto spec = quietSpec();
    spec.training.maxUpdates = 12;
    spec.training.ema = ema;
    spec.validation.everyUpdates = 4;
    auto model = tinyModel();
    torch::manual_seed(5);
    Trainer(spec, bench.parts(model, bench.folder / "run")).run();
    return model;
  };
  Bench without, with;
  QVERIFY(sameParameters(*trained(0, without), *trained(0.9, with)));
  QCOMPARE(with.sink.series["valid/nll"], without.sink.series["valid/nll"]);
  QCOMPARE(with.sink.series["valid/ema-nll"].size(), std::size_t{3});
  QVERIFY(with.sink.series["valid/ema-nll"].back().second !=
          with.sink.series["valid/nll"].back().second);
  QVERIFY(!without.sink.series.contains("valid/ema-nll"));
  const auto last = findCheckpoint(without.folder / "run", "last", "valid/nll").folder;
  QVERIFY(holds(usageErrorOf([&] { averageFolder(last); }), "without training.ema"));
}

void TestMovingAverage::resumesBitForBit() {
  Bench bench;
  auto spec = quietSpec();
  spec.training.ema = 0.8;
  const auto train = [&](const std::string& run, std::int64_t updates, bool resume) {
    spec.training.maxUpdates = updates;
    torch::manual_seed(5);
    Trainer trainer(spec, bench.parts(tinyModel(), bench.folder / run));
    if (resume) trainer.resume(findCheckpoint(bench.folder / run, "last", "valid/nll").folder);
    trainer.run();
    return averageFolder(findCheckpoint(bench.folder / run, "last", "valid/nll").folder);
  };
  const auto whole = train("whole", 20, false);
  train("halves", 10, false);
  const auto halves = train("halves", 20, true);
  QVERIFY(readFile(whole / "model.safetensors") == readFile(halves / "model.safetensors"));
  // A damaged average is refused like any other file of the checkpoint.
  put(halves / "model.safetensors", "no tensors");
  QVERIFY(holds(damageOf(halves.parent_path()), "ema/model.safetensors is damaged"));
}

// What an older version wrote: the manifest says nothing of the average's format.
void TestMovingAverage::anAverageOfAnOlderVersionIsVoid() {
  Bench bench;
  const fs::path run = bench.folder / "run";
  auto spec = quietSpec();
  spec.training.ema = 0.75;
  spec.checkpoint.everyUpdates = 1;
  const auto trainTo = [&](std::int64_t updates, const fs::path& from) {
    spec.training.maxUpdates = updates;
    Trainer trainer(spec, bench.parts(tinyModel(), run));
    if (!from.empty()) trainer.resume(from);
    trainer.run();
    return findCheckpoint(run, "last", "valid/nll").folder;
  };
  const fs::path old = trainTo(3, {});
  QVERIFY(!averageIsInvalid(old));
  Json manifest = parseJson(readFile(old / "manifest.json"), "manifest.json");
  QCOMPARE(manifest.erase("average_format"), std::size_t{1});
  manifest.erase("digest");
  manifest["digest"] = digestOf(manifest.dump());
  put(old / "manifest.json", manifest.dump(2));
  QCOMPARE(damageOf(old), std::string());
  QVERIFY(averageIsInvalid(old));
  QHOLDS(errorOf([&] { averageFolder(old); }), "step-00000003 is invalid");

  std::ostringstream log;
  const auto before = spdlog::default_logger();
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log)));
  const fs::path newest = trainTo(5, old);
  spdlog::set_default_logger(before);
  QHOLDS(log.str(), "step-00000003 is invalid");
  // The average goes on from the weights of step 3: 0.75 (0.75 w3 + 0.25 w4) + 0.25 w5.
  const auto weights = [](const fs::path& folder) {
    const auto model = tinyModel();
    readParameters(folder, *model);
    return model->parameters().front().detach().clone();
  };
  const auto at = [&](const char* step) { return weights(run / "checkpoints" / step); };
  const auto expected =
      0.5625 * at("step-00000003") + 0.1875 * at("step-00000004") + 0.25 * at("step-00000005");
  QVERIFY(torch::allclose(weights(averageFolder(newest)), expected));
  QVERIFY(!torch::allclose(weights(averageFolder(newest)), at("step-00000005")));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestMovingAverage)
#include "test_moving_average.moc"
