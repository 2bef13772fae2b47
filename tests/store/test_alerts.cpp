#include <QTest>
#include <cmath>
#include <limits>
#include <memory>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/store/alerts.h"
#include "core/store/event_log.h"
#include "core/store/jobs.h"
#include "core/store/maintenance.h"
#include "core/store/run_activity.h"
#include "core/store/run_session.h"
#include "core/store/scalars.h"
#include "store/store_fixture.h"
#include "tests/program.h"

using namespace strata;

// What is being trained, when it ends, and what needs attention.
class TestAlerts : public QObject {
  Q_OBJECT

 private:
  static RunStart start() {
    RunStart made;
    made.program = "test";
    made.device = "cpu";
    made.threads = 2;
    return made;
  }

  static void add(RunSession& session, const char* series,
                  const std::vector<std::pair<std::int64_t, double>>& points) {
    std::vector<ScalarEvent> events;
    for (const auto& [step, value] : points)
      events.push_back({session.run(), series, step, value, nowSeconds()});
    session.scalars(events);
    session.flush();
  }

  static std::vector<std::string> kinds(Workspace& workspace, const AlertRules& rules = {}) {
    std::vector<std::string> names;
    for (const Alert& alert : runAlerts(workspace, rules))
      names.push_back(alert.name + ": " + std::string(nameOf(alert.kind)));
    return names;
  }
  using Names = std::vector<std::string>;

 private slots:
  void knowsWhatIsLeft() {
    QCOMPARE(updatesLeft({.updates = 1000}, 400, 0), std::optional<std::int64_t>(600));
    QCOMPARE(updatesLeft({.updates = 1000}, 1200, 0), std::optional<std::int64_t>(0));
    QCOMPARE(updatesLeft({.epochs = 4}, 300, 1.5), std::optional<std::int64_t>(500));
    QCOMPARE(updatesLeft({.updates = 1000, .epochs = 4}, 300, 1.5),
             std::optional<std::int64_t>(500));
    QVERIFY(!updatesLeft({}, 300, 1.5));
    QVERIFY(!updatesLeft({.epochs = 4}, 0, 0));
  }

  // 8 intervals of 10 updates; parts of two: 20 s, 20 s, 40 s (beside other work), 30 s.
  void timeLeftIsARange() {
    std::vector<ScalarPoint> points{{0, 100, 0}};
    for (const double seconds : {10, 10, 10, 10, 20, 20, 10, 20})
      points.push_back({points.back().step + 10, points.back().wallTime + seconds, 0});
    QCOMPARE(timeLeft(points, 200), std::optional<TimeRange>({200, 400}));
    points.resize(2);
    QCOMPARE(timeLeft(points, 200), std::optional<TimeRange>({200, 200}));
    points.resize(1);
    QVERIFY(!timeLeft(points, 200));
  }

