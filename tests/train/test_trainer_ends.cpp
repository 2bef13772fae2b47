// The ways in which a run ends, and the files that it leaves.
#include "core/base/error.h"
#include "core/train/checkpoint.h"
#include "core/train/device.h"
#include "tests/program.h"
#include "train/training_fixture.h"

namespace strata {

using testing::Bench;
using testing::quietSpec;
using testing::tinyModel;

namespace {

// Orders one thing after a number of polls.
class OrderAfter : public TrainControl {
 public:
  OrderAfter(TrainCommand command, int polls) : command_(command), polls_(polls) {}
  TrainCommand poll() override { return polls_-- == 0 ? command_ : TrainCommand::kNone; }
  void done(TrainCommand command, const std::string& outcome) override {
    doneCommand = command;
    doneOutcome = outcome;
  }
  TrainCommand doneCommand = TrainCommand::kNone;
  std::string doneOutcome;

 private:
  TrainCommand command_;
  int polls_;
};

}  // namespace

class TestTrainerEnds : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { setThreads(1); }
  void stopSavesAndSaysSo();
  void limitsEndTheRun();
  void phasesRestartTheMoments();
  void earlyStoppingCountsValidations();
  void plateauShrinksTheRate();
  void notFinite_data();
  void notFinite();
  void aStopAtTheEndOfAnEpochResumes();
  void gradientsBeforeAFaultAreKept();
  void bestAndLastAreKept();
  void theLastCheckpointHasScores();
};

void TestTrainerEnds::stopSavesAndSaysSo() {
  Bench bench;
  OrderAfter control(TrainCommand::kStop, 7);
  auto parts = bench.parts(tinyModel(), bench.folder / "run");
  Trainer trainer(quietSpec(), TrainerParts{.model = parts.model,
                                            .train = parts.train,
                                            .sets = {},
                                            .text = parts.text,
                                            .runFolder = parts.runFolder,
                                            .device = torch::kCPU,
                                            .sink = bench.sink,
                                            .control = control});
  const auto end = trainer.run();
  QCOMPARE(end.outcome, RunOutcome::kStopped);
  QCOMPARE(end.step, 7);
  QCOMPARE(control.doneOutcome, std::string("saved at step 7"));
  QCOMPARE(listCheckpoints(bench.folder / "run").back().step, 7);
}

void TestTrainerEnds::limitsEndTheRun() {
  Bench bench;
  auto spec = quietSpec();
  spec.training.maxEpochs = 2;
  Trainer epochs(spec, bench.parts(tinyModel(), bench.folder / "epochs"));
  QCOMPARE(epochs.run().step, 2 * 25);  // 200 pairs, 8 a batch
  spec.training.maxEpochs = 0;
  spec.training.stopAfterTokens = 300;
  Trainer tokens(spec, bench.parts(tinyModel(), bench.folder / "tokens"));
  tokens.run();
  QVERIFY(tokens.state().tokens >= 300);
  QVERIFY(tokens.state().tokens < 300 + 8 * 9);
  spec.training.stopAfterTokens = 0;
  spec.training.minLr = 0.002;
  spec.training.phases.front().schedule = {.kind = ScheduleSpec::Kind::kInverseSqrt, .warmup = 4};
  Trainer rate(spec, bench.parts(tinyModel(), bench.folder / "rate"));
  QCOMPARE(rate.run().step, 100);  // 0.01 * sqrt(4 / t) < 0.002 from t = 101 on
}

void TestTrainerEnds::phasesRestartTheMoments() {
  Bench bench;
  auto spec = quietSpec();
  PhaseSpec second = spec.training.phases.front();
  spec.training.phases.front().epochs = 1;
  second.epochs = 1;
  second.restart = true;
  second.optimizer.lr = 5e-5;
  second.batch.size = 20;
  spec.training.phases.push_back(second);
  Trainer trainer(spec, bench.parts(tinyModel(), bench.folder / "run"));
  QCOMPARE(trainer.run().step, 25 + 10);
  const auto& lr = bench.sink.series["lr"];
  QCOMPARE(lr[24].second, 0.01);
  QCOMPARE(lr[25].second, 5e-5);
  // After fresh moments Adam's first update moves every weight that has a gradient by the rate
  // itself.
  const double step = bench.sink.series["update_ratio/all"][25].second,
               before = bench.sink.series["update_ratio/all"][24].second;
  QVERIFY(step < before / 50);
}

