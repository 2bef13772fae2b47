#include <sys/wait.h>

#include <QTest>
#include <csignal>
#include <fstream>
#include <set>

#include "core/base/clock.h"
#include "core/run/averaged_models.h"
#include "core/run/checkpoint_files.h"
#include "core/store/began_with.h"
#include "core/store/jobs.h"
#include "core/store/maintenance.h"
#include "core/store/merge.h"
#include "core/store/prune.h"
#include "core/store/run_session.h"
#include "store/store_fixture.h"
#include "tests/program.h"
#include "tests/store/checkpoint_steps.h"

using namespace strata;

namespace {

// Ends this process at once when so many folders have been passed.
class Killer : public Progress {
 public:
  explicit Killer(int calls) : left_(calls) {}
  void advance(std::int64_t) override {
    if (--left_ == 0) ::kill(::getpid(), SIGKILL);
  }

 private:
  int left_;
};

void fill(const fs::path& file, std::size_t bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << std::string(bytes, 'x');
}

void addCheckpoint(const fs::path& run, std::int64_t step, double nll) {
  const fs::path folder = checkpointsFolder(run) / checkpointName(step);
  for (const char* name : {kConfigFile, kModelFile, kTrainingFile}) fill(folder / name, 1000);
  writeCheckpointManifest(folder, {.step = step, .scores = {{"valid/nll", nll}}});
}

// A run that has ended, with five checkpoints, of which 300 is the best, and two recordings.
RunSummary endedRun(Workspace& workspace, const std::string& name, Json config = smallConfig(),
                    RunOutcome outcome = RunOutcome::kFinished) {
  const RunSummary run = createRun(workspace, {name, std::move(config), ""});
  {
    RunSession session(workspace, run.id, {});
    session.scalars(series("valid/nll", 1, 5));
    session.end({.runId = run.id, .step = 500, .outcome = outcome, .message = {}});
  }
  for (const int step : {100, 200, 300, 400, 500})
    addCheckpoint(run.folder, step, step == 300 ? 1 : 2);
  for (const char* step : {"step-100", "step-200"})
    fill(run.folder / "recordings" / step / "index.json", 50);
  return run;
}

using Steps = std::set<std::int64_t>;

}  // namespace

class TestPrune : public QObject {
  Q_OBJECT

 private:
  static PrunePlan prune(Workspace& workspace, const PruneRules& rules) {
    return applyPrune(workspace, planPrune(workspace, rules));
  }
  static bool isWhole(const fs::path& root) {
    const auto problems = checkWorkspace(root).problems;
    for (const auto& problem : problems) qWarning("%s", problem.c_str());
    return problems.empty();
  }

