#include <qcustomplot.h>

#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QListWidget>
#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <cmath>

#include "tests/program.h"
#include "ui/panels/curves_panel.h"
#include "ui/plots/curve_plot.h"

using namespace strata;
using namespace strata::ui;

// The series that the panel requests, and how it lays out its charts.
class TestCurvesPanel : public QObject {
  Q_OBJECT
 private slots:
  void seriesThatComeLaterAreAskedFor();
  void widePanelsHaveTwoColumnsOfCharts();
  void theLegendIsThereIfNoListSaysWhichRunIsWhich();
  void aRunThatBrokeBeforeItsFirstPointIsMarked();
  void whatIsNotFiniteIsListedAndReached();
  void seedsAreOneLineWithABand();
  void theAxisIsAnotherSeries();
  void aSecondAxisShowsAnotherSeries();
  void anAxisHasNoUnitThatNobodyKnows();
  void aPointChoosesItsRunAndStep();
  void oneChartIsEnlarged();
  void escapeLeavesAnEnlargedChart();
  void aPinnedChartStays();
  void runsWithoutPointsAreNamed();
  void aPinnedPanelDrawsTheSameRunsAgain();
};

static RunRow row(qint64 id, RunStatus status) {
  RunRow run;
  run.id = id;
  run.name = QString("run %1").arg(id);
  run.status = status;
  return run;
}

// The panel was empty, without a word.
void TestCurvesPanel::runsWithoutPointsAreNamed() {
  QAction demo;
  CurvesPanel panel(&demo);
  QVector<RunRow> runs{row(1, RunStatus::kFinished), row(2, RunStatus::kQueued)};
  runs[0].step = 100;
  panel.setRuns(runs);
  panel.setDrawn({{2, "run 2", 0}});
  QCOMPARE(panel.lack(), QString());  // its series are not known yet
  panel.setSeriesNames(2, {});
  QCOMPARE(panel.lack(), QString("run 2 has logged no points yet."));
  panel.show();
  Selection shared;
  connect(&panel, &Panel::selected, this, [&](const Selection& choice) { shared = choice; });
  auto* draw = panel.findChild<QPushButton*>("lackRemedy");
  QVERIFY(draw && draw->isVisible());
  draw->click();
  QCOMPARE(shared.drawn, std::optional(QVector<qint64>{1}));
  panel.setSeriesNames(2, {"train/nll"});
  QCOMPARE(panel.lack(), QString());
}

// It was empty after a restart, without a word.
void TestCurvesPanel::aPinnedPanelDrawsTheSameRunsAgain() {
  QAction demo;
  const QVector<RunRow> runs{row(1, RunStatus::kFinished), row(2, RunStatus::kFinished)};
  const auto watches = [](const CurvesPanel& panel, qint64 run) {
    return panel.watched().contains({run, ""});
  };
  const auto drawnAfter = [&](const Json& state, const QVector<RunRow>& present, auto check) {
    CurvesPanel panel(&demo);
    panel.setPinned(true);
    panel.restoreState(state);
    panel.setRuns(present);
    panel.setDrawn({{2, "run 2", 0}});
    check(panel);
  };
  CurvesPanel before(&demo);
  before.setRuns(runs);
  before.setDrawn({{1, "run 1", 3}});
  const Json unpinned = before.saveState();
  before.setPinned(true);
  before.setDrawn({{2, "run 2", 0}});
  const Json state = before.saveState();
  drawnAfter(state, runs, [&](CurvesPanel& panel) {
    QVERIFY(watches(panel, 1) && !watches(panel, 2));
    QCOMPARE(panel.saveState(), state);
    panel.setPinned(false);
    panel.select({});
    QVERIFY(watches(panel, 2) && !watches(panel, 1));
  });
  // Its run is gone, or an older version has not written which it was.
  drawnAfter(state, {runs[1]}, [&](CurvesPanel& panel) { QVERIFY(watches(panel, 2)); });
  drawnAfter(unpinned, runs, [&](CurvesPanel& panel) { QVERIFY(watches(panel, 2)); });
}