void TestTrainerEnds::earlyStoppingCountsValidations() {
  Bench bench;
  auto spec = quietSpec();
  spec.training.phases.front().optimizer.lr = 0;  // nothing improves
  spec.validation.everyUpdates = 5;
  spec.earlyStopping = {.metric = "valid/nll", .patience = 3, .minDelta = 0};
  Trainer trainer(spec, bench.parts(tinyModel(), bench.folder / "run"));
  const auto end = trainer.run();
  QCOMPARE(end.step, 5 * 4);
  QVERIFY(
      QString::fromStdString(end.message).contains("valid/nll has not improved for 3 validations"));
}

void TestTrainerEnds::plateauShrinksTheRate() {
  Bench bench;
  auto spec = quietSpec();
  spec.training.phases.front().optimizer.lr = 1e-12;
  spec.training.phases.front().schedule.kind = ScheduleSpec::Kind::kPlateau;
  spec.training.phases.front().schedule.shrink = 10;
  spec.training.maxEpochs = 3;
  spec.validation.everyEpochs = 1;
  spec.earlyStopping = {};
  auto model = tinyModel();
  {
    const torch::NoGradGuard noGrad;
    for (auto& parameter : model->parameters())
      parameter.zero_();  // so that no epoch changes the loss
  }
  Trainer(spec, bench.parts(model, bench.folder / "run")).run();
  const auto& lr = bench.sink.series["lr"];
  QCOMPARE(lr[24].second, 1e-12);
  QCOMPARE(lr[25].second, 1e-12);  // the first value is only stored
  QVERIFY(std::abs(lr[50].second - 1e-13) < 1e-20);
}

void TestTrainerEnds::notFinite_data() {
  QTest::addColumn<int>("policy");
  QTest::newRow("stop") << static_cast<int>(TrainingSpec::Nonfinite::kStop);
  QTest::newRow("skip") << static_cast<int>(TrainingSpec::Nonfinite::kSkip);
  QTest::newRow("rollback") << static_cast<int>(TrainingSpec::Nonfinite::kRollback);
}

void TestTrainerEnds::notFinite() {
  QFETCH(int, policy);
  Bench bench;
  auto spec = quietSpec();
  spec.training.maxUpdates = 12;
  spec.training.onNonfinite = static_cast<TrainingSpec::Nonfinite>(policy);
  const auto model = tinyModel();
  model->poisonAt = 5;  // the sixth update
  Trainer trainer(spec, bench.parts(model, bench.folder / "run"));
  if (spec.training.onNonfinite == TrainingSpec::Nonfinite::kStop) {
    QString message;
    try {
      trainer.run();
    } catch (const Error& error) {
      message = error.what();
    }
    QVERIFY2(message.contains("step 6"), qPrintable(message));
    QVERIFY2(message.contains("sentences are"), qPrintable(message));
    QCOMPARE(bench.sink.ends.back().outcome, RunOutcome::kFailed);
    QCOMPARE(listCheckpoints(bench.folder / "run").back().step, 5);
  } else {
    QCOMPARE(trainer.run().step, 12);
    QCOMPARE(bench.sink.series["train/nll"].size(), std::size_t{11});  // step 6 adds nothing
    QCOMPARE(trainer.state().rollbacks,
             spec.training.onNonfinite == TrainingSpec::Nonfinite::kRollback ? 1 : 0);
  }
  for (const auto& parameter : model->parameters())
    QVERIFY(torch::isfinite(parameter).all().item<bool>());
}

