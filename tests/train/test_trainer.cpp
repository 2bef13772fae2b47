#include "train/training_fixture.h"

#ifndef Q_MOC_RUN
#include <torch/nn/functional/loss.h>
#endif

#include "core/train/checkpoint.h"
#include "core/train/device.h"
#include "core/train/memory.h"
#include "models/catalogue.h"
#include "tests/program.h"

namespace strata {

using testing::Bench;
using testing::quietSpec;
using testing::sameParameters;
using testing::tinyModel;

namespace {

// The number of mappings of this process.
std::size_t mappings() {
  std::size_t lines = 0;
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  for (int c = std::fgetc(maps); c != EOF; c = std::fgetc(maps)) lines += c == '\n' ? 1 : 0;
  std::fclose(maps);
  return lines;
}

}  // namespace

class TestTrainer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    keepFreedMemory();
    setThreads(1);  // tiny tensors: a second thread costs more than it brings
    registerModels();
  }
  void lossFallsAndScalarsAreComplete();
  void resumeIsExact_data();
  void resumeIsExact();
  void accumulationEqualsOneLargeBatch();
  void gradientIsPerTargetToken();
  void recordingsAreWritten();
  void aCheckpointFollowsItsScalars();
  void learnsToReverse();
  void stepsMapNoMemory();
};

void TestTrainer::lossFallsAndScalarsAreComplete() {
  Bench bench;
  auto spec = quietSpec();
  spec.training.maxUpdates = 60;
  spec.training.clipNorm = 0.5;
  spec.validation.everyUpdates = 20;
  Trainer trainer(spec, bench.parts(tinyModel(), bench.folder / "run"));
  const auto end = trainer.run();
  QCOMPARE(end.outcome, RunOutcome::kFinished);
  QCOMPARE(end.step, 60);
  for (const char* name :
       {"train/nll", "train/loss", "train/perplexity", "train/token-error", "train/padding",
        "train/clipped", "train/tokens_per_second", "train/epoch", "train/tokens",
        "memory/resident_mib", "lr", "grad_norm/all", "grad_norm/source", "update_ratio/all",
        "update_ratio/output"}) {
    QVERIFY2(bench.sink.series[name].size() == 60, name);
  }
  const auto& nll = bench.sink.series["train/nll"];
  QVERIFY(nll.back().second < nll.front().second - 0.1);
  QCOMPARE(bench.sink.series["valid/nll"].size(), std::size_t{3});
  const auto& perplexity = bench.sink.series["valid/perplexity"].back();
  QVERIFY(std::abs(perplexity.second - std::exp(bench.sink.series["valid/nll"].back().second)) <
          1e-9);
  QCOMPARE(bench.sink.ends.size(), std::size_t{1});
}

void TestTrainer::resumeIsExact_data() {
  QTest::addColumn<bool>("transformer");
  QTest::newRow("libtorch's generator") << false;
  QTest::newRow("keyed masks, fusion in both stacks") << true;
}

void TestTrainer::resumeIsExact() {
  QFETCH(bool, transformer);
  Bench bench;
  const auto make = [&]() -> std::shared_ptr<TranslationModel> {
    if (!transformer) return tinyModel();
    auto model = createModel(testing::fusedTransformer(16));
    model->initialise("default", 1);
    return model;
  };
  auto spec = quietSpec();
  spec.training.dropout = 0.3;
  spec.training.accumulate = 2;
  spec.training.logEvery = 7;
  spec.criterion.labelSmoothing = 0.1;
  spec.validation.everyUpdates = 6;
  spec.training.phases.front().schedule = {.kind = ScheduleSpec::Kind::kInverseSqrt, .warmup = 8};
  spec.training.maxUpdates = 20;
  const auto whole = make();
  torch::manual_seed(5);
  Trainer(spec, bench.parts(whole, bench.folder / "whole")).run();
  const auto wholeSeries = std::exchange(bench.sink.series, {});

  spec.training.maxUpdates = 10;
  const auto interrupted = make();
  torch::manual_seed(5);
  Trainer(spec, bench.parts(interrupted, bench.folder / "halves")).run();
  spec.training.maxUpdates = 20;
  const auto resumed = make();
  torch::manual_seed(99);  // whatever a new process starts with
  Trainer second(spec, bench.parts(resumed, bench.folder / "halves"));
  second.resume(findCheckpoint(bench.folder / "halves", "last", "valid/nll").folder);
  QCOMPARE(second.state().step, 10);
  QCOMPARE(second.run().step, 20);

  QVERIFY(sameParameters(*whole, *resumed));
  QCOMPARE(bench.sink.series["train/nll"], wholeSeries.at("train/nll"));
  QCOMPARE(bench.sink.series["lr"], wholeSeries.at("lr"));
}