void TestCurvesPanel::seriesThatComeLaterAreAskedFor() {
  QAction demo;
  CurvesPanel panel(&demo);
  panel.setRuns({row(1, RunStatus::kRunning), row(2, RunStatus::kRunning)});
  panel.setDrawn({{2, "run 2", 0}, {1, "run 1", 1}});
  panel.setSeriesNames(1, {"train/nll", "lr"});
  panel.setSeriesNames(2, {"memory"});  // none that is ticked
  QVERIFY(panel.watched().contains({1, "train/nll"}));
  QVERIFY(!panel.watched().contains({2, "train/nll"}));
  QVERIFY(panel.watched().contains({2, ""}));  // its names are still asked for
  panel.setSeriesNames(2, {"memory", "train/nll"});
  QVERIFY(panel.watched().contains({2, "train/nll"}));
}

void TestCurvesPanel::widePanelsHaveTwoColumnsOfCharts() {
  QAction demo;
  CurvesPanel panel(&demo);
  panel.setRuns({row(1, RunStatus::kRunning)});
  panel.setDrawn({{1, "run 1", 0}});
  panel.setSeriesNames(1, {"train/nll", "lr"});
  panel.resize(1200, 600);
  panel.show();
  const auto places = [&panel] {
    return std::pair(panel.chart("train/nll")->pos(), panel.chart("lr")->pos());
  };
  QTRY_VERIFY(places().first.y() == places().second.y());
  QVERIFY(places().first.x() < places().second.x());
  panel.resize(600, 600);
  QTRY_VERIFY(places().first.x() == places().second.x());
  QVERIFY(places().first.y() < places().second.y());
}

static std::vector<ScalarPoint> points(std::initializer_list<std::pair<int, double>> values) {
  std::vector<ScalarPoint> all;
  for (const auto& [step, value] : values) all.push_back({step, 1000.0 + step, value});
  return all;
}

