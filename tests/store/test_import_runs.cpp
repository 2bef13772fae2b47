#include <QTest>
#include <cmath>

#include "core/store/import_runs.h"
#include "core/store/imported.h"
#include "core/store/jobs.h"
#include "core/store/left_out.h"
#include "core/store/maintenance.h"
#include "core/store/merge.h"
#include "core/store/scalars.h"
#include "fixture.h"
#include "store/store_fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

ToolRun toolRun(const std::string& name, std::vector<Curve> curves) {
  return {.tool = kFairseq,
          .name = name,
          .source = "/logs/" + name + ".log",
          .files = {{"/logs/" + name + ".log", 100}},
          .curves = std::move(curves)};
}

// Points (step, value) at the time 1000 + step.
Curve curve(const std::string& name, const std::vector<std::pair<std::int64_t, double>>& values) {
  Curve made{.name = name, .points = {}};
  for (const auto& [step, value] : values)
    made.points.push_back({step, 1000.0 + static_cast<double>(step), value});
  return made;
}

std::vector<std::pair<std::int64_t, double>> pointsOf(Workspace& workspace, std::int64_t run,
                                                      const std::string& series) {
  std::vector<std::pair<std::int64_t, double>> points;
  for (const ScalarPoint& point : readSeries(workspace, run, series))
    points.emplace_back(point.step, point.value);
  return points;
}

std::vector<std::string> foldersIn(const Workspace& workspace) {
  return namesIn(workspace.runsFolder());
}

std::vector<ImportedRun> importOne(Workspace& workspace, const ToolRun& run,
                                   const ImportOptions& options = {}) {
  return importRuns(workspace, std::span(&run, 1), options);
}

using Points = std::vector<std::pair<std::int64_t, double>>;

}  // namespace

class TestImportRuns : public QObject {
  Q_OBJECT

 private slots:
  void anImportedRunIsAFinishedRun() {
    TemporaryFolder folder;
    Workspace workspace(folder.path());
    const auto done = importOne(workspace,
                                toolRun("base", {curve("train/nll", {{1, 3}, {2, kNaN}, {4, 2}}),
                                                 curve("valid/nll", {{2, 2.5}, {4, 2.25}})}),
                                {.tags = {"paper"}});
    QCOMPARE(done.size(), 1u);
    QCOMPARE(nameOf(done[0].outcome), std::string_view("added"));
    const RunSummary run = findRun(workspace, "base");
    QCOMPARE(run.id, done[0].id);
    QCOMPARE(run.status, RunStatus::kFinished);
    QCOMPARE(run.tags, (std::vector<std::string>{"imported", "paper"}));
    QCOMPARE(run.family, std::string("imported"));
    QCOMPARE(run.preset, std::string("imported/fairseq"));
    QCOMPARE(run.dataset, std::string("fairseq"));
    QCOMPARE(importedFrom(run), std::string("fairseq"));
    QCOMPARE(run.metric, std::string("valid/nll"));
    QCOMPARE(run.best, 2.25);
    QCOMPARE(run.step, 4);
    QCOMPARE(run.seconds, 3.0);
    QCOMPARE(readSeries(workspace, run.id, "train/nll").at(2).wallTime, 1004.0);
    QVERIFY(std::isnan(pointsOf(workspace, run.id, "train/nll").at(1).second));
    QCOMPARE(pointsOf(workspace, run.id, "valid/nll"), (Points{{2, 2.5}, {4, 2.25}}));
    const std::string before = contentOf(workspace);
    repairWorkspace(folder.path());
    Workspace repaired(folder.path());
    QCOMPARE(contentOf(repaired), before);
  }

