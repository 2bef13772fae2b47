// Processes that train one model together, here as threads with models and connections of their
// own, against one trainer that does everything alone.
#include "tests/distributed/processes.h"
#include "train/training_fixture.h"

#include "core/train/device.h"
#include "core/train/gradient_reducer.h"
#include "models/catalogue.h"
#include "tests/program.h"

namespace strata {

using namespace strata::testing;

namespace {

std::shared_ptr<TranslationModel> transformer() {
  auto model = createModel(fusedTransformer(16), {});
  model->initialise("default", 1);
  return model;
}

ExperimentSpec specOf(std::int64_t accumulate, std::int64_t updates) {
  ExperimentSpec spec = quietSpec();
  spec.training.accumulate = accumulate;
  spec.training.maxUpdates = updates;
  spec.training.phases[0].optimizer.lr = 0.003;
  spec.training.clipNorm = 1;
  spec.validation.everyEpochs = 1;
  spec.validation.metrics.push_back("multi-bleu");
  return spec;
}

// The events of the first process, and the parameters of all.
struct Outcome {
  KeepingSink sink;
  std::vector<std::shared_ptr<TranslationModel>> models;
  std::vector<std::string> errors;
};

void trainTogether(Bench& bench, int size, const ExperimentSpec& spec, const fs::path& run,
                   const fs::path& from, Outcome& outcome) {
  for (int rank = 0; rank < size; ++rank) outcome.models.push_back(transformer());
  outcome.errors = together(size, [&](ProcessGroup& group) {
    const auto rank = static_cast<std::size_t>(group.rank());
    KeepingSink unused;
    TrainerParts parts = bench.parts(outcome.models[rank], run);
    Trainer trainer(spec, {.model = parts.model,
                           .train = parts.train,
                           .sets = parts.sets,
                           .text = parts.text,
                           .runFolder = group.isFirst() ? run : fs::path(),
                           .device = torch::kCPU,
                           .sink = group.isFirst() ? outcome.sink : unused,
                           .control = bench.control,
                           .group = &group});
    if (!from.empty() && group.isFirst()) trainer.resume(from);
    trainer.run();
  });
}

double lastOf(const KeepingSink& sink, const std::string& series) {
  return sink.series.at(series).back().second;
}

}  // namespace

class TestTogether : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    setThreads(1);
    registerModels();
  }
  void twoAreOneBitForBit();
  void severalAreOneUpToTheOrderOfAdditions();
  void theNumberMayChangeOnResuming();
  void bucketsCoverTheBuffer();
  void parametersThatDriftApartAreNoticed();
};

void TestTogether::twoAreOneBitForBit() {
  Bench bench;
  bench.sink.series.clear();
  auto alone = transformer();
  Trainer(specOf(2, 40), bench.parts(alone, bench.folder / "alone")).run();
  Outcome two;
  trainTogether(bench, 2, specOf(1, 40), bench.folder / "two", {}, two);
  QCOMPARE(two.errors, std::vector<std::string>(2));
  for (const auto& model : two.models) QVERIFY(sameParameters(*model, *alone));
  // Two and a half epochs of 25 batches: an update at the end of an epoch has one batch.
  for (const char* series : {"train/nll", "train/token-error", "grad_norm/all", "train/epoch",
                             "train/tokens", "valid/nll", "valid/multi-bleu"})
    QVERIFY2(two.sink.series[series] == bench.sink.series[series], series);
  QVERIFY(bench.sink.series["valid/nll"].size() >= 2);
}

void TestTogether::severalAreOneUpToTheOrderOfAdditions() {
  for (const int size : {2, 3, 4}) {
    Bench bench;
    auto alone = transformer();
    Trainer(specOf(12, 50), bench.parts(alone, bench.folder / "alone")).run();
    Outcome several;
    trainTogether(bench, size, specOf(12 / size, 50), bench.folder / "several", {}, several);
    QCOMPARE(several.errors, std::vector<std::string>(static_cast<std::size_t>(size)));
    for (const auto& model : several.models)
      QVERIFY(sameParameters(*model, *several.models.front()));
    const double first = bench.sink.series["grad_norm/all"].front().second;
    const double their = several.sink.series["grad_norm/all"].front().second;
    QVERIFY2(std::abs(first - their) <= 1e-6 * first, qPrintable(QString::number(their - first)));
    QVERIFY(several.sink.series["train/nll"].size() == 50);
    QVERIFY(std::abs(lastOf(bench.sink, "train/nll") - lastOf(several.sink, "train/nll")) <= 1e-4);
    QCOMPARE(lastOf(several.sink, "train/tokens"), lastOf(bench.sink, "train/tokens"));
  }
}

