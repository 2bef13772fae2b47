#include <QAction>
#include <QLabel>
#include <QListWidget>
#include <QTableView>
#include <QtTest>
#include <limits>

#include "tests/ui/window_fixture.h"
#include "ui/data/plurals.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/runs_model.h"
#include "ui/panels/runs_panel.h"
#include "ui/plots/curve_plot.h"
#include "ui/style/theme.h"

using namespace strata;
using namespace strata::ui;

// The table of runs, and what depends on which of them are drawn.
class TestRunsPanel : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void runsWithoutAScoreComeLast();
  void termsFilterOneColumn();
  void columnsAreChosen();
  void tabLeavesTheTable();
  void onlyRunsThatCanGoOnAreResumed();
  void aRunKeepsItsColour();
  void numbersHaveTheirPlural();

 private:
  void makeRuns(const std::vector<const char*>& names, RunOutcome outcome);
  QColor colourOf(const QString& run) const;
};

void TestRunsPanel::runsWithoutAScoreComeLast() {
  const double none = std::numeric_limits<double>::quiet_NaN();
  QVector<RunRow> rows(5);
  const double best[] = {3, none, 1, none, 2};
  for (int i = 0; i < 5; ++i) {
    rows[i].id = i + 1;
    rows[i].best = best[i];
    rows[i].lastStep = i;
  }
  RunsModel model;
  model.setRuns(rows);
  RunsFilter filter;
  filter.setSourceModel(&model);
  const auto order = [&] {
    QVector<qint64> ids;
    for (int row = 0; row < filter.rowCount(); ++row)
      ids << filter.index(row, 0).data(RunsModel::kRunIdRole).toLongLong();
    return ids;
  };
  filter.sort(RunsModel::kBest, Qt::AscendingOrder);
  QCOMPARE(order(), (QVector<qint64>{3, 5, 1, 2, 4}));
  filter.sort(RunsModel::kBest, Qt::DescendingOrder);
  QCOMPARE(order().mid(0, 3), (QVector<qint64>{1, 5, 3}));
}

void TestRunsPanel::makeRuns(const std::vector<const char*>& names, RunOutcome outcome) {
  for (const char* name : names) {
    Json config = fixture::config();
    config["model"]["name"] = name;  // they differ in more than their seeds
    const RunSummary run = createRun(*workspace_, {name, config, "mlrf/both-fnn-sa4"});
    RunSession session(*workspace_, run.id, fixture::start());
    fixture::train(session, 10, 100);
    session.end({run.id, 100, outcome, ""});
  }
  open();
  QTRY_COMPARE(window_->rows().size(), qsizetype(names.size()));
}

void TestRunsPanel::termsFilterOneColumn() {
  QVector<RunRow> rows(3);
  const double best[] = {3, std::numeric_limits<double>::quiet_NaN(), 1};
  for (int i = 0; i < 3; ++i) {
    rows[i].id = i + 1;
    rows[i].name = i == 1 ? "finished business" : "run";
    rows[i].best = best[i];
    rows[i].seed = i;
    rows[i].lastStep = 1;
    rows[i].status = i == 2 ? RunStatus::kRunning : RunStatus::kFinished;
  }
  RunsModel model;
  model.setRuns(rows);
  RunsFilter filter;
  filter.setSourceModel(&model);
  const auto shown = [&](const char* pattern) {
    QVector<qint64> ids;
    if (!filter.setPattern(pattern)) return QVector<qint64>{-1};
    for (int row = 0; row < filter.rowCount(); ++row)
      ids << filter.index(row, 0).data(RunsModel::kRunIdRole).toLongLong();
    return ids;
  };
  QCOMPARE(shown("finished"), (QVector<qint64>{1, 2}));
  QCOMPARE(shown("status:finished"), (QVector<qint64>{1, 2}));
  QCOMPARE(shown("status:finished name:^run"), (QVector<qint64>{1}));
  QCOMPARE(shown("Status:run|stop"), (QVector<qint64>{3}));
  QCOMPARE(shown("best<=3"), (QVector<qint64>{1, 3}));  // none without a score
  QCOMPARE(shown("best<3"), (QVector<qint64>{3}));
  QCOMPARE(shown("seed>=1 business"), (QVector<qint64>{2}));
  QCOMPARE(shown("nothing:finished"), QVector<qint64>());  // no column: an expression
  QCOMPARE(shown("best<a"), (QVector<qint64>{-1}));
  QCOMPARE(shown("status:("), (QVector<qint64>{-1}));
  QCOMPARE(shown(""), (QVector<qint64>{1, 2, 3}));
}