  // 1, 5, 9, 8: which of them is best.
  void theBestIsWhatTheNameSays() {
    TemporaryFolder folder;
    Workspace workspace(folder.path());
    const Points values{{100, 1}, {200, 5}, {300, 9}, {400, 8}};
    const auto bestOf = [&](const std::string& series) {
      const std::int64_t id =
          importOne(workspace, toolRun(series, {curve(series, values)})).at(0).id;
      const RunSummary run = runById(workspace, id);
      return std::pair(run.best, run.bestStep);
    };
    for (const char* series : {"chrf", "f1", "Valid/BLEU-4", "metrics-translate/approx_bleu_score",
                               "dev/comet", "eval_bleu", "accuracy"})
      QVERIFY2(bestOf(series) == std::pair(9.0, std::int64_t{300}), series);
    QVERIFY(bestOf("dev/wer") == std::pair(1.0, std::int64_t{100}));
    const auto [best, step] = bestOf("magic");
    QVERIFY(std::isnan(best));
    QCOMPARE(step, std::int64_t{-1});
    const RunSummary run = findRun(workspace, "magic");
    QCOMPARE(run.last, 8.0);
    QCOMPARE(run.lastStep, std::int64_t{400});
  }

  void aDirectionIsGivenAndKept() {
    TemporaryFolder folder;
    Workspace workspace(folder.path());
    const Points values{{1, 1}, {2, 9}, {3, 8}};
    const ToolRun run = toolRun("base", {curve("a/magic", values), curve("b/cost", values)});
    importOne(workspace, run, {.higherIsBetter = {"magic"}});
    const std::int64_t id = findRun(workspace, "base").id;
    const auto bests = [&](Workspace& of) {
      std::vector<double> all;
      for (const SeriesSummary& series : listSeries(of, id)) all.push_back(series.best());
      return all;
    };
    QCOMPARE(bests(workspace), (std::vector<double>{9, 1}));
    // Said later, against what the name says; the same once more changes nothing.
    const ImportOptions later{.update = true, .higherIsBetter = {"b/cost"}};
    QCOMPARE(planImport(workspace, std::span(&run, 1), later).at(0).outcome, ImportOutcome::kGrown);
    QCOMPARE(importOne(workspace, run, later).at(0).outcome, ImportOutcome::kGrown);
    QCOMPARE(importOne(workspace, run, later).at(0).outcome, ImportOutcome::kUnchanged);
    QCOMPARE(bests(workspace), (std::vector<double>{9, 9}));
    const std::string before = contentOf(workspace);
    repairWorkspace(folder.path());
    Workspace repaired(folder.path());
    QCOMPARE(contentOf(repaired), before);
    QCOMPARE(bests(repaired), (std::vector<double>{9, 9}));
    QCOMPARE(usageErrorOf(
                 [&] { importOne(repaired, run, {.update = true, .lowerIsBetter = {"magik"}}); }),
             std::string("no series 'magik' is imported; the nearest is 'a/magic'"));
    QVERIFY(!usageErrorOf([&] {
               importOne(
                   repaired, run,
                   {.update = true, .higherIsBetter = {"magic"}, .lowerIsBetter = {"a/magic"}});
             }).empty());
  }

  // The metric is one of which something is known.
  void theMetricHasADirection() {
    TemporaryFolder folder;
    Workspace workspace(folder.path());
    const auto metricOfRun = [&](const std::string& name, const ImportOptions& options = {}) {
      importOne(workspace,
                toolRun(name, {curve("alpha", {{1, 1}}), curve("train/acc", {{1, 1}}),
                               curve("valid/bleu", {{1, 1}})}),
                options);
      return findRun(workspace, name).metric;
    };
    QCOMPARE(metricOfRun("one"), std::string("valid/bleu"));
    importOne(workspace, toolRun("two", {curve("alpha", {{1, 1}}), curve("beta", {{1, 1}})}),
              {.lowerIsBetter = {"beta"}});
    QCOMPARE(findRun(workspace, "two").metric, std::string("beta"));
  }

  void theTrainingsOfAFileAreRuns() {
    TemporaryFolder folder;
    Workspace workspace(folder.path());
    std::vector<ToolRun> runs{toolRun("base", {curve("loss", {{1, 3}})}),
                              toolRun("base", {curve("loss", {{1, 2}})})};
    runs[1].training = 2;
    runs[1].name = "base-2";
    runs[1].part = "2";
    importRuns(workspace, runs, {});
    QCOMPARE(pointsOf(workspace, findRun(workspace, "base").id, "loss"), (Points{{1, 3}}));
    QCOMPARE(pointsOf(workspace, findRun(workspace, "base-2").id, "loss"), (Points{{1, 2}}));
    for (const ImportedRun& run : importRuns(workspace, runs, {.update = true}))
      QCOMPARE(run.outcome, ImportOutcome::kUnchanged);
  }

