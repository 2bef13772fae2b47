#include "train/training_fixture.h"

#include <numeric>

#include "core/nn/recorder.h"
#include "core/train/device.h"
#include "core/train/histogram_recorder.h"
#include "models/catalogue.h"
#include "tests/program.h"

namespace strata {

using namespace testing;

class TestHistogramRecorder : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    setThreads(1);
    registerModels();
  }
  void valuesAreCountedInTheirBins();
  void trainingIsTheSameWithThem_data();
  void trainingIsTheSameWithThem();
  void eachLayerIsCountedWhole();
  void paddingIsNotCounted();
  void valuesThatAreNotFiniteAreSeen();
};

namespace {

std::int64_t totalOf(const ValueHistogram& values) {
  return std::accumulate(values.counts.begin(), values.counts.end(), std::int64_t{0});
}

// One value at a time.
ValueHistogram countedOf(const torch::Tensor& values) {
  ValueHistogram counted;
  const torch::Tensor flat = values.detach().contiguous();
  for (std::int64_t i = 0; i < flat.numel(); ++i)
    ++counted.counts[static_cast<std::size_t>(histogramBinOf(flat.data_ptr<float>()[i]))];
  return counted;
}

std::map<std::string, ValueHistogram> layersOf(const HistogramEvent& event, HistogramKind kind) {
  std::map<std::string, ValueHistogram> layers;
  for (const LayerHistogram& layer : event.layers) {
    if (layer.kind == kind) layers[layer.layer].add(layer.values);
  }
  return layers;
}

std::shared_ptr<TranslationModel> fusedModel() {
  auto model = createModel(fusedTransformer(16));
  model->initialise("default", 1);
  return model;
}

// A fused model after so many updates, a histogram at every `every`-th of them.
std::shared_ptr<TranslationModel> trainedIn(Bench& bench, std::int64_t updates,
                                            std::int64_t every) {
  auto spec = quietSpec();
  spec.training.maxUpdates = updates;
  spec.recording.histogramEvery = every;
  auto model = fusedModel();
  Trainer(spec, bench.parts(model, bench.folder / "run")).run();
  return model;
}

}  // namespace

void TestHistogramRecorder::valuesAreCountedInTheirBins() {
  torch::manual_seed(3);
  const torch::Tensor sizes = torch::randn({1500, 1000}) * 12;  // more than are counted at once
  torch::Tensor values = torch::randn({1500, 1000}) * torch::exp2(sizes);
  values.masked_fill_(values == 0, 1);
  values[0] = 0;
  values[1] = -0.0;
  values[2].narrow(0, 0, 7) = NAN;
  values[3].narrow(0, 0, 5) = INFINITY;
  values[4].narrow(0, 0, 3) = -INFINITY;
  for (int i = 0; i < kMagnitudeBounds; ++i)
    values[5][i] = (i % 2 ? 1 : -1) * magnitudeBounds()[static_cast<std::size_t>(i)];
  const auto bounds = HistogramRecorder::boundsOn(torch::kCPU);
  const torch::Tensor counts = countValues(values, bounds);
  const ValueHistogram expected = countedOf(values);
  for (int bin = 0; bin < kHistogramBins; ++bin)
    QCOMPARE(counts[bin].item<std::int64_t>(), expected.counts[static_cast<std::size_t>(bin)]);
  QCOMPARE(expected.counts[kZeroBin], 2000);
  QCOMPARE(expected.counts[kNonFiniteBin], 15);
  const torch::Tensor skip = torch::arange(1500).unsqueeze(1) < 10;
  QCOMPARE(countValues(values, bounds, skip).sum().item<std::int64_t>(), 1490 * 1000);
}

void TestHistogramRecorder::trainingIsTheSameWithThem_data() {
  QTest::addColumn<bool>("transformer");
  QTest::newRow("libtorch's generator") << false;
  QTest::newRow("keyed masks, fusion in both stacks") << true;
}

// Bit for bit, also if the run is resumed between two histograms.
void TestHistogramRecorder::trainingIsTheSameWithThem() {
  QFETCH(bool, transformer);
  Bench bench;
  auto spec = quietSpec();
  spec.training.dropout = 0.3;
  spec.training.logEvery = 7;
  spec.validation.everyUpdates = 6;
  const auto make = [&]() -> std::shared_ptr<TranslationModel> {
    return transformer ? fusedModel() : tinyModel();
  };
  const auto train = [&](const std::string& name, std::int64_t updates, std::int64_t every) {
    const auto model = make();
    spec.training.maxUpdates = updates;
    spec.recording.histogramEvery = every;
    Trainer trainer(spec, bench.parts(model, bench.folder / name));
    const bool resumes = !listCheckpoints(bench.folder / name).empty();
    torch::manual_seed(resumes ? 99 : 5);
    if (resumes) trainer.resume(findCheckpoint(bench.folder / name, "last", "valid/nll").folder);
    trainer.run();
    return model;
  };
  const auto plain = train("plain", 20, 0);
  const auto plainSeries = std::exchange(bench.sink.series, {});
  QVERIFY(bench.sink.counted.empty());
  const auto counted = train("counted", 20, 4);
  QVERIFY(sameParameters(*plain, *counted));
  QCOMPARE(bench.sink.series["train/nll"], plainSeries.at("train/nll"));
  QCOMPARE(bench.sink.series["valid/nll"], plainSeries.at("valid/nll"));
  const auto whole = std::exchange(bench.sink.counted, {});
  train("halves", 10, 4);
  QVERIFY(sameParameters(*plain, *train("halves", 20, 4)));
  QCOMPARE(whole.size(), std::size_t{5});
  QCOMPARE(bench.sink.counted.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    QCOMPARE(whole[i].step, std::int64_t(4 * (i + 1)));
    QCOMPARE(bench.sink.counted[i].step, whole[i].step);
    for (const HistogramKind kind : kHistogramKinds)
      QVERIFY(layersOf(bench.sink.counted[i], kind) == layersOf(whole[i], kind));
  }
}