void TestTrainer::accumulationEqualsOneLargeBatch() {
  Bench bench;
  auto spec = quietSpec();
  spec.training.dropout = 0;
  spec.training.maxUpdates = 1;
  spec.training.phases.front().batch.size = 200;
  const auto large = tinyModel(), accumulated = tinyModel();
  Trainer(spec, bench.parts(large, bench.folder / "large")).run();
  spec.training.phases.front().batch.size = 8;
  spec.training.accumulate = 25;
  Trainer(spec, bench.parts(accumulated, bench.folder / "accumulated")).run();
  QCOMPARE(bench.sink.series["train/tokens"][0].second,
           bench.sink.series["train/tokens"][1].second);
  for (const auto& item : large->named_parameters()) {
    QVERIFY(torch::allclose(item.value(), accumulated->named_parameters()[item.key()], 1e-3, 1e-5));
  }
  const auto& norms = bench.sink.series["grad_norm/all"];
  QVERIFY(std::abs(norms[0].second - norms[1].second) < 1e-5 * norms[0].second);
}

void TestTrainer::gradientIsPerTargetToken() {
  // Plain descent by NAG without momentum: the first update is -lr * gradient of the mean loss a
  // token.
  Bench bench;
  auto spec = quietSpec();
  spec.training.dropout = 0;
  spec.training.maxUpdates = 1;
  spec.training.phases.front().batch.size = 200;
  spec.training.phases.front().optimizer = {};
  spec.training.phases.front().optimizer.kind = OptimizerSpec::Kind::kNag;
  spec.training.phases.front().optimizer.lr = 0.5;
  const auto trained = tinyModel(), reference = tinyModel();
  Trainer(spec, bench.parts(trained, bench.folder / "run")).run();
  // The same, one sentence at a time with libtorch's own loss.
  torch::Tensor sum = torch::zeros({});
  std::int64_t tokens = 0;
  for (std::int64_t pair = 0; pair < bench.train->pairs(); ++pair) {
    const auto ids = [&](CorpusSide side) {
      std::vector<std::int64_t> all(static_cast<std::size_t>(bench.train->length(side, pair)));
      bench.train->ids(side, pair).copyTo(all.data());
      return all;
    };
    auto source = ids(CorpusSide::kSource), out = ids(CorpusSide::kTarget), in = out;
    source.push_back(kEndId);
    out.push_back(kEndId);
    in.insert(in.begin(), kEndId);
    const auto memory = reference->encode(
        makeSourceBatch(torch::tensor(source).unsqueeze(0), torch::tensor({std::ssize(source)})),
        nullptr);
    const auto logits =
        reference->project(reference->decode(*memory, torch::tensor(in).unsqueeze(0), nullptr));
    sum = sum + torch::nn::functional::cross_entropy(
                    logits.squeeze(0), torch::tensor(out),
                    torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum));
    tokens += std::ssize(out);
  }
  (sum / tokens).backward();
  for (const auto& item : reference->named_parameters()) {
    const auto expected = item.value().detach() - 0.5 * item.value().grad();
    QVERIFY2(
        torch::allclose(trained->named_parameters()[item.key()].detach(), expected, 1e-4, 1e-6),
        item.key().c_str());
  }
}

void TestTrainer::recordingsAreWritten() {
  Bench bench;
  auto model = createModel(testing::fusedTransformer(16));
  model->initialise("default", 1);
  auto spec = quietSpec();
  spec.training.maxUpdates = 4;
  spec.validation.everyUpdates = 2;
  spec.recording.sentences = 3;
  spec.recording.names = {"decoder.fusion.hop_weights"};
  Trainer(spec, bench.parts(model, bench.folder / "run")).run();
  QCOMPARE(bench.sink.recordings.size(), std::size_t{2});
  const auto sentences = readRecordings(bench.folder / "run" / bench.sink.recordings.back().folder);
  QCOMPARE(sentences.size(), std::size_t{3});
  const auto& recording = sentences[1].recordings.front();
  QCOMPARE(recording.shape.front(), std::ssize(sentences[1].target));
  QCOMPARE(recording.shape.back(), 3);  // embedding and two layers
  for (std::size_t i = 0; i + 2 < recording.values.size(); i += 3) {
    QVERIFY(std::abs(recording.values[i] + recording.values[i + 1] + recording.values[i + 2] - 1) <
            1e-5F);
  }
}

