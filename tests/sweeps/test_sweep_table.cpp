#include <QtTest>
#include <cmath>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/safetensors.h"
#include "core/run/configuration_group.h"
#include "core/store/looks.h"
#include "core/store/run_session.h"
#include "core/sweeps/seed_mean.h"
#include "core/sweeps/sweep_table.h"
#include "tests/program.h"

using namespace strata;

static SweptRuns sweptRuns(Workspace& workspace, const std::string& filter) {
  RunSettings settings;
  return sweptRuns(workspace, filter, settings);
}

// Means, intervals, lines and fronts against calculations by hand over runs that the test writes.
class TestSweepTable : public QObject {
  Q_OBJECT
 private slots:
  void groupsDifferInMoreThanTheSeed();
  void aValuePerSettingAndLine();
  void aMeanPerConfigurationOverACost();
  void wordsAreSortedByName();
  void theNewestStoredScoreCounts();
  void whatCannotBeDrawnIsNamed();
  void theMetricOfMostRunsIsUsual();
  void quantilesOfStudent();

 private:
  struct Made {
    std::string name;
    double dropout = 0.1;
    std::int64_t seed = 1;
    std::string preset = "p/base";
    double nll = 0;  // at the last step; the one before is 0.1 lower
    std::int64_t parameters = 0;
    RunOutcome outcome = RunOutcome::kFinished;
  };
  static Json config(const Made& made) {
    return {{"preset", made.preset},
            {"seed", made.seed},
            {"name", made.name},
            {"data", {{"dataset", "toy"}}},
            {"training", {{"dropout", made.dropout}, {"phases", Json::array()}}},
            {"model", {{"family", "transformer"}}},
            {"checkpoint", {{"metric", "valid/nll"}}}};
  }
  std::int64_t add(Workspace& workspace, const Made& made) {
    const RunSummary run = createRun(workspace, {made.name, config(made), made.preset});
    RunStart start;
    start.command = "test";
    RunSession session(workspace, run.id, start);
    session.scalars(
        {{run.id, "valid/nll", 10, made.nll - 0.1, 1.7e9},
         {run.id, "valid/nll", 20, made.nll, 1.7e9 + 1},
         {run.id, "train/tokens_per_second", 20, 1000.0 * double(made.seed), 1.7e9 + 1}});
    if (made.parameters > 0) {
      const auto folder = session.folder() / "checkpoints/step-00000020";
      std::filesystem::create_directories(folder);
      const std::vector<float> values(std::size_t(made.parameters));
      writeSafetensors(folder / "model.safetensors",
                       {{"w",
                         {DType::kFloat32,
                          {made.parameters},
                          {reinterpret_cast<const char*>(values.data()), values.size() * 4}}}});
      session.checkpoint({run.id, 20, "checkpoints/step-00000020"});
    }
    session.end({run.id, 20, made.outcome, ""});
    return run.id;
  }
};

void TestSweepTable::groupsDifferInMoreThanTheSeed() {
  const Json first = config({.name = "a"});
  QCOMPARE(configurationGroup(first), configurationGroup(config({.name = "b", .seed = 2})));
  QVERIFY(configurationGroup(first) != configurationGroup(config({.name = "a", .dropout = 0.2})));
  Json turned;  // the same keys in another order
  for (const char* key : {"checkpoint", "model", "training", "data", "preset"})
    turned[key] = first[key];
  QCOMPARE(configurationGroup(turned), configurationGroup(first));
  QCOMPARE(configurationValues(first).at("training.dropout"), Json(0.1));
  QCOMPARE(configurationValues(first).at("training.phases"), Json::array());
}