void TestTogether::theNumberMayChangeOnResuming() {
  Bench bench;
  Outcome whole;
  trainTogether(bench, 2, specOf(1, 20), bench.folder / "whole", {}, whole);
  const fs::path run = bench.folder / "parts";
  fs::path from;
  Outcome parts[3];
  for (const auto& [i, size, until] :
       {std::tuple(0, 2, 7), std::tuple(1, 1, 13), std::tuple(2, 4, 20)}) {
    trainTogether(bench, size, specOf(1, until), run, from, parts[i]);
    QCOMPARE(parts[i].errors, std::vector<std::string>(static_cast<std::size_t>(size)));
    from = lastGoodCheckpoint(run).folder;
  }
  for (const auto& model : parts[2].models) QVERIFY(sameParameters(*model, *whole.models.front()));
  QCOMPARE(readTrainingState(from).processes, std::int64_t{2});
}

// Whatever the size of the buckets: each element of the buffer is summed once, and a process
// without a batch takes part.
void TestTogether::bucketsCoverTheBuffer() {
  for (const std::int64_t bytes : {1, 5000, 1 << 30}) {
    std::vector<torch::Tensor> sums(2);
    QCOMPARE(together(2,
                      [&](ProcessGroup& group) {
                        const auto model = transformer();
                        GradientBuffer gradients(model->parameterBuffer());
                        GradientReducer reducer(group, *model->parameterBuffer(), gradients, bytes);
                        if (group.isFirst()) {
                          reducer.begin();
                          torch::Tensor loss = torch::zeros({});
                          for (const auto& [name, value] : model->parameterBuffer()->named())
                            loss = loss + 3 * value.sum();
                          loss.backward();
                        }
                        reducer.finish();
                        const auto rank = static_cast<std::size_t>(group.rank());
                        sums[rank] = torch::cat([&] {
                          std::vector<torch::Tensor> flat;
                          for (const auto& part : gradients.parts()) flat.push_back(part.flatten());
                          return flat;
                        }());
                        if (bytes == 1 && reducer.buckets() < 20) throw Error("too few buckets");
                        if (bytes == 1 << 30 && reducer.buckets() != 1)
                          throw Error("several buckets");
                      }),
             std::vector<std::string>(2));
    for (const auto& sum : sums) QVERIFY(torch::equal(sum, torch::full_like(sum, 3)));
  }
}

// A memory fault in one process, at step 99.
void TestTogether::parametersThatDriftApartAreNoticed() {
  class Fault : public TrainControl {
   public:
    explicit Fault(TranslationModel& model) : model_(model) {}
    TrainCommand poll() override {
      if (++polls_ == 99) {
        const torch::NoGradGuard frozen;
        torch::Tensor(model_.parameterBuffer()->values()).add_(1e-3);
      }
      return TrainCommand::kNone;
    }

   private:
    TranslationModel& model_;
    int polls_ = 0;
  };
  Bench bench;
  ExperimentSpec spec = specOf(1, 150);
  spec.validation.everyEpochs = 0;
  const auto errors = together(2, [&](ProcessGroup& group) {
    const auto model = transformer();
    KeepingSink sink;
    Fault fault(*model);
    TrainerParts parts = bench.parts(model, bench.folder / fmt::format("{}", group.rank()));
    TrainControl& control = group.rank() == 1 ? fault : bench.control;
    Trainer(spec, {.model = model,
                   .train = parts.train,
                   .sets = parts.sets,
                   .text = parts.text,
                   .runFolder = parts.runFolder,
                   .device = torch::kCPU,
                   .sink = sink,
                   .control = control,
                   .group = &group})
        .run();
  });
  for (const auto& error : errors) {
    QVERIFY2(
        error.starts_with("After step 100 the parameters of rank 1 differ from those of rank 0"),
        error.c_str());
  }
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestTogether)
#include "test_together.moc"
