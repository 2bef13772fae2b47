#include <QtTest>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/train/schedule.h"
#include "tests/fixture.h"
#include "tests/program.h"

namespace strata {
namespace {

ScheduleSpec scheduleOf(const Json& entry) {
  static const std::map<std::string, ScheduleSpec::Kind> kinds{
      {"inverse_sqrt", ScheduleSpec::Kind::kInverseSqrt},
      {"noam", ScheduleSpec::Kind::kNoam},
      {"constant", ScheduleSpec::Kind::kConstant},
      {"force_anneal", ScheduleSpec::Kind::kForceAnneal}};
  ScheduleSpec spec;
  spec.kind = entry.contains("kind") ? kinds.at(entry.at("kind")) : ScheduleSpec::Kind::kPlateau;
  spec.warmup = entry.value("warmup", 0);
  spec.initLr = entry.value("init_lr", 0.0);
  spec.dim = entry.value("dim", 1);
  spec.shrink = entry.value("shrink", 10.0);
  spec.after = entry.value("after", 0);
  spec.minEpoch = entry.value("min_epoch", 1);
  spec.mode = entry.value("mode", "each") == "latch" ? ScheduleSpec::Mode::kLatch
                                                     : ScheduleSpec::Mode::kEach;
  return spec;
}

bool near(double value, double wanted) {
  return std::abs(value - wanted) <= 1e-12 * std::abs(wanted);
}

}  // namespace

class TestSchedule : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void fixtures();
  void inverseSqrtPeaksAtTheWarmup();
  void noamPeaksAtTheWarmup();
  void plateauShrinksOnEqualValues();
  void plateauOfAScoreThatRises();
  void groupsKeepTheirShareOfNoam();
  void stateSurvivesJson();
};

void TestSchedule::fixtures() {
  // The larger set has the same file.
  const fs::path path = referenceFolders("models/optim").front() / "schedules.json";
  const Json json = parseJson(readFile(path), "schedules.json");
  for (const auto& entry : json.at("by_update")) {
    const Schedule schedule(scheduleOf(entry));
    for (std::size_t i = 0; i < entry.at("updates").size(); ++i) {
      QVERIFY(near(schedule.rate(entry.value("lr", 0.0), entry["updates"][i], 1, {}),
                   entry["values"][i]));
    }
  }
  for (const auto& entry : json.at("by_epoch")) {
    const Schedule schedule(scheduleOf(entry));
    for (std::size_t i = 0; i < entry.at("epochs").size(); ++i) {
      QVERIFY(near(schedule.rate(entry.at("lr"), 1, entry["epochs"][i], {}), entry["values"][i]));
    }
  }
  for (const auto& entry : json.at("plateau")) {
    const Schedule schedule(scheduleOf(entry));
    ScheduleState state;
    for (std::size_t i = 0; i < entry.at("valid_loss").size(); ++i) {
      const auto epoch = static_cast<std::int64_t>(i) + 1;
      schedule.observe(entry["valid_loss"][i], false, epoch, state);
      const double rate = schedule.rate(entry.at("lr"), 1, epoch + 1, state);
      QVERIFY(near(rate, entry["lr_after_epoch"][i]));
      QCOMPARE(rate < entry.at("min_lr").get<double>(), entry["stop_after_epoch"][i].get<bool>());
    }
  }
}

void TestSchedule::inverseSqrtPeaksAtTheWarmup() {
  const Schedule schedule({.kind = ScheduleSpec::Kind::kInverseSqrt, .warmup = 100, .initLr = 0});
  QVERIFY(near(schedule.rate(1e-3, 1, 1, {}), 1e-5));
  QVERIFY(near(schedule.rate(1e-3, 50, 1, {}), 5e-4));
  QVERIFY(near(schedule.rate(1e-3, 100, 1, {}), 1e-3));
  QVERIFY(near(schedule.rate(1e-3, 400, 1, {}), 5e-4));
  const Schedule noWarmup({.kind = ScheduleSpec::Kind::kInverseSqrt, .warmup = 0});
  QVERIFY(near(noWarmup.rate(1e-3, 4, 1, {}), 5e-4));
}

void TestSchedule::noamPeaksAtTheWarmup() {
  const Schedule schedule({.kind = ScheduleSpec::Kind::kNoam, .warmup = 4, .dim = 256});
  QVERIFY(near(schedule.rate(0, 1, 1, {}), 1.0 / 16 / 8));  // 256^-0.5 * 1 * 4^-1.5
  QVERIFY(near(schedule.rate(0, 4, 1, {}), 1.0 / 16 / 2));
  QVERIFY(near(schedule.rate(0, 16, 1, {}), 1.0 / 16 / 4));
}

void TestSchedule::plateauShrinksOnEqualValues() {
  const Schedule schedule({.kind = ScheduleSpec::Kind::kPlateau, .shrink = 2});
  ScheduleState state;
  schedule.observe(3.0, false, 1, state);
  QCOMPARE(schedule.rate(1.0, 1, 2, state), 1.0);
  schedule.observe(3.0, false, 2, state);
  QCOMPARE(schedule.rate(1.0, 1, 3, state), 0.5);
}

void TestSchedule::plateauOfAScoreThatRises() {
  const Schedule schedule({.kind = ScheduleSpec::Kind::kPlateau, .shrink = 2});
  ScheduleState state;
  schedule.observe(20.0, true, 1, state);
  schedule.observe(25.0, true, 2, state);
  QCOMPARE(state.factor, 1.0);
  schedule.observe(24.0, true, 3, state);
  QCOMPARE(state.factor, 0.5);
}

void TestSchedule::groupsKeepTheirShareOfNoam() {
  const Schedule schedule({.kind = ScheduleSpec::Kind::kNoam, .warmup = 4, .dim = 256});
  const double base = schedule.groupRate(1e-3, 1e-3, 2, 1, {});
  QVERIFY(near(schedule.groupRate(5e-4, 1e-3, 2, 1, {}), base / 2));
}

void TestSchedule::stateSurvivesJson() {
  const ScheduleState state{
      .factor = 0.1, .latched = true, .hasReference = true, .reference = 3.25};
  const ScheduleState back = scheduleStateFrom(parseJson(toJson(state).dump(), "state"));
  QCOMPARE(back.factor, state.factor);
  QCOMPARE(back.latched, state.latched);
  QCOMPARE(back.hasReference, state.hasReference);
  QCOMPARE(back.reference, state.reference);
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestSchedule)
#include "test_schedule.moc"