void TestSweepTable::aValuePerSettingAndLine() {
  const TemporaryFolder folder;
  Workspace workspace(folder.path());
  add(workspace, {.name = "a1", .dropout = 0.1, .seed = 1, .nll = 2.0});
  add(workspace, {.name = "a2", .dropout = 0.1, .seed = 2, .nll = 2.2});
  add(workspace, {.name = "a3", .dropout = 0.1, .seed = 3, .nll = 2.7});
  add(workspace, {.name = "b1", .dropout = 0.3, .seed = 1, .nll = 1.5});
  add(workspace, {.name = "c1", .dropout = 0.3, .seed = 1, .preset = "p/other", .nll = 1.0});
  const SweptRuns runs = sweptRuns(workspace, "");
  QCOMPARE(runs.runs.size(), std::size_t(5));
  QCOMPARE(runs.keys, (std::vector<std::string>{"preset", "training.dropout"}));
  const SweepTable table = sweepTable(
      runs,
      {.metric = "last valid/nll", .x = "training.dropout", .lines = "preset", .baseline = "a2"});
  QVERIFY(table.direction == SeriesDirection::kLower && table.numeric && !table.isCost);
  QCOMPARE(table.lines, (std::vector<std::string>{"p/base", "p/other"}));
  QCOMPARE(table.values.size(), std::size_t(3));
  const SweepValue& value = table.values[0];
  QCOMPARE(value.x, 0.1);
  QCOMPARE(value.points.size(), std::size_t(3));
  QCOMPARE(value.points[1].seed, 2);
  // 2.0, 2.2, 2.7: mean 2.3, variance (0.09 + 0.01 + 0.16) / 2 = 0.13; t(2) = 4.3027.
  QVERIFY(std::abs(value.mean - 2.3) < 1e-12);
  QVERIFY(std::abs(*value.deviation - std::sqrt(0.13)) < 1e-12);
  QVERIFY(std::abs(*value.low - (2.3 - 4.3027 * std::sqrt(0.13) / std::sqrt(3.0))) < 1e-9);
  QVERIFY(std::abs(*value.high - (2.3 + 4.3027 * std::sqrt(0.13) / std::sqrt(3.0))) < 1e-9);
  QCOMPARE(table.values[1].x, 0.3);
  QVERIFY(!table.values[1].deviation && !table.values[1].low);  // one seed
  QVERIFY(std::abs(*table.baseline - 2.3) < 1e-12);             // of its group
  // The best is that of the step before.
  const SweepTable best =
      sweepTable(runs, {.metric = "best valid/nll", .x = "training.dropout", .lines = "preset"});
  QVERIFY(std::abs(best.values[0].mean - 2.2) < 1e-12);
  QCOMPARE(sweptRuns(workspace, "^B|OTHER").runs.size(), std::size_t(2));
  // What is printed are these values.
  const Table shown = shownTable(table);
  QCOMPARE(shown.rows.size(), std::size_t(3));
  QCOMPARE(shown.rows[0][2].text(), std::string("2.3000"));
  QCOMPARE(shown.rows[0].back().text(), std::string("a1 a2 a3"));
}

void TestSweepTable::aMeanPerConfigurationOverACost() {
  const TemporaryFolder folder;
  Workspace workspace(folder.path());
  add(workspace, {.name = "small1", .dropout = 0.1, .seed = 1, .nll = 3.0, .parameters = 10});
  add(workspace, {.name = "small2", .dropout = 0.1, .seed = 2, .nll = 2.8, .parameters = 10});
  add(workspace,
      {.name = "middle", .dropout = 0.2, .nll = 3.1, .parameters = 20});  // worse, dearer
  add(workspace, {.name = "large", .dropout = 0.3, .nll = 2.0, .parameters = 40});
  add(workspace, {.name = "none", .dropout = 0.4, .nll = 1.0});
  const SweptRuns runs = sweptRuns(workspace, "");
  const SweepTable table = sweepTable(runs, {.metric = "last valid/nll", .x = kSweepParameters});
  QVERIFY(table.isCost);
  QCOMPARE(table.values.size(), std::size_t(3));
  QCOMPARE(table.values[0].x, 10.0);
  QCOMPARE(table.values[0].points.size(), std::size_t(2));
  QVERIFY(table.values[0].onFront && !table.values[1].onFront && table.values[2].onFront);
  QCOMPARE(table.leftOut, (std::vector<std::string>{"none: no parameters"}));
  // Of speeds the higher is the cheaper: small2 and the others have 1,000 to 2,000 tokens/s.
  const SweepTable speeds = sweepTable(runs, {.metric = "last valid/nll", .x = kSweepSpeed});
  QCOMPARE(speeds.values.back().x, 1500.0);  // the mean of the two small ones
  QVERIFY(speeds.values.back().onFront);
}

