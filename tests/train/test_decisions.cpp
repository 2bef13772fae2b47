// What is decided between two updates, without a model: limits, what is due, early stopping, and
// the time that limits and speeds count.
#include <QtTest>
#ifndef Q_MOC_RUN
#include <torch/types.h>
#endif

#include "core/base/error.h"
#include "core/train/checkpoint_saver.h"
#include "core/train/decisions.h"
#include "core/train/training_clock.h"
#include "tests/program.h"
#include "train/training_fixture.h"

namespace strata {

using testing::quietSpec;
using namespace std::chrono_literals;

namespace {

std::string limitOf(const ExperimentSpec& spec, const TrainingState& state) {
  return limitReached(spec, Schedule(phaseOf(spec.training, state).schedule), state);
}

void observe(const ExperimentSpec& spec, TrainingState& state) {
  observeScores(spec, Schedule(phaseOf(spec.training, state).schedule), state);
}

}  // namespace

class TestDecisions : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aLimitEndsTheRunWhenReached_data();
  void aLimitEndsTheRunWhenReached();
  void aLowRateEndsTheRunButNotDuringWarmUp();
  void onlyTheLastPhaseEndsTheRun();
  void validationFollowsUpdatesAndEpochs();
  void earlyStoppingWaitsForAnImprovement();
  void watchedSeriesMustExist();
  void aPlateauCountsEpochs();
  void checkpointsFollowUpdatesEpochsAndMinutes();
  void theBestScoresAreSaved();
  void pausesCountForTheTimeOnly();
};

void TestDecisions::aLimitEndsTheRunWhenReached_data() {
  QTest::addColumn<QString>("limit");
  for (const char* limit : {"max_updates", "max_epochs", "stop_after_tokens", "max_hours"})
    QTest::newRow(limit) << limit;
}

void TestDecisions::aLimitEndsTheRunWhenReached() {
  QFETCH(QString, limit);
  ExperimentSpec spec = quietSpec();
  TrainingState state;
  state.step = state.epoch = state.tokens = 4;
  state.seconds = 4 * 3600;
  const auto set = [&](int value) {
    if (limit == "max_updates") spec.training.maxUpdates = value;
    if (limit == "max_epochs") spec.training.maxEpochs = value;
    if (limit == "stop_after_tokens") spec.training.stopAfterTokens = value;
    if (limit == "max_hours") spec.training.maxHours = value;
  };
  QCOMPARE(limitOf(spec, state), std::string());
  set(5);
  QCOMPARE(limitOf(spec, state), std::string());
  set(4);
  QCOMPARE(limitOf(spec, state), "training." + limit.toStdString() + " (4) reached");
}

void TestDecisions::aLowRateEndsTheRunButNotDuringWarmUp() {
  ExperimentSpec spec = quietSpec();  // a rate of 0.01
  TrainingState state;
  spec.training.minLr = 0.02;
  QVERIFY(!limitOf(spec, state).empty());
  spec.training.minLr = 0.01;
  QVERIFY(limitOf(spec, state).empty());
  spec.training.minLr = 0.008;
  spec.training.phases.front().schedule = {.kind = ScheduleSpec::Kind::kInverseSqrt, .warmup = 100};
  QVERIFY(limitOf(spec, state).empty());  // the first update has a rate of 0.0001
  state.phaseStep = 150;                  // sqrt(100 / 151) = 0.81
  QVERIFY(limitOf(spec, state).empty());
  state.phaseStep = 160;  // sqrt(100 / 161) = 0.79
  QVERIFY(!limitOf(spec, state).empty());
}

void TestDecisions::onlyTheLastPhaseEndsTheRun() {
  ExperimentSpec spec = quietSpec();
  spec.training.phases.push_back(spec.training.phases.front());
  for (PhaseSpec& phase : spec.training.phases) phase.epochs = 2;
  TrainingState state;
  state.phaseEpoch = 2;
  QVERIFY(limitOf(spec, state).empty());
  state.phase = 1;
  QVERIFY(!limitOf(spec, state).empty());
}

void TestDecisions::validationFollowsUpdatesAndEpochs() {
  TrainingState state;
  state.step = 30;
  state.epoch = 2;
  state.position = {.epoch = 2, .batch = 5};
  const auto due = [&](std::int64_t everyUpdates, std::int64_t everyEpochs) {
    ValidationSpec when;
    when.everyUpdates = everyUpdates;
    when.everyEpochs = everyEpochs;
    return validationDue(when, state);
  };
  QVERIFY(due(15, 0));
  QVERIFY(!due(20, 0));
  QVERIFY(!due(0, 2));
  state.position.batch = 0;
  QVERIFY(due(0, 2));
  QVERIFY(!due(0, 3));
  QVERIFY(!due(0, 0));
}