 private slots:
  void aPlanChangesNothing() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = endedRun(workspace, "a");
    const std::string before = contentOf(workspace);
    const auto plan = planPrune(workspace, {.keepLast = 2, .recordings = true});
    QCOMPARE(plan.items.size(), std::size_t(5));
    std::uint64_t bytes = 100;  // of two recordings
    for (const int step : {100, 200, 300}) {
      for (const auto& file :
           fs::directory_iterator(checkpointsFolder(run.folder) / checkpointName(step)))
        bytes += file.file_size();
    }
    QCOMPARE(plan.bytes(false), bytes);
    QVERIFY(contentOf(workspace) == before);
    QCOMPARE(checkpointSteps(run), (Steps{100, 200, 300, 400, 500}));
  }

  void keepsTheNewestAndTheBest() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto last = endedRun(workspace, "last"), best = endedRun(workspace, "best"),
               both = endedRun(workspace, "both"), none = endedRun(workspace, "none");
    prune(workspace, {.filter = "^last$", .keepLast = 2});
    prune(workspace, {.filter = "^best$", .keepBest = 1});
    prune(workspace, {.filter = "^both$", .keepLast = 2, .keepBest = 1});
    prune(workspace, {.filter = "^none$", .checkpoints = true});
    QCOMPARE(checkpointSteps(last), (Steps{400, 500}));
    QCOMPARE(checkpointSteps(best), (Steps{300, 500}));
    QCOMPARE(checkpointSteps(both), (Steps{300, 400, 500}));
    QCOMPARE(checkpointSteps(none), Steps{});
    QVERIFY(fs::exists(none.folder / "recordings" / "step-100"));
    prune(workspace, {.filter = "none", .recordings = true});
    QVERIFY(fs::is_empty(none.folder / "recordings"));
    QVERIFY(isWhole(folder / "w"));
  }

  void leavesWhatIsNeeded() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto base = endedRun(workspace, "base");
    Json config = smallConfig();
    config["training"]["from"] = "base@200";
    const auto fine = endedRun(workspace, "fine", config);
    config["training"]["from"] = (checkpointsFolder(base.folder) / checkpointName(300) / "ema");
    fs::create_directories(checkpointsFolder(base.folder) / checkpointName(300) / "ema");
    endedRun(workspace, "other", config);
    pinCheckpoint(checkpointsFolder(base.folder) / checkpointName(100), true);
    config["training"]["from"] = "fine@best";
    endedRun(workspace, "third", config);
    const auto third = findRun(workspace, "third");
    const fs::path average = averagedModelFolder(third.folder, {400, 500});
    fs::create_directories(average);
    writeAverageSteps(average, {400, 500});
    const auto plan = prune(workspace, {.filter = "base|fine|third", .checkpoints = true});
    QCOMPARE(checkpointSteps(base), (Steps{100, 200, 300}));
    QCOMPARE(checkpointSteps(fine),
             (Steps{100, 200, 300, 400, 500}));  // which was the best is unknown
    QCOMPARE(checkpointSteps(third), (Steps{400, 500}));
    QVERIFY(fs::exists(average));
    QCOMPARE(plan.kept.size(), std::size_t(3 + 5 + 2));
    prune(workspace, {.filter = "base", .runs = true});
    QVERIFY(!findRun(workspace, "base").trashed);
  }

  // Renamed and moved to the trash and back, a run still has the checkpoint that another began
  // with, and only that one has to stay, though the configuration says "best".
  void keepsWhatWasBegunWithUnderAnyName() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto base = endedRun(workspace, "base");
    const auto checkpoint = [&](int step) {
      return checkpointsFolder(base.folder) / checkpointName(step);
    };
    fs::create_directories(checkpoint(200) / "ema");
    Json config = smallConfig();
    config["training"]["from"] = "base@best";
    const auto fine = endedRun(workspace, "fine", config);
    recordBeginning(workspace, fine.folder, checkpoint(200) / "ema");
    const auto began = beginningOf(fine.folder);
    QCOMPARE(began->run.value_or(0), base.id);
    QCOMPARE(began->model.string(), std::string("checkpoints/step-00000200/ema"));
    renameRun(workspace, base.id, "renamed");
    trashRun(workspace, base.id);
    QCOMPARE(prune(workspace, {.emptyTrash = true}).kept.size(), std::size_t(1));
    restoreRun(workspace, base.id);
    prune(workspace, {.filter = "renamed", .checkpoints = true});
    QCOMPARE(checkpointSteps(base), (Steps{200}));
  }

  void aModelOutsideOrADamagedRecordProtectsByTheConfiguration() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto base = endedRun(workspace, "base");
    Json config = smallConfig();
    config["training"]["from"] = "base@300";
    const auto fine = endedRun(workspace, "fine", config);
    fs::create_directories(folder / "elsewhere");
    recordBeginning(workspace, fine.folder, folder / "elsewhere");
    QVERIFY(!beginningOf(fine.folder)->run);
    QCOMPARE(beginningOf(fine.folder)->model, fs::canonical(folder / "elsewhere"));
    std::ofstream(fine.folder / "began_with.json") << R"({"run": "base"})";
    QVERIFY(!beginningOf(fine.folder));
    prune(workspace, {.filter = "base", .checkpoints = true});
    QCOMPARE(checkpointSteps(base), (Steps{300}));
  }

  // A merged run: what was removed here does not come back, what the source makes anew does.
  void whatIsPrunedOfAMergedRunStaysAway() {
    TemporaryFolder folder;
    Workspace source(folder / "source"), workspace(folder / "w");
    const auto there = endedRun(source, "a");
    const auto merge = [&] {
      const auto report = mergeRuns(workspace, source.root());
      for (const auto& problem : report.problems) qWarning("%s", problem.c_str());
      return report.problems.empty();
    };
    QVERIFY(merge());
    const auto here = findRun(workspace, "a");
    QCOMPARE(checkpointSteps(here), (Steps{100, 200, 300, 400, 500}));
    prune(workspace, {.keepLast = 2, .recordings = true});
    removeRunCheckpoint(workspace, here.id, 400);
    QVERIFY(merge() && merge());
    QCOMPARE(checkpointSteps(here), Steps{500});
    QVERIFY(fs::is_empty(here.folder / "recordings"));
    addCheckpoint(there.folder, 600, 2);
    fs::remove_all(checkpointsFolder(there.folder) / checkpointName(300));
    QVERIFY(merge());
    QCOMPARE(checkpointSteps(here), (Steps{500, 600}));
    addCheckpoint(there.folder, 300, 2);  // the run went back and trained on
    QVERIFY(merge());
    QCOMPARE(checkpointSteps(here), (Steps{300, 500, 600}));
    prune(source, {.keepLast = 1});  // a run that was not merged records nothing
    QVERIFY(!fs::exists(there.folder / "left_out.json"));
  }

  void leavesRunsThatGoOn() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto trains = endedRun(workspace, "trains");
    const auto paused = endedRun(workspace, "paused", smallConfig(), RunOutcome::kPaused);
    const auto queued = endedRun(workspace, "queued", smallConfig(), RunOutcome::kStopped);
    enqueueResume(workspace, queued.id);
    const auto asked = endedRun(workspace, "asked");
    change(workspace.database(),
           "INSERT INTO commands (run, command, created) VALUES (?, 'stop', 1)", asked.id);
    RunSession session(workspace, trains.id, {.fromStep = 500});
    const PruneRules rules{.filter = ".", .runs = true, .checkpoints = true, .recordings = true};
    const auto plan = prune(workspace, rules);
    QVERIFY(plan.items.empty());
    QCOMPARE(plan.kept.size(), std::size_t(4));
    for (const auto& run : {trains, paused, queued, asked})
      QCOMPARE(checkpointSteps(run).size(), 5u);
  }

  // Between the plan and its execution a run has begun to train.
  void looksAgainBeforeItRemoves() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = endedRun(workspace, "a");
    const auto plan = planPrune(workspace, {.checkpoints = true});
    QCOMPARE(plan.items.size(), std::size_t(5));
    RunSession session(workspace, run.id, {.fromStep = 500});
    const auto done = applyPrune(workspace, plan);
    QVERIFY(done.items.empty());
    QCOMPARE(done.kept.at(0).why, std::string("it is being trained"));
    QCOMPARE(checkpointSteps(run).size(), std::size_t(5));
  }

  void choosesByStatusAndAge() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    endedRun(workspace, "good");
    const auto bad = endedRun(workspace, "bad", smallConfig(), RunOutcome::kFailed);
    const double day = 86400, now = nowSeconds();
    const auto chosen = [&](PruneRules rules) { return planPrune(workspace, rules).items.size(); };
    QCOMPARE(chosen({.statuses = {RunStatus::kFailed}, .runs = true}), std::size_t(1));
    QCOMPARE(chosen({.olderThan = 30 * day, .runs = true, .now = now + 29 * day}), std::size_t(0));
    QCOMPARE(chosen({.olderThan = 30 * day, .runs = true, .now = now + 31 * day}), std::size_t(2));
    prune(workspace, {.statuses = {RunStatus::kFailed}, .runs = true});
    QVERIFY(findRun(workspace, "bad").trashed);
    restoreRun(workspace, bad.id);
    trashRun(workspace, bad.id);
    QCOMPARE(chosen({.olderThan = 7 * day, .emptyTrash = true, .now = now + 6 * day}),
             std::size_t(0));
    prune(workspace, {.olderThan = 7 * day, .emptyTrash = true, .now = now + 8 * day});
    QVERIFY_EXCEPTION_THROWN(findRun(workspace, "bad"), Error);
    QVERIFY(fs::is_empty(folder / "w" / "trash"));
    QVERIFY(isWhole(folder / "w"));
    QVERIFY_EXCEPTION_THROWN(planPrune(workspace, {}), Error);
    QVERIFY_EXCEPTION_THROWN(planPrune(workspace, {.runs = true}), Error);
    QVERIFY_EXCEPTION_THROWN(planPrune(workspace, {.checkpoints = true, .keepLast = 1}), Error);
  }

  // Killed between any two of its steps, it leaves a workspace without problems; the next one ends
  // the work.
  void survivesBeingKilled_data() {
    QTest::addColumn<int>("calls");
    for (int calls = 1; calls <= 6; ++calls) QTest::addRow("%d", calls) << calls;
  }
  void survivesBeingKilled() {
    QFETCH(int, calls);
    TemporaryFolder folder;
    {
      Workspace workspace(folder / "w");
      for (const char* name : {"a", "b", "c"}) endedRun(workspace, name);
      trashRun(workspace, findRun(workspace, "b").id);
    }
    const PruneRules rules{.emptyTrash = true, .keepLast = 1, .recordings = true};
    const int status = inChild([&] {
      Workspace workspace(folder / "w");
      Killer killer(calls);
      applyPrune(workspace, planPrune(workspace, rules), killer);
    });
    QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    QVERIFY(isWhole(folder / "w"));
    Workspace workspace(folder / "w");
    prune(workspace, rules);
    for (const char* name : {"a", "c"}) {
      const RunSummary run = findRun(workspace, name);
      QCOMPARE(checkpointSteps(run), Steps{500});
      QVERIFY(fs::is_empty(run.folder / "recordings"));
      QCOMPARE(std::distance(fs::directory_iterator(checkpointsFolder(run.folder)), {}), 1);
    }
    QVERIFY(fs::is_empty(folder / "w" / "trash"));
    QVERIFY(isWhole(folder / "w"));
  }

  // Killed after a folder of the trash was renamed and before the index forgot the run.
  void forgetsARunThatWasBeingRemoved() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = endedRun(workspace, "a");
    trashRun(workspace, run.id);
    const fs::path trash = folder / "w" / "trash";
    fs::rename(trash / "1-a", trash / ".1-a.removed");
    QVERIFY(isWhole(folder / "w"));
    refreshWorkspace(workspace);
    QVERIFY(listRuns(workspace, {.trashed = true}).empty());
    QVERIFY(isWhole(folder / "w"));
  }
};

STRATA_GUILESS_TEST(TestPrune)
#include "test_prune.moc"