void TestSweepTable::wordsAreSortedByName() {
  const TemporaryFolder folder;
  Workspace workspace(folder.path());
  add(workspace, {.name = "z", .preset = "p/z", .nll = 1});
  add(workspace, {.name = "a", .preset = "p/a", .nll = 2});
  const SweepTable table =
      sweepTable(sweptRuns(workspace, ""), {.metric = "last valid/nll", .x = "preset"});
  QVERIFY(!table.numeric);
  QCOMPARE(table.labels, (std::vector<std::string>{"p/a", "p/z"}));
  QCOMPARE(table.values[0].label, std::string("p/a"));
  QCOMPARE(table.values[0].x, 0.0);
  QCOMPARE(table.values[0].mean, 2.0);
}

void TestSweepTable::theNewestStoredScoreCounts() {
  const TemporaryFolder folder;
  Workspace workspace(folder.path());
  const std::int64_t run = add(workspace, {.name = "a", .nll = 1});
  add(workspace, {.name = "b", .dropout = 0.2, .nll = 1});
  recordTestLook(workspace, {.time = 100, .run = run, .set = "test", .scores = {{"BLEU", 20.0}}});
  recordTestLook(workspace,
                 {.time = 200, .run = run, .set = "test", .scores = {{"BLEU", {{"score", 21.5}}}}});
  const SweptRuns runs = sweptRuns(workspace, "");
  const SweepTable table = sweepTable(runs, {.metric = "score test BLEU", .x = "training.dropout"});
  QCOMPARE(table.direction, SeriesDirection::kHigher);
  QCOMPARE(table.values.size(), std::size_t(1));
  QCOMPARE(table.values[0].mean, 21.5);
  QCOMPARE(table.leftOut, (std::vector<std::string>{"b: no score test BLEU"}));
}

void TestSweepTable::whatCannotBeDrawnIsNamed() {
  const TemporaryFolder folder;
  Workspace workspace(folder.path());
  add(workspace, {.name = "a", .nll = 1});
  add(workspace, {.name = "b", .dropout = 0.2, .nll = std::nan("")});
  add(workspace, {.name = "broken", .nll = 1, .outcome = RunOutcome::kFailed});
  const SweptRuns runs = sweptRuns(workspace, "");
  QCOMPARE(runs.leftOut, (std::vector<std::string>{"broken: failed"}));
  const SweepTable table = sweepTable(runs, {.metric = "last valid/nll", .x = "training.dropout"});
  QCOMPARE(table.values.size(), std::size_t(1));
  QCOMPARE(table.leftOut.back(), std::string("b: no last valid/nll"));
  QVERIFY_THROWS_EXCEPTION(Error, sweptRuns(workspace, "("));
  QVERIFY_THROWS_EXCEPTION(Error, sweepTable(runs, {.metric = "last valid/nl", .x = "preset"}));
  QVERIFY_THROWS_EXCEPTION(Error, sweepTable(runs, {.metric = "last valid/nll", .x = "seed"}));
}

// A metric that only a few have would leave the others out, though its name comes first.
void TestSweepTable::theMetricOfMostRunsIsUsual() {
  SweptRuns runs{
      .metrics = {"best train/nll", "best valid/bleu", "best valid/nll", "last valid/nll"}};
  runs.runs = {{.metrics = {{"best valid/bleu", 1}, {"best valid/nll", 2}}},
               {.metrics = {{"best train/nll", 1}, {"best valid/nll", 2}}}};
  QCOMPARE(usualMetric(runs), std::string("best valid/nll"));
  runs.runs.pop_back();
  QCOMPARE(usualMetric(runs), std::string("best valid/bleu"));
  runs.runs = {{.metrics = {{"best train/nll", 1}}}};
  QCOMPARE(usualMetric(runs), std::string());
}

void TestSweepTable::quantilesOfStudent() {
  // From the tables of the distribution: 1, 10, 30, 60 and 120 degrees of freedom.
  const std::pair<std::size_t, double> known[] = {
      {1, 12.706}, {10, 2.228}, {30, 2.042}, {60, 2.000}, {120, 1.980}};
  for (const auto& [degrees, quantile] : known)
    QVERIFY2(std::abs(studentQuantile(degrees) - quantile) < 3e-3, std::to_string(degrees).c_str());
}

STRATA_TEST(TestSweepTable)
#include "test_sweep_table.moc"