void TestDecisions::earlyStoppingWaitsForAnImprovement() {
  ExperimentSpec spec = quietSpec();
  spec.earlyStopping = {.metric = "valid/nll", .patience = 2, .minDelta = 0.1};
  TrainingState state;
  const auto failuresAfter = [&](double value) {
    state.scores["valid/nll"] = value;
    observe(spec, state);
    return state.earlyFailures;
  };
  QCOMPARE(failuresAfter(3), 0);
  QCOMPARE(failuresAfter(2.95), 1);  // not by enough
  QVERIFY(limitOf(spec, state).empty());
  QCOMPARE(failuresAfter(2.5), 0);
  QCOMPARE(failuresAfter(2.5), 1);
  QCOMPARE(failuresAfter(2.5), 2);
  QCOMPARE(limitOf(spec, state), std::string("valid/nll has not improved for 2 validations"));

  spec.earlyStopping = {.metric = "valid/multi-bleu", .patience = 2, .minDelta = 0};
  state = {};
  for (const double bleu : {10.0, 20.0, 15.0}) {
    state.scores["valid/multi-bleu"] = bleu;
    observe(spec, state);
  }
  QCOMPARE(*state.bestEarly, 20.0);
  QCOMPARE(state.earlyFailures, 1);
}

void TestDecisions::watchedSeriesMustExist() {
  ExperimentSpec spec = quietSpec();
  TrainingState state;
  observe(spec, state);  // nothing is watched
  spec.earlyStopping.metric = "test/nll";
  QVERIFY_THROWS_EXCEPTION(Error, observe(spec, state));
  spec.earlyStopping.metric.clear();
  spec.training.phases.front().schedule.kind = ScheduleSpec::Kind::kPlateau;
  QVERIFY_THROWS_EXCEPTION(Error, observe(spec, state));
}

void TestDecisions::aPlateauCountsEpochs() {
  ExperimentSpec spec = quietSpec();
  spec.validation.everyEpochs = 1;
  spec.training.phases.front().schedule.kind = ScheduleSpec::Kind::kPlateau;
  TrainingState state;
  state.scores["valid/nll"] = 3;
  state.phaseEpoch = 1;
  observe(spec, state);  // the reference
  state.position.batch = 5;
  observe(spec, state);  // within an epoch
  QCOMPARE(state.schedule.factor, 1.0);
  state.position.batch = 0;
  state.phaseEpoch = 2;
  observe(spec, state);
  QCOMPARE(state.schedule.factor, 0.1);
}

void TestDecisions::checkpointsFollowUpdatesEpochsAndMinutes() {
  TemporaryFolder folder;
  testing::KeepingSink sink;
  const auto saverOf = [&](const CheckpointSpec& when) {
    return CheckpointSaver(folder.path(), when, 1, sink);
  };
  TrainingState state;
  state.step = 30;
  state.epoch = 2;
  state.position = {.epoch = 2, .batch = 5};
  const auto now = CheckpointSaver::Clock::now();
  QVERIFY(saverOf({.everyUpdates = 15, .everyEpochs = 0}).due(state));
  QVERIFY(!saverOf({.everyUpdates = 20, .everyEpochs = 0}).due(state));
  QVERIFY(!saverOf({.everyEpochs = 2}).due(state));
  state.position.batch = 0;
  QVERIFY(saverOf({.everyEpochs = 2}).due(state));
  CheckpointSaver minutes = saverOf({.everyEpochs = 0, .everyMinutes = 10});
  QVERIFY(!minutes.dueByTime(now + 9min));
  QVERIFY(minutes.dueByTime(now + 11min));
  minutes.savedAt(30, now + 10min);  // this very step is on disk
  QVERIFY(!minutes.dueByTime(now + 11min));
}

void TestDecisions::theBestScoresAreSaved() {
  TemporaryFolder folder;
  testing::KeepingSink sink;
  CheckpointSaver saver(folder.path(), {.everyEpochs = 0, .metric = "valid/nll"}, 1, sink);
  TrainingState state;
  state.step = 30;
  state.scores["valid/nll"] = 3;
  state.scoresStep = 20;  // of an earlier step
  QVERIFY(!saver.dueByScores(state));
  state.scoresStep = 30;
  QVERIFY(saver.dueByScores(state));
}

void TestDecisions::pausesCountForTheTimeOnly() {
  TrainingClock clock;
  const TrainingClock::Time begin{};
  clock.start(begin);
  clock.count(100);
  QCOMPARE(clock.lap(begin + 2s), 2.0);
  clock.count(300);
  clock.leaveOut(6s);
  QCOMPARE(clock.takeSpeed(begin + 10s), 100.0);  // 400 tokens in 4 seconds
  QCOMPARE(clock.lap(begin + 10s), 8.0);
  clock.count(10);
  QCOMPARE(clock.takeSpeed(begin + 15s), 2.0);
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestDecisions)
#include "test_decisions.moc"