// A process killed at any moment leaves no checkpoint without the scalars before it.
void TestTrainer::aCheckpointFollowsItsScalars() {
  struct DurableSink : testing::KeepingSink {
    void flush() override {
      const std::int64_t step = series.at("train/nll").back().first;
      durable.emplace_back(
          step, !listCheckpoints(folder).empty() && listCheckpoints(folder).back().step >= step);
      if (step == 15) throw Error("the disk is full");
    }
    fs::path folder;
    std::vector<std::pair<std::int64_t, bool>> durable;  // newest step, whether it was saved before
  };
  Bench bench;
  auto spec = quietSpec();
  spec.training.maxUpdates = 20;
  spec.checkpoint.everyUpdates = 5;
  DurableSink sink;
  sink.folder = bench.folder / "run";
  const TrainerParts quiet = bench.parts(tinyModel(), sink.folder);
  Trainer trainer(spec, {.model = quiet.model,
                         .train = quiet.train,
                         .sets = quiet.sets,
                         .text = quiet.text,
                         .runFolder = quiet.runFolder,
                         .device = quiet.device,
                         .sink = sink,
                         .control = bench.control});
  QVERIFY_EXCEPTION_THROWN(trainer.run(), Error);
  const std::vector<std::pair<std::int64_t, bool>> expected{{5, false}, {10, false}, {15, false}};
  QCOMPARE(sink.durable, expected);
  QCOMPARE(listCheckpoints(sink.folder).back().step, 10);
}

void TestTrainer::learnsToReverse() {
  Bench bench;
  auto model = createModel(testing::fusedTransformer(16));
  model->initialise("default", 1);
  auto spec = quietSpec();
  spec.training.dropout = 0;
  spec.training.logEvery = 50;
  spec.training.maxUpdates = 600;
  spec.training.phases.front().batch.size = 40;
  spec.training.phases.front().schedule = {.kind = ScheduleSpec::Kind::kInverseSqrt, .warmup = 100};
  spec.validation.everyUpdates = 600;
  spec.validation.metrics = {"nll", "token-error"};
  Trainer(spec, bench.parts(model, bench.folder / "run")).run();
  QVERIFY2(bench.sink.series["train/token-error"].back().second < 0.1,
           qPrintable(QString::number(bench.sink.series["train/token-error"].back().second)));
}

void TestTrainer::stepsMapNoMemory() {
#ifdef __SANITIZE_ADDRESS__
  return;  // the sanitizer maps memory of its own
#endif
  // The trainer asks its control between steps: that is where mappings are counted.
  class Counter : public TrainControl {
   public:
    TrainCommand poll() override {
      counts.push_back(mappings());
      residents.push_back(memoryUse().resident);
      return TrainCommand::kNone;
    }
    std::vector<std::size_t> counts;
    std::vector<std::int64_t> residents;
  } counter;
  counter.counts.reserve(512);
  counter.residents.reserve(512);
  Bench bench;
  auto model = createModel(testing::fusedTransformer(16));
  model->initialise("default", 1);
  auto spec = quietSpec();
  spec.training.maxUpdates = 300;
  auto parts = bench.parts(model, bench.folder / "run");
  Trainer trainer(spec, TrainerParts{.model = parts.model,
                                     .train = parts.train,
                                     .sets = {},
                                     .text = parts.text,
                                     .runFolder = parts.runFolder,
                                     .device = torch::kCPU,
                                     .sink = bench.sink,
                                     .control = counter});
  trainer.run();
  for (std::size_t i = 51; i < counter.counts.size(); ++i)
    QCOMPARE(counter.counts[i], counter.counts[50]);
  QVERIFY(static_cast<double>(counter.residents.back()) <
          1.01 * static_cast<double>(counter.residents[200]));
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestTrainer)
#include "test_trainer.moc"