  void lastPointsAreTheNewest() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const RunSummary run = createRun(workspace, {"a", smallConfig(), ""});
    RunSession session(workspace, run.id, start());
    std::vector<std::pair<std::int64_t, double>> points;
    for (int step = 1; step <= 5000; ++step) points.emplace_back(step, step * 0.5);
    add(session, "x", points);
    const auto last = readLastPoints(workspace, run.id, "x", 3);
    QCOMPARE(last.size(), std::size_t(3));
    QCOMPARE(last.front().step, 4998);
    QCOMPARE(last.back().value, 2500.0);
    QCOMPARE(readLastPoints(workspace, run.id, "x", 9000).size(), std::size_t(5000));
    QVERIFY(readLastPoints(workspace, run.id, "y", 3).empty());
    session.end({run.id, 5000, RunOutcome::kFinished, ""});
  }

  void runningRunsComeBeforeTheQueue() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    Json config = smallConfig();
    config["training"] = {{"max_updates", 100}, {"max_epochs", 0}};
    const Job first = enqueueRun(workspace, {"first", config, ""});
    enqueueRun(workspace, {"second", config, ""}, "cuda:1");
    const RunSummary run = createRun(workspace, {"now", config, ""});
    createRun(workspace, {"not started", config, ""});
    RunSession session(workspace, run.id, start());
    add(session, "train/tokens_per_second", {{10, 900}, {20, 1100}});
    add(session, "train/nll", {{10, 7}, {20, 6.5}});
    add(session, "memory/resident_mib", {{20, 310}});
    const auto active = activeRuns(workspace);
    QCOMPARE(active.size(), std::size_t(3));
    QCOMPARE(active[0].name, std::string("now"));
    QCOMPARE(active[0].step, 20);
    QCOMPARE(active[0].lastStep, std::optional<std::int64_t>(100));
    QCOMPARE(active[0].share(), 0.2);
    QCOMPARE(active[0].loss, 6.5);
    QCOMPARE(active[0].speeds, (std::vector<double>{900, 1100}));
    QCOMPARE(active[0].residentMib, 310.0);
    QCOMPARE(active[0].threads, 2);
    QVERIFY(active[0].left && active[0].intervals == 1);
    QCOMPARE(active[1].name, std::string("first"));
    QCOMPARE(active[1].place, 1);
    QCOMPARE(active[2].place, 2);
    QCOMPARE(active[2].device, std::string("cuda:1"));
    session.end({run.id, 20, RunOutcome::kStopped, ""});
    sendCommand(workspace, first.run, Command::kStop);
    QCOMPARE(activeRuns(workspace).size(), std::size_t(1));
  }

  void noImprovementNeedsTheWholePatience() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const RunSummary run = createRun(workspace, {"a", smallConfig(), ""});
    RunSession session(workspace, run.id, start());
    add(session, "valid/nll", {{100, 5}, {200, 4}, {300, 4.5}, {400, 4}});
    QCOMPARE(kinds(workspace, {.validations = 3}), Names{});
    QCOMPARE(kinds(workspace, {.validations = 2}), Names{"a: no improvement"});
    QCOMPARE(runAlerts(workspace, {.validations = 2})[0].step, 200);
    add(session, "valid/nll", {{500, 3.9}});
    QCOMPARE(kinds(workspace, {.validations = 2}), Names{});
    session.end({run.id, 500, RunOutcome::kFinished, ""});
  }

  void moreIsBetterForBleu() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    Json config = smallConfig();
    config["checkpoint"]["metric"] = "valid/bleu";
    const RunSummary run = createRun(workspace, {"a", config, ""});
    RunSession session(workspace, run.id, start());
    add(session, "valid/bleu", {{100, 10}, {200, 12}, {300, 14}});
    QCOMPARE(kinds(workspace, {.validations = 1}), Names{});
    add(session, "valid/bleu", {{400, 13}});
    QCOMPARE(kinds(workspace, {.validations = 1}), Names{"a: no improvement"});
    session.end({run.id, 400, RunOutcome::kFinished, ""});
    QCOMPARE(kinds(workspace, {.validations = 1}), Names{});  // it has ended
  }

  void notFiniteNamesSeriesAndStep() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const RunSummary run = createRun(workspace, {"a", smallConfig(), ""});
    RunSession session(workspace, run.id, start());
    const double nan = std::numeric_limits<double>::quiet_NaN();
    add(session, "train/nll", {{10, 3}, {20, nan}, {30, 3}, {40, nan}});
    const auto alerts = runAlerts(workspace);
    QCOMPARE(alerts.size(), std::size_t(1));
    QVERIFY(alerts[0].kind == AlertKind::kNotFinite);
    QCOMPARE(alerts[0].step, 20);
    QVERIFY(alerts[0].text.starts_with(
        "train/nll was not finite 2 of 4 times, first at step 20: stop it, lower "
        "training.optimizer.lr"));
    session.end({run.id, 40, RunOutcome::kFailed, "the loss is NaN", true});
    QCOMPARE(kinds(workspace), Names{"a: diverged"});
    QCOMPARE(runAlerts(workspace)[0].text, std::string("the loss is NaN"));
  }

  // A learning rate of 10: finite numbers, far above ln 2200 = 7.7.
  void divergenceIsToldWhileAndAfterItTrains() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const RunSummary run = createRun(workspace, {"a", smallConfig(), ""});
    RunStart begin = start();
    begin.targetVocabulary = 2200;
    RunSession session(workspace, run.id, begin);
    QCOMPARE(runStarts(workspace, run.id).at(0).targetVocabulary, std::int64_t(2200));
    add(session, "valid/nll", {{100, 125.7}});
    QCOMPARE(kinds(workspace), Names{"a: diverging"});
    add(session, "valid/nll", {{200, 809.7}});
    const Alert alert = runAlerts(workspace).at(0);
    QCOMPARE(alert.step, std::int64_t(200));
    QVERIFY(alert.text.find("valid/nll is 809.7 at step 200: above 7.7 nats") == 0);
    QVERIFY(alert.text.find("training.clip_norm") != std::string::npos);
    QVERIFY(alertsOf(workspace, runById(workspace, run.id)).at(0) == alert);
    session.end({run.id, 200, RunOutcome::kFinished, ""});
    QCOMPARE(kinds(workspace), Names{"a: diverging"});
    QTest::qWait(20);
    QCOMPARE(kinds(workspace, {.hours = 1e-6}), Names{});
  }

  void aRunThatOverfitsRaisesNone() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const RunSummary run = createRun(workspace, {"a", smallConfig(), ""});
    RunStart begin = start();
    begin.targetVocabulary = 2200;
    RunSession session(workspace, run.id, begin);
    add(session, "valid/nll", {{100, 0.25}, {200, 0.5}, {300, 0.9}});
    QCOMPARE(kinds(workspace), Names{});
    session.end({run.id, 300, RunOutcome::kFinished, ""});
    QCOMPARE(kinds(workspace), Names{});
  }

  void gradientsThatJumpAreTold() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const RunSummary run = createRun(workspace, {"a", smallConfig(), ""});
    RunSession session(workspace, run.id, start());
    add(session, "grad_norm/all", {{10, 1}, {20, 2}, {30, 1}, {40, 2}, {50, 1}});
    add(session, "valid/nll", {{50, 4}});
    add(session, "grad_norm/all", {{60, 500}, {70, 400}});
    QCOMPARE(kinds(workspace), Names{});
    add(session, "grad_norm/all", {{80, 800}});
    QCOMPARE(kinds(workspace), Names{"a: gradient jump"});
    QCOMPARE(runAlerts(workspace)[0].step, std::int64_t(60));
    session.end({run.id, 80, RunOutcome::kStopped, ""});
  }

  // What another tool has trained: neither its vocabulary nor, in TensorBoard, its unit is known.
  void importedRunsRaiseOnlyWhatCanBeKnown() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    int number = 0;
    const auto imported = [&](const std::string& tool, const std::vector<double>& losses) {
      const std::string name = tool + std::to_string(++number);
      const RunSummary run = createRun(workspace, {name, smallConfig("imported/" + tool), ""});
      RunSession session(workspace, run.id, start());
      std::vector<std::pair<std::int64_t, double>> points;
      for (const double loss : losses) points.emplace_back(100 * (std::ssize(points) + 1), loss);
      add(session, "valid/nll", points);
      session.end({run.id, 900, RunOutcome::kFinished, ""});
      std::vector<std::string> found;
      for (const Alert& alert : alertsOf(workspace, runById(workspace, run.id)))
        found.emplace_back(nameOf(alert.kind));
      return found;
    };
    QCOMPARE(imported("fairseq", {1.2, 9.5}), Names{});
    QCOMPARE(imported("joeynmt", {1.2, 125.7}), Names{"diverging"});
    QCOMPARE(imported("tensorboard", {1.2, 125.7}), Names{});
    QCOMPARE(imported("tensorboard", {1.2, nan}), Names{"not finite"});
  }

  void aFullDiskIsToldBeforeTheCheckpoint() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const RunSummary run = createRun(workspace, {"a", smallConfig(), ""});
    RunSession session(workspace, run.id, start());
    add(session, "train/nll", {{10, 3}});
    QCOMPARE(kinds(workspace, {.freeBytes = 0}), Names{});  // unknown how large it will be
    const fs::path checkpoint = session.folder() / "checkpoints" / "step-00000010";
    fs::create_directories(checkpoint);
    writeFileAtomic(checkpoint / "model.safetensors", std::string(10 << 20, 'x'));
    session.checkpoint({run.id, 10, "checkpoints/step-00000010", false});
    QCOMPARE(kinds(workspace, {.freeBytes = 11 << 20}), Names{});  // 10 % more than it needs
    QCOMPARE(kinds(workspace, {.freeBytes = 10 << 20}), Names{"a: disk space"});
    session.end({run.id, 10, RunOutcome::kFinished, ""});
  }

  void deadProcessesAndLostFoldersAreNamed() {
    TemporaryFolder folder;
    std::int64_t queued = 0;
    {
      Workspace workspace(folder / "w");
      queued = enqueueRun(workspace, {"queued", smallConfig(), ""}).run;
      createRun(workspace, {"killed", smallConfig(), ""});
      createRun(workspace, {"lost", smallConfig(), ""});
    }
    inChild([&] {
      Workspace workspace(folder / "w");
      claimJob(workspace);
      auto* session = new RunSession(workspace, findRun(workspace, "killed").id, start());
      add(*session, "train/nll", {{70, 3}});
      ::_exit(0);  // without an end
    });
    Workspace workspace(folder / "w");
    const RunSummary lost = findRun(workspace, "lost");
    fs::remove_all(lost.folder);
    refreshWorkspace(workspace);
    auto found = kinds(workspace);
    std::ranges::sort(found);
    QCOMPARE(found,
             (Names{"killed: process died", "lost: folder missing", "queued: process died"}));
    for (const Alert& alert : runAlerts(workspace)) {
      if (alert.run == queued) QVERIFY(alert.text.find("the worker") != std::string::npos);
      if (alert.name == "killed") QCOMPARE(alert.step, 70);
    }
    forgetRun(workspace, lost.id);
    QVERIFY_THROWS_EXCEPTION(Error, findRun(workspace, "lost"));
    QVERIFY_THROWS_EXCEPTION(Error, forgetRun(workspace, queued));  // its folder is there
    QCOMPARE(kinds(workspace).size(), std::size_t(2));
    refreshWorkspace(workspace);
    QVERIFY_THROWS_EXCEPTION(Error, findRun(workspace, "lost"));
  }

  // Of each run as it was last started.
  void severalRunsAreToldNewestFirst() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto made = [&](const char* name) {
      return createRun(workspace, {name, smallConfig(), ""}).id;
    };
    const auto begun = [&](std::int64_t run, std::int64_t vocabulary, const char* series,
                           double value) {
      RunStart begin = start();
      begin.targetVocabulary = vocabulary;
      auto session = std::make_unique<RunSession>(workspace, run, begin);
      add(*session, series, {{100, value}});
      return session;
    };
    const std::int64_t lost = made("lost"), again = made("again"), failed = made("failed"),
                       running = made("running");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    begun(lost, 2200, "train/loss", nan)->end({lost, 100, RunOutcome::kFinished, ""});
    begun(again, 10, "valid/nll", 5)->end({again, 100, RunOutcome::kStopped, ""});  // above ln 10
    QCOMPARE(kinds(workspace), (Names{"again: diverging", "lost: not finite"}));
    begun(again, 2200, "valid/nll", 5)->end({again, 100, RunOutcome::kStopped, ""});
    begun(failed, 2200, "valid/nll", 9)->end({failed, 100, RunOutcome::kFailed, "no memory"});
    const auto session = begun(running, 2200, "valid/nll", 125.7);
    QCOMPARE(kinds(workspace), (Names{"running: diverging", "failed: failed", "failed: diverging",
                                      "lost: not finite"}));
    std::vector<Alert> each;
    for (const std::int64_t run : {running, failed, again, lost}) {
      for (Alert& alert : alertsOf(workspace, runById(workspace, run)))
        each.push_back(std::move(alert));
    }
    std::ranges::stable_sort(each, std::ranges::greater(), &Alert::time);
    QVERIFY(each == runAlerts(workspace));
    session->end({running, 100, RunOutcome::kFinished, ""});
  }

  void oldEndsAreLeftOut() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const RunSummary run = createRun(workspace, {"a", smallConfig(), ""});
    {
      RunSession session(workspace, run.id, start());
      session.end({run.id, 4, RunOutcome::kFailed, "no more memory"});
    }
    QCOMPARE(kinds(workspace, {.hours = 1}), Names{"a: failed"});
    QTest::qWait(20);
    QCOMPARE(kinds(workspace, {.hours = 1e-6}), Names{});
    QCOMPARE(kinds(workspace, {.hours = 0}), Names{"a: failed"});
    trashRun(workspace, run.id);
    QCOMPARE(kinds(workspace, {.hours = 0}), Names{});
  }
};

STRATA_GUILESS_TEST(TestAlerts)
#include "test_alerts.moc"