static QString textIn(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// Two drawn runs with a series each.
struct TwoRuns {
  TwoRuns() {
    runs = {row(1, RunStatus::kFinished), row(2, RunStatus::kFinished)};
    panel.setRuns(runs);
    panel.setDrawn({{2, "run 2", 1}, {1, "run 1", 0}});
    panel.resize(1100, 600);
    panel.show();
  }
  void load(const QString& name, std::vector<ScalarPoint> first, std::vector<ScalarPoint> second) {
    names << name;
    panel.setSeriesNames(1, names);
    panel.setSeriesNames(2, names);
    panel.addPoints({{{1, name}, std::move(first), true}, {{2, name}, std::move(second), true}});
  }

  QAction demo;
  CurvesPanel panel{&demo};
  QVector<RunRow> runs;
  QStringList names;
};

void TestCurvesPanel::theLegendIsThereIfNoListSaysWhichRunIsWhich() {
  TwoRuns two;
  two.load("train/nll", points({{1, 1}}), points({{1, 2}}));
  auto* legend = two.panel.findChild<QListWidget*>("curveLegend");
  QVERIFY(!legend->isVisible());
  two.panel.setRunsListed(false);
  QVERIFY(legend->isVisible());
  QCOMPARE(legend->width(), 170);
  QCOMPARE(legend->count(), 2);
  QCOMPARE(legend->item(0)->text(), QString("run 2"));
  QTRY_VERIFY(legend->mapTo(&two.panel, QPoint(0, 0)).x() >=
              two.panel.chart("train/nll")->mapTo(&two.panel, QPoint(0, 0)).x() +
                  two.panel.chart("train/nll")->width());
  two.panel.resize(700, 600);
  QTRY_VERIFY(!legend->isVisible());  // the curves need the room
}

void TestCurvesPanel::aRunThatBrokeBeforeItsFirstPointIsMarked() {
  TwoRuns two;
  two.panel.setSeriesNames(1, {"train/nll"});
  two.panel.setSeriesNames(2, {"grad_norm/all"});
  two.panel.showSeries({"train/nll"});
  two.panel.addPoints({{{1, "train/nll"}, points({{1, 3}, {2, 2}}), true}});
  CurvePlot* chart = two.panel.chart("train/nll");
  QCOMPARE(chart->markedValues(), 0);
  two.runs[1].status = RunStatus::kFailed;
  two.runs[1].diverged = true;
  two.runs[1].step = 7;
  two.panel.setRuns(two.runs);
  QTRY_VERIFY(chart->isUpToDate());
  QCOMPARE(chart->markedValues(), 1);
  QVERIFY(chart->xRange().contains(7));
  QStringList texts;
  for (int i = 0; i < chart->plot()->itemCount(); ++i) {
    if (auto* text = qobject_cast<QCPItemText*>(chart->plot()->item(i))) texts << text->text();
  }
  QCOMPARE(texts, QStringList("run 2 broke at step 7 before its first point"));
  auto* breaks = two.panel.findChild<QToolButton*>("curveBreaks");
  QVERIFY(breaks->isVisible());
  emit breaks->menu()->aboutToShow();
  QCOMPARE(breaks->menu()->actions()[0]->text(), texts[0]);
}

void TestCurvesPanel::whatIsNotFiniteIsListedAndReached() {
  TwoRuns two;
  std::vector<ScalarPoint> line;
  for (int step = 0; step <= 10000; ++step)
    line.push_back({step, 0, step == 4000 ? std::nan("") : 1.0});
  two.load("train/nll", line, points({{1, 2}, {3, INFINITY}}));
  auto* breaks = two.panel.findChild<QToolButton*>("curveBreaks");
  QCOMPARE(breaks->text(), QString("▲ 2 not finite"));
  emit breaks->menu()->aboutToShow();
  const QList<QAction*> entries = breaks->menu()->actions();
  QCOMPARE(entries.size(), 2);
  QCOMPARE(entries[1]->text(), QString("run 1 · train/nll · step 4,000: NaN"));
  QCOMPARE(entries[0]->text(), QString("run 2 · train/nll · step 3: +Inf"));
  entries[1]->trigger();
  const QCPRange shown = two.panel.chart("train/nll")->xRange();
  QVERIFY(std::abs(shown.center() - 4000) < 1);
  QCOMPARE(shown.size(), 200.0);
}

void TestCurvesPanel::seedsAreOneLineWithABand() {
  TwoRuns two;
  for (RunRow& run : two.runs) run.group = "g";
  two.panel.setRuns(two.runs);
  two.load("train/nll", points({{1, 1}, {2, 5}, {3, 9}}), points({{1, 3}, {2, 5}}));
  auto* seeds = two.panel.findChild<QComboBox*>("curveSeeds");
  CurvePlot* chart = two.panel.chart("train/nll");
  QCOMPARE(chart->curves().size(), 2);
  seeds->setCurrentIndex(1);
  QCOMPARE(chart->curves().size(), 1);
  const CurvePlot::Curve curve = chart->curves()[0];
  QCOMPARE(curve.label, QString("run, 2 seeds"));
  QCOMPARE(curve.series->size(), std::size_t(2));  // step 3 has one seed only
  QCOMPARE(curve.series->values()[0], 2.0);
  QCOMPARE(curve.high->values()[0], 2 + std::sqrt(2.0));
  QCOMPARE(curve.low->values()[1], 5.0);
  seeds->setCurrentIndex(2);  // t(1) = 12.706; the standard error of 1 and 3 is 1
  QVERIFY(std::abs(chart->curves()[0].high->values()[0] - (2 + 12.706)) < 1e-9);
  two.panel.addPoints({{{2, "train/nll"}, points({{3, 11}}), false}});
  QCOMPARE(chart->curves()[0].series->values()[2], 10.0);
}

void TestCurvesPanel::theAxisIsAnotherSeries() {
  TwoRuns two;
  two.load("train/nll", points({{10, 4}, {20, 3}}), points({{10, 5}, {20, 4}}));
  two.load("train/tokens", points({{10, 1000}, {20, 2000}}), points({{10, 3000}, {20, 6000}}));
  two.panel.showSeries({"train/nll"});
  auto* axis = two.panel.findChild<QComboBox*>("curveXAxis");
  const int tokens = axis->findData("train/tokens");
  QVERIFY(tokens > 2);
  axis->setCurrentIndex(tokens);
  QVERIFY(two.panel.watched().contains({1, "train/tokens"}));
  two.panel.addPoints({{{1, "train/tokens"}, points({{10, 1000}, {20, 2000}}), true},
                       {{2, "train/tokens"}, points({{10, 3000}, {20, 6000}}), true}});
  CurvePlot* chart = two.panel.chart("train/nll");
  QTRY_VERIFY(chart->isUpToDate());
  QVERIFY(chart->xRange().contains(6000) && chart->xRange().contains(1000));
  QCOMPARE(chart->plot()->xAxis->label(), QString("target words"));
  QVERIFY(two.panel.chart("train/tokens") == nullptr);  // it is only the axis
  const Json state = two.panel.saveState();
  QCOMPARE(state["x_series"].get<std::string>(), std::string("train/tokens"));
  axis->setCurrentIndex(0);
  QTRY_VERIFY(chart->isUpToDate());
  QVERIFY(chart->xRange().upper < 30);
  // The choice comes back with the series.
  TwoRuns again;
  again.panel.restoreState(state);
  again.load("train/tokens", {}, {});
  QCOMPARE(again.panel.findChild<QComboBox*>("curveXAxis")->currentData().toString(),
           QString("train/tokens"));
}

void TestCurvesPanel::aSecondAxisShowsAnotherSeries() {
  TwoRuns two;
  two.load("train/nll", points({{10, 4}, {20, 3}}), points({{10, 5}, {20, 4}}));
  two.load("lr", points({{10, 0.1}, {20, 0.2}}), points({{10, 0.3}, {20, 0.4}}));
  two.panel.showSeries({"train/nll", "lr"});
  auto* second = two.panel.findChild<QComboBox*>("curveSecond");
  CurvePlot* chart = two.panel.chart("train/nll");
  QTRY_VERIFY(chart->isUpToDate());
  QVERIFY(!chart->plot()->yAxis2->visible());
  second->setCurrentIndex(second->findData("lr"));
  QTRY_VERIFY(chart->isUpToDate());
  QVERIFY(chart->plot()->yAxis2->visible());
  QCOMPARE(chart->plot()->yAxis2->label(), QString("learning rate (dotted)"));
  QCOMPARE(chart->second().size(), 2);
  // Each axis fits its own curves: 0.1 to 0.4 and 3 to 5.
  QVERIFY(chart->secondRange().lower < 0.1 && chart->secondRange().upper > 0.4);
  QVERIFY(chart->secondRange().upper < 0.5);
  QVERIFY(chart->yRange().lower > 2 && chart->yRange().upper > 5);
  QVERIFY(two.panel.chart("lr")->second().isEmpty());  // it would be the same curves
  const auto* line = chart->plot()->graph(chart->plot()->graphCount() - 2);
  QVERIFY(line->valueAxis() == chart->plot()->yAxis2);
  QCOMPARE(line->pen().style(), Qt::DotLine);
  chart->setXRange(15, 25);  // of what is visible: 0.2 and 0.4
  QTRY_VERIFY(chart->isUpToDate());
  QVERIFY(chart->secondRange().lower > 0.15 && chart->secondRange().lower < 0.2);
  QTemporaryDir folder;
  chart->exportTo(folder.filePath("c.tex"));
  const QString tex = textIn(folder.filePath("c.tex")), csv = textIn(folder.filePath("c.csv"));
  QVERIFY(tex.contains("axis y line*=right") && tex.contains("ylabel={learning rate (dotted)}"));
  QCOMPARE(csv.count(",lr,"), 4);
  QCOMPARE(csv.count(",train/nll,"), 4);
  const Json state = two.panel.saveState();
  second->setCurrentIndex(0);
  QTRY_VERIFY(chart->isUpToDate());
  QVERIFY(!chart->plot()->yAxis2->visible());
  TwoRuns again;
  again.panel.restoreState(state);
  again.load("lr", {}, {});
  QCOMPARE(again.panel.findChild<QComboBox*>("curveSecond")->currentData().toString(),
           QString("lr"));
}

// fairseq's own losses are in bits, and a tag of TensorBoard is in whatever its writer chose.
void TestCurvesPanel::anAxisHasNoUnitThatNobodyKnows() {
  QAction demo;
  CurvesPanel panel(&demo);
  QVector<RunRow> runs{row(1, RunStatus::kFinished), row(2, RunStatus::kFinished),
                       row(3, RunStatus::kFinished)};
  runs[0].preset = "demo/mlrf";
  runs[1].preset = "imported/fairseq";
  runs[2].preset = "imported/tensorboard";
  panel.setRuns(runs);
  const auto title = [&](const QVector<int>& drawn, const QString& series) {
    QVector<DrawnRun> wanted;
    for (const int id : drawn) wanted.push_back({id, QString("run %1").arg(id), id});
    panel.setDrawn(wanted);
    for (const int id : drawn) panel.setSeriesNames(id, {series});
    panel.showSeries({series});
    return panel.chart(series)->axisTitle(panel.chart(series)->plot()->yAxis);
  };
  QCOMPARE(title({1}, "train/loss"), QString("loss (nats per word)"));
  QCOMPARE(title({2}, "train/loss"), QString("loss (nats per word)"));
  QCOMPARE(title({1, 3}, "train/loss"), QString("loss"));
  QCOMPARE(title({3}, "train/loss"), QString("loss"));
  QCOMPARE(title({2}, "fairseq/train/nll_loss"), QString("nll loss"));
  QCOMPARE(title({2}, "fairseq/valid/loss"), QString("loss"));
  QCOMPARE(title({3}, "valid/bleu"), QString("bleu"));
  QCOMPARE(title({1}, "valid/bleu"), QString("BLEU (points)"));
}

void TestCurvesPanel::aPointChoosesItsRunAndStep() {
  TwoRuns two;
  two.load("train/nll", points({{10, 4}, {20, 3}}), points({{10, 5}, {20, 4}}));
  CurvePlot* chart = two.panel.chart("train/nll");
  QTRY_VERIFY(chart->isUpToDate());
  QSignalSpy selected(&two.panel, &CurvesPanel::selected);
  chart->setFocus();
  QTest::keyClick(chart, Qt::Key_Right);
  QTest::keyClick(chart, Qt::Key_Down);
  QTest::keyClick(chart, Qt::Key_End);
  QTest::keyClick(chart, Qt::Key_Return);
  QCOMPARE(selected.size(), 1);
  const auto choice = selected[0][0].value<Selection>();
  QCOMPARE(choice.run.value(), qint64(1));
  QCOMPARE(choice.step.value(), qint64(20));
}

static QAction* toolOf(const CurvePlot* chart, const char* name) {
  return chart->findChild<QAction*>(QLatin1String(name));
}

void TestCurvesPanel::oneChartIsEnlarged() {
  TwoRuns two;
  two.load("train/nll", points({{10, 4}, {20, 3}}), points({{10, 5}, {20, 4}}));
  two.load("lr", points({{10, 0.1}, {20, 0.2}}), points({{10, 0.3}, {20, 0.4}}));
  two.panel.showSeries({"train/nll", "lr"});
  CurvePlot *nll = two.panel.chart("train/nll"), *lr = two.panel.chart("lr");
  QTRY_VERIFY(two.panel.isUpToDate());
  const int width = lr->width();
  two.panel.activateWindow();
  lr->setFocus();
  QTRY_VERIFY(lr->hasFocus());
  QTest::keyClick(lr, Qt::Key_F);
  QVERIFY(nll->isHidden() && lr->isVisible());
  QTRY_VERIFY(lr->width() > 2 * width - 20);
  two.panel.addPoints({{{1, "train/nll"}, points({{30, 2}}), false}});
  QTRY_VERIFY(two.panel.isUpToDate());  // what is hidden is not waited for
  const Json state = two.panel.saveState();
  QTest::keyClick(lr, Qt::Key_F);
  QVERIFY(nll->isVisible() && lr->isVisible());
  TwoRuns again;
  again.panel.restoreState(state);
  again.load("train/nll", points({{10, 4}}), points({{10, 5}}));
  again.load("lr", points({{10, 1}}), points({{10, 2}}));
  again.panel.showSeries({"train/nll", "lr"});
  QVERIFY(again.panel.chart("train/nll")->isHidden());
  QVERIFY(toolOf(again.panel.chart("lr"), "enlargeChart")->isChecked());
  again.panel.showSeries({"train/nll"});  // the enlarged one is gone: the others come back
  QVERIFY(again.panel.chart("train/nll")->isVisible());
}

void TestCurvesPanel::escapeLeavesAnEnlargedChart() {
  TwoRuns two;
  two.load("train/nll", points({{10, 4}, {20, 3}}), points({{10, 5}, {20, 4}}));
  two.load("lr", points({{10, 0.1}, {20, 0.2}}), points({{10, 0.3}, {20, 0.4}}));
  two.panel.showSeries({"train/nll", "lr"});
  CurvePlot *nll = two.panel.chart("train/nll"), *lr = two.panel.chart("lr");
  two.panel.activateWindow();
  QTRY_VERIFY(two.panel.isActiveWindow());
  QAction* alone = toolOf(lr, "enlargeChart");
  QCOMPARE(alone->toolTip(), QString("Only this chart (F); all charts again: Esc"));
  alone->trigger();  // by its button, which takes no focus
  QVERIFY(nll->isHidden() && lr->isVisible());
  QTRY_VERIFY(lr->hasFocus());
  QTest::keyClick(lr, Qt::Key_Escape);
  QVERIFY(nll->isVisible() && lr->isVisible());
  QVERIFY(!alone->isChecked());
  QTest::keyClick(lr, Qt::Key_Escape);
  QVERIFY(nll->isVisible() && lr->isVisible());
}

void TestCurvesPanel::aPinnedChartStays() {
  TwoRuns two;
  two.load("train/nll", points({{10, 4}, {20, 3}}), points({{10, 5}, {20, 4}}));
  two.load("lr", points({{10, 0.1}, {20, 0.2}}), points({{10, 0.3}, {20, 0.4}}));
  two.panel.showSeries({"train/nll", "lr"});
  QCOMPARE(two.panel.charts()[0]->title(), QString("train/nll"));
  toolOf(two.panel.chart("lr"), "pinChart")->trigger();
  QTRY_COMPARE(two.panel.charts()[0]->title(), QString("lr"));  // before the others
  two.panel.showSeries({"train/nll"});
  QVERIFY(two.panel.chart("lr"));
  QVERIFY(two.panel.watched().contains({2, "lr"}));
  QCOMPARE(two.panel.chart("lr")->curves().size(), 2);
  const Json state = two.panel.saveState();
  toolOf(two.panel.chart("lr"), "pinChart")->trigger();
  QTRY_VERIFY(!two.panel.chart("lr"));
  QVERIFY(!two.panel.watched().contains({2, "lr"}));
  TwoRuns again;
  again.panel.restoreState(state);
  again.load("lr", points({{10, 1}}), points({{10, 2}}));
  again.load("train/nll", points({{10, 4}}), points({{10, 5}}));
  QVERIFY(again.panel.chart("lr"));
  QVERIFY(toolOf(again.panel.chart("lr"), "pinChart")->isChecked());
}

STRATA_TEST(TestCurvesPanel)
#include "test_curves_panel.moc"