// The refused update has taken the last batch of its epoch: the resumed run begins the next one.
void TestTrainerEnds::aStopAtTheEndOfAnEpochResumes() {
  Bench bench;
  auto spec = quietSpec();
  spec.training.maxUpdates = 40;
  const auto model = tinyModel();
  model->poisonAt = 24;  // 200 pairs, 8 a batch
  QVERIFY_THROWS_EXCEPTION(Error, Trainer(spec, bench.parts(model, bench.folder / "run")).run());
  Trainer resumed(spec, bench.parts(tinyModel(), bench.folder / "run"));
  resumed.resume(findCheckpoint(bench.folder / "run", "last", "valid/nll").folder);
  QCOMPARE(resumed.state().step, 24);
  QCOMPARE(resumed.state().epoch, 1);
  QCOMPARE(resumed.run().step, 40);
  QCOMPARE(resumed.state().position, (BatchPosition{.epoch = 1, .batch = 16}));
}

// Scalars are written every 100 steps, but if step 130 fails, the norms of steps 31 to 130 are
// written. The expected values come from a run that writes every step.
void TestTrainerEnds::gradientsBeforeAFaultAreKept() {
  Bench sparse, dense;
  auto spec = quietSpec();
  spec.training.maxUpdates = 129;
  Trainer(spec, dense.parts(tinyModel(), dense.folder / "run")).run();
  spec.training.maxUpdates = 200;
  spec.training.logEvery = 100;
  const auto model = tinyModel();
  model->poisonAt = 129;
  Trainer failing(spec, sparse.parts(model, sparse.folder / "run"));
  QVERIFY_THROWS_EXCEPTION(Error, failing.run());
  for (const auto& [name, every] : dense.sink.series) {
    if (!name.starts_with("grad_norm/")) continue;
    auto kept = sparse.sink.series.at(name);
    QCOMPARE(kept.size(), std::size_t{101});
    QCOMPARE(kept.front().first, 100);
    kept.erase(kept.begin());
    QCOMPARE(kept.back().first, 130);
    QVERIFY(name != "grad_norm/all" || !std::isfinite(kept.back().second));
    kept.pop_back();
    QVERIFY(std::equal(kept.begin(), kept.end(), every.begin() + 30, every.end()));
  }
}

void TestTrainerEnds::bestAndLastAreKept() {
  Bench bench;
  auto spec = quietSpec();
  spec.training.maxUpdates = 50;
  spec.validation.everyUpdates = 10;
  spec.checkpoint.everyUpdates = 10;
  spec.checkpoint.keepLast = 2;
  spec.checkpoint.keepBest = 1;
  spec.checkpoint.metric = "valid/nll";
  spec.training.phases.front().optimizer.lr = 0.5;  // too large: the best comes early
  Trainer(spec, bench.parts(tinyModel(), bench.folder / "run")).run();
  const auto& nll = bench.sink.series["valid/nll"];
  const auto best = std::min_element(nll.begin(), nll.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  QCOMPARE(findCheckpoint(bench.folder / "run", "best", "valid/nll").step, best->first);
  std::vector<std::int64_t> steps;
  for (const auto& info : listCheckpoints(bench.folder / "run")) steps.push_back(info.step);
  QVERIFY(steps.size() <= 3);
  QCOMPARE(steps.back(), 50);
  QCOMPARE(findCheckpoint(bench.folder / "run", "40", "valid/nll").step, 40);
}

// That of step 6 is first written before the run knows that it is the last.
void TestTrainerEnds::theLastCheckpointHasScores() {
  Bench bench;
  auto spec = quietSpec();
  spec.training.maxUpdates = 6;
  spec.checkpoint.everyUpdates = 3;
  Trainer trainer(spec, bench.parts(tinyModel(), bench.folder / "run"));
  QCOMPARE(trainer.run().outcome, RunOutcome::kFinished);
  const auto best = findCheckpoint(bench.folder / "run", "best", "valid/nll");
  QCOMPARE(best.step, 6);
  QCOMPARE(best.scores.at("valid/nll"), bench.sink.series["valid/nll"].back().second);
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestTrainerEnds)
#include "test_trainer_ends.moc"
