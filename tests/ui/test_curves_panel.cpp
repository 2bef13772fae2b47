#include <QAction>
#include <QSignalSpy>
#include <QtTest>

#include "ui/panels/curves_panel.h"
#include "ui/plots/curve_plot.h"

using namespace strata;
using namespace strata::ui;

// The runs and series that the panel requests, in whatever order the workspace lists them.
class TestCurvesPanel : public QObject {
  Q_OBJECT
 private slots:
  void aRunThatIsListedBeforeItTrainsIsDrawn();
  void everyRunThatTrainsAtFirstIsDrawn();
  void aRunThatWaitsIsNotDrawn();
  void aRunThatWasUntickedStaysSo();
  void seriesThatComeLaterAreAskedFor();
  void widePanelsHaveTwoColumnsOfCharts();
};

static RunRow row(qint64 id, RunStatus status) {
  RunRow run;
  run.id = id;
  run.name = QString("run %1").arg(id);
  run.status = status;
  return run;
}

static QSet<qint64> drawn(const CurvesPanel& panel) {
  QSet<qint64> runs;
  for (const SeriesKey& key : panel.watched()) runs << key.runId;
  return runs;
}

void TestCurvesPanel::aRunThatIsListedBeforeItTrainsIsDrawn() {
  QAction demo;
  CurvesPanel panel(&demo);
  panel.setRuns({row(1, RunStatus::kRunning)});
  panel.setRuns({row(1, RunStatus::kRunning), row(2, RunStatus::kCreated)});
  QCOMPARE(drawn(panel), QSet<qint64>({1}));
  panel.setRuns({row(1, RunStatus::kRunning), row(2, RunStatus::kRunning)});
  QCOMPARE(drawn(panel), QSet<qint64>({1, 2}));
}

void TestCurvesPanel::everyRunThatTrainsAtFirstIsDrawn() {
  QAction demo;
  CurvesPanel panel(&demo);
  panel.setRuns(
      {row(1, RunStatus::kFinished), row(2, RunStatus::kRunning), row(3, RunStatus::kRunning)});
  QCOMPARE(drawn(panel), QSet<qint64>({2, 3}));
}

// Queued runs take no colours and no place in the legend until they start.
void TestCurvesPanel::aRunThatWaitsIsNotDrawn() {
  QAction demo;
  CurvesPanel panel(&demo);
  panel.setRuns({row(1, RunStatus::kFinished), row(2, RunStatus::kFinished),
                 row(3, RunStatus::kQueued), row(4, RunStatus::kQueued)});
  QCOMPARE(drawn(panel), QSet<qint64>({2}));
  panel.setRuns({row(1, RunStatus::kFinished), row(2, RunStatus::kFinished),
                 row(3, RunStatus::kRunning), row(4, RunStatus::kQueued)});
  QCOMPARE(drawn(panel), QSet<qint64>({2, 3}));
}

void TestCurvesPanel::aRunThatWasUntickedStaysSo() {
  QAction demo;
  CurvesPanel panel(&demo);
  panel.setRuns({row(1, RunStatus::kRunning), row(2, RunStatus::kRunning)});
  panel.select({.drawn = QVector<qint64>{2}});
  panel.setRuns(
      {row(1, RunStatus::kRunning), row(2, RunStatus::kRunning), row(3, RunStatus::kRunning)});
  QCOMPARE(drawn(panel), QSet<qint64>({2, 3}));
  panel.setRuns(
      {row(1, RunStatus::kStopped), row(2, RunStatus::kRunning), row(3, RunStatus::kRunning)});
  QCOMPARE(drawn(panel), QSet<qint64>({2, 3}));
}

void TestCurvesPanel::seriesThatComeLaterAreAskedFor() {
  QAction demo;
  CurvesPanel panel(&demo);
  panel.setRuns({row(1, RunStatus::kRunning), row(2, RunStatus::kRunning)});
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

QTEST_MAIN(TestCurvesPanel)
#include "test_curves_panel.moc"
