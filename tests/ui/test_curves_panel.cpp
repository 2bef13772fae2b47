#include <QAction>
#include <QSignalSpy>
#include <QtTest>

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
};

static RunRow row(qint64 id, RunStatus status) {
  RunRow run;
  run.id = id;
  run.name = QString("run %1").arg(id);
  run.status = status;
  return run;
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

QTEST_MAIN(TestCurvesPanel)
#include "test_curves_panel.moc"