  void onlyOurUnitsAreKnown() {
    QVERIFY(hasKnownUnit("mlrf/base", "train/loss") && hasKnownUnit("", "train/loss"));
    QVERIFY(hasKnownUnit("imported/fairseq", "train/loss"));
    QVERIFY(!hasKnownUnit("imported/fairseq", "fairseq/train/loss"));
    QVERIFY(!hasKnownUnit("imported/joeynmt", "joeynmt/valid/loss"));
    QVERIFY(!hasKnownUnit("imported/tensorboard", "train/loss"));
  }

  void theSameSourceIsRefused() {
    TemporaryFolder folder;
    Workspace workspace(folder.path());
    const ToolRun run = toolRun("base", {curve("loss", {{1, 3}})});
    importOne(workspace, run);
    renameRun(workspace, findRun(workspace, "base").id, "theirs");
    const std::string said = usageErrorOf([&] { importOne(workspace, run); });
    QCOMPARE(said, std::string("/logs/base.log was imported as 'theirs': --update reads it again"));
    QCOMPARE(usageErrorOf([&] { planImport(workspace, std::span(&run, 1), {}); }), said);
    QCOMPARE(foldersIn(workspace).size(), 1u);
    trashRun(workspace, findRun(workspace, "theirs").id);
    QCOMPARE(importOne(workspace, run).at(0).outcome, ImportOutcome::kAdded);
  }

  void updateTakesOverWhatIsNew() {
    TemporaryFolder folder;
    Workspace workspace(folder.path());
    const Points old{{1, 3}, {2, kNaN}, {3, 2}};
    importOne(workspace, toolRun("base", {curve("loss", old), curve("lr", {{1, 0.1}, {3, 0.2}})}));
    const auto updated = [&](const std::vector<Curve>& curves) {
      return importOne(workspace, toolRun("base", curves), {.update = true}).at(0).outcome;
    };
    const std::int64_t id = findRun(workspace, "base").id;
    const std::uintmax_t bytes = fileBytes(findRun(workspace, "base").folder / "events.log");
    QCOMPARE(updated({curve("loss", old), curve("lr", {{1, 0.1}, {3, 0.2}})}),
             ImportOutcome::kUnchanged);
    QCOMPARE(fileBytes(findRun(workspace, "base").folder / "events.log"), bytes);
    QCOMPARE(updated({curve("loss", {{1, 3}, {2, kNaN}, {3, 2}, {4, 1}}),
                      curve("lr", {{1, 0.1}, {3, 0.2}})}),
             ImportOutcome::kGrown);
    QCOMPARE(pointsOf(workspace, id, "loss").size(), 4u);
    QCOMPARE(runStarts(workspace, id).at(1).fromStep, 3);
    // The source was rewound to step 2, one of its series is gone, one is new.
    QCOMPARE(updated({curve("loss", {{1, 3}, {2, 5}}), curve("new", {{2, 7}})}),
             ImportOutcome::kGrown);
    QCOMPARE(pointsOf(workspace, id, "loss"), (Points{{1, 3}, {2, 5}}));
    QCOMPARE(pointsOf(workspace, id, "new"), (Points{{2, 7}}));
    QVERIFY(pointsOf(workspace, id, "lr").empty());
    QCOMPARE(updated({curve("loss", {{0, 1}})}), ImportOutcome::kGrown);
    QCOMPARE(pointsOf(workspace, id, "loss"), (Points{{0, 1}}));
    QVERIFY(pointsOf(workspace, id, "new").empty());
    QCOMPARE(findRun(workspace, "base").status, RunStatus::kFinished);
    const std::string before = contentOf(workspace);
    repairWorkspace(folder.path());
    Workspace repaired(folder.path());
    QCOMPARE(contentOf(repaired), before);
  }