void TestHistogramRecorder::eachLayerIsCountedWhole() {
  Bench bench;
  const auto model = trainedIn(bench, 6, 3);
  QCOMPARE(bench.sink.counted.size(), std::size_t{2});
  const HistogramEvent& last = bench.sink.counted.back();
  std::map<std::string, ValueHistogram> expected;
  for (const auto& item : model->named_parameters())
    expected[layerOf(item.key())].add(countedOf(item.value()));
  const auto weights = layersOf(last, HistogramKind::kWeights);
  QVERIFY(weights == expected);
  const auto gradients = layersOf(last, HistogramKind::kGradients);
  for (const auto& [layer, values] : weights) {
    QVERIFY2(bench.sink.series.contains("grad_norm/" + layer), layer.c_str());
    QCOMPARE(totalOf(gradients.at(layer)), totalOf(values));
    // Above 0 only if there is a gradient, and its square is at least as large as any one value's.
    const double norm = bench.sink.series.at("grad_norm/" + layer).back().second;
    for (int bin = kZeroBin + 1; bin < kOrderedBins; ++bin) {
      if (gradients.at(layer).counts[static_cast<std::size_t>(bin)] > 0)
        QVERIFY(lowerBound(bin) <= norm);
    }
  }
  const auto outputs = layersOf(last, HistogramKind::kActivations);
  QCOMPARE(outputs.size(), std::size_t{8});  // both sides: embedding, two layers, fusion
  for (const char* layer : {"encoder.embed_tokens", "encoder.layers.1", "decoder.fusion"})
    QVERIFY(outputs.contains(layer));
}

void TestHistogramRecorder::paddingIsNotCounted() {
  Bench bench;
  const auto model = trainedIn(bench, 1, 1);
  ValueHistogram expected;
  std::int64_t positions = 0;
  model->eval();
  for (std::int64_t pair = 0; pair < std::int64_t(HistogramRecorder::kSentences); ++pair) {
    Batch batch;
    fillBatch(*bench.valid, std::vector<std::int64_t>{pair}, batch);
    const BatchTensors tensors = tensorsOf(batch, torch::kCPU);
    Recorder recorder({"encoder.levels.2"});
    const torch::NoGradGuard noGrad;
    model->encode(tensors.source, &recorder);
    expected.add(countedOf(recorder.tensors().front().values));
    positions += batch.source.tokens();
  }
  const auto outputs = layersOf(bench.sink.counted.back(), HistogramKind::kActivations);
  const ValueHistogram& found = outputs.at("encoder.layers.1");
  QCOMPARE(totalOf(found), positions * 16);
  // Sentences in a batch are rounded otherwise: a value may be in the next bin.
  std::int64_t moved = 0;
  for (std::size_t bin = 0; bin < found.counts.size(); ++bin)
    moved += std::abs(found.counts[bin] - expected.counts[bin]);
  QVERIFY2(moved <= 4, std::to_string(moved).c_str());
}

void TestHistogramRecorder::valuesThatAreNotFiniteAreSeen() {
  Bench bench;
  auto spec = quietSpec();
  spec.training.maxUpdates = 6;
  spec.training.onNonfinite = TrainingSpec::Nonfinite::kSkip;
  spec.recording.histogramEvery = 1;
  const auto model = tinyModel();
  model->poisonAt = 2 * 2;  // of the passes: each update has one, and one for the outputs
  Trainer(spec, bench.parts(model, bench.folder / "run")).run();
  std::map<std::int64_t, std::int64_t> broken;
  for (const HistogramEvent& event : bench.sink.counted) {
    for (const auto& [layer, values] : layersOf(event, HistogramKind::kGradients))
      broken[event.step] += values.counts[kNonFiniteBin];
    for (const auto& [layer, values] : layersOf(event, HistogramKind::kWeights))
      QCOMPARE(values.counts[kNonFiniteBin], 0);
  }
  for (const auto& [step, count] : broken) QCOMPARE(count > 0, step == 3);
  QCOMPARE(broken.size(), std::size_t{6});
  // A run that ends there has kept what broke it.
  bench.sink.counted.clear();
  spec.training.onNonfinite = TrainingSpec::Nonfinite::kStop;
  const auto stopped = tinyModel();
  stopped->poisonAt = 2 * 2;
  QVERIFY_EXCEPTION_THROWN(Trainer(spec, bench.parts(stopped, bench.folder / "stop")).run(), Error);
  QCOMPARE(bench.sink.counted.back().step, 3);
  QVERIFY(layersOf(bench.sink.counted.back(), HistogramKind::kGradients)
              .at("output")
              .counts[kNonFiniteBin] > 0);
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestHistogramRecorder)
#include "test_histogram_recorder.moc"