void TestRunsPanel::columnsAreChosen() {
  makeRuns({"one"}, RunOutcome::kFinished);
  open();
  auto* table = window_->panel<RunsPanel>()->table();
  const auto hidden = [&] { return table->isColumnHidden(RunsModel::kSeed); };
  QVERIFY(!hidden());
  child<QAction>(("runsColumn" + std::to_string(RunsModel::kSeed)).c_str())->trigger();
  QVERIFY(hidden());
  QVERIFY(!child<QAction>(("runsColumn" + std::to_string(RunsModel::kName)).c_str()));
  const Json state = window_->panel<RunsPanel>()->saveState();
  child<QAction>(("runsColumn" + std::to_string(RunsModel::kSeed)).c_str())->trigger();
  QVERIFY(!hidden());
  window_->panel<RunsPanel>()->restoreState(state);
  QVERIFY(hidden());
}

void TestRunsPanel::tabLeavesTheTable() {
  makeRuns({"first", "second"}, RunOutcome::kFinished);
  auto* table = window_->panel<RunsPanel>()->table();
  window_->activateWindow();
  table->setFocus();
  table->selectRow(0);
  QTRY_VERIFY(table->hasFocus());
  QTest::keyClick(table, Qt::Key_Tab);
  QVERIFY(!table->hasFocus());
}

void TestRunsPanel::onlyRunsThatCanGoOnAreResumed() {
  makeRuns({"done"}, RunOutcome::kFinished);
  auto* panel = window_->panel<RunsPanel>();
  auto* resume = child<QAction>("resumeRun");
  panel->selectRun(1);
  QVERIFY(child<QAction>("renameRun")->isEnabled());
  QVERIFY(!resume->isEnabled());
  const RunSummary run = fixture::makeRun(*workspace_, "halted");
  RunSession(*workspace_, run.id, fixture::start()).end({run.id, 0, RunOutcome::kStopped, ""});
  QTRY_COMPARE(window_->rows().size(), 2);
  panel->selectRun(2);
  QTRY_VERIFY(resume->isEnabled());
}

QColor TestRunsPanel::colourOf(const QString& run) const {
  const CurvePlot* chart = window_->panel<CurvesPanel>()->chart("train/nll");
  if (!chart) return {};  // its runs' series have not arrived
  for (const CurvePlot::Curve& curve : chart->curves()) {
    if (curve.label == run) return seriesColour(curve.style);
  }
  return {};
}

void TestRunsPanel::aRunKeepsItsColour() {
  makeRuns({"a", "b", "c"}, RunOutcome::kFinished);
  const auto draw = [this](const QVector<qint64>& runs) {
    window_->panels()->select({.drawn = runs});
  };
  draw({3});
  QTRY_VERIFY(window_->panel<CurvesPanel>()->chart("train/nll"));
  QTRY_VERIFY(colourOf("c").isValid());
  const QColor third = colourOf("c");
  draw({1, 3});
  QTRY_VERIFY(colourOf("a").isValid());
  const QColor first = colourOf("a");
  QVERIFY(first != third);
  QCOMPARE(colourOf("c"), third);
  draw({1, 2, 3});
  QTRY_VERIFY(colourOf("b").isValid());
  QVERIFY(colourOf("b") != first && colourOf("b") != third);
  draw({1});
  QTRY_COMPARE(colourOf("a"), first);
  reopen();  // and after a restart
  QTRY_VERIFY(window_->panel<CurvesPanel>()->chart("train/nll"));
  QTRY_COMPARE(colourOf("a"), first);
  draw({3});
  QTRY_COMPARE(colourOf("c"), third);
}

void TestRunsPanel::numbersHaveTheirPlural() {
  writePlurals();
  QCOMPARE(tr("%n run(s)", nullptr, 1), QString("1 run"));
  QCOMPARE(tr("%n run(s)", nullptr, 2), QString("2 runs"));
  QCOMPARE(tr("%n value(s) at %n step(s)", nullptr, 0), QString("0 values at 0 steps"));
  QCOMPARE(tr("f(s)"), QString("f(s)"));
}

QTEST_MAIN(TestRunsPanel)
#include "test_runs_panel.moc"