  void allRunsOrNone() {
    TemporaryFolder folder;
    Workspace workspace(folder.path());
    importOne(workspace, toolRun("old", {curve("loss", {{1, 3}})}));
    const fs::path log = findRun(workspace, "old").folder / "events.log";
    const std::uintmax_t bytes = fileBytes(log);
    const std::string before = contentOf(workspace);
    const std::vector<ToolRun> runs{toolRun("old", {curve("loss", {{1, 3}, {2, 3}})}),
                                    toolRun("a", {curve("loss", {{1, 3}})}),
                                    toolRun("c", {curve("loss", {{1, 3}})})};
    std::stop_source stop;
    struct StopsLate : Progress {
      std::stop_source* stop = nullptr;
      int reports = 0;
      void advance(std::int64_t) override {
        if (++reports == 3) stop->request_stop();
      }
    } progress;
    progress.stop = &stop;
    QVERIFY_THROWS_EXCEPTION(
        Cancelled, importRuns(workspace, runs,
                              {.update = true, .progress = &progress, .stop = stop.get_token()}));
    QCOMPARE(progress.reports, 3);
    QCOMPARE(contentOf(workspace), before);
    QCOMPARE(fileBytes(log), bytes);
    QCOMPARE(foldersIn(workspace), std::vector<std::string>{"1-old"});
  }

  void namesAreFree() {
    TemporaryFolder folder;
    Workspace workspace(folder.path());
    createRun(workspace, {.name = "base", .config = smallConfig()});
    std::vector<ToolRun> runs{toolRun("base", {curve("loss", {{1, 3}})}),
                              toolRun("base-x/y@1", {curve("loss", {{1, 3}})}),
                              toolRun("2021", {curve("loss", {{1, 3}})})};
    std::vector<std::string> names;
    for (const ImportedRun& run : planImport(workspace, runs, {})) names.push_back(run.name);
    QCOMPARE(names, (std::vector<std::string>{"base-2", "base-x-y-1", "run-2021"}));
    names.clear();
    runs[1].part = "x/y@1";
    runs[2].part = "2021";
    for (const ImportedRun& run : importRuns(workspace, runs, {.name = "theirs"}))
      names.push_back(run.name);
    QCOMPARE(names, (std::vector<std::string>{"theirs", "theirs-x-y-1", "theirs-2021"}));
    QVERIFY(!usageErrorOf([&] {
               importOne(workspace, toolRun("other", {curve("loss", {{1, 3}})}), {.name = "base"});
             }).empty());
    QVERIFY(!usageErrorOf([&] {
               importOne(workspace, toolRun("other", {curve("loss", {{1, 3}})}), {.name = "a/b"});
             }).empty());
  }

  void itHasNoModel() {
    TemporaryFolder folder;
    Workspace workspace(folder.path());
    const std::int64_t id = importOne(workspace, toolRun("base", {curve("loss", {{1, 3}})}))[0].id;
    const std::string said = "the run 'base' was imported from fairseq and has no model";
    QCOMPARE(usageErrorOf([&] { requireModel(runById(workspace, id)); }), said);
    QCOMPARE(usageErrorOf([&] { enqueueResume(workspace, id); }), said);
    QCOMPARE(usageErrorOf([&] { enqueueUpdates(workspace, id, 100); }), said);
  }

  void aMergedImportStaysOne() {
    TemporaryFolder here, there;
    Workspace source(there.path());
    importOne(source, toolRun("base", {curve("loss", {{1, 3}, {2, 2}})}));
    Workspace workspace(here.path());
    QCOMPARE(mergeRuns(workspace, there.path()).added, std::vector<std::string>{"base"});
    const RunSummary run = findRun(workspace, "base");
    QCOMPARE(importedFrom(run), std::string("fairseq"));
    QCOMPARE(pointsOf(workspace, run.id, "loss"), (Points{{1, 3}, {2, 2}}));
  }
};

STRATA_GUILESS_TEST(TestImportRuns)
#include "test_import_runs.moc"
