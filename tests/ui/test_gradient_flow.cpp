#include <qcustomplot.h>

#include <QComboBox>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "ui/data/gradient_flow.h"
#include "ui/panels/gradient_flow_panel.h"
#include "ui/plots/gradient_map.h"
#include "ui/style/theme.h"

using namespace strata;
using namespace strata::ui;

class TestGradientFlow : public QObject {
  Q_OBJECT
 private slots:
  void layersStandAsInTheNetwork();
  void aBinKeepsItsLargestNorm();
  void whatIsNotFiniteIsMarked();
  void aRangeIsCutOut();
  void thePanelAsksForTwoRunsOnce();
  void aRunThatTrainsIsAskedForAgain();
  void mapsBesideEachOtherAreEquallyWide();
  void picturesAndAllPointsAreExported();
};

static SeriesPoints series(qint64 run, const QString& layer, std::vector<ScalarPoint> points) {
  return {{run, kGradientPrefix + layer}, std::move(points), true};
}

static ScalarPoint point(std::int64_t step, double value) {
  return {step, 0, value};
}

static QVector<SeriesPoints> twoLayers(qint64 run) {
  return {series(run, "all", {point(10, 100)}),
          series(run, "encoder.layers.0", {point(10, 1), point(20, 8), point(30, 2)}),
          series(run, "decoder.layers.0", {point(10, 3), point(20, NAN), point(30, 4)})};
}

void TestGradientFlow::layersStandAsInTheNetwork() {
  QVector<SeriesPoints> all;
  for (const char* layer :
       {"decoder.layers.10", "decoder.layers.2", "decoder.output_projection", "encoder.layers.0",
        "all", "encoder.embed_tokens", "decoder.embed_tokens"})
    all << series(1, layer, {point(1, 1)});
  QCOMPARE(gradientFlow(all, {1, 1}, 10).layers,
           QStringList({"encoder.embed_tokens", "encoder.layers.0", "decoder.embed_tokens",
                        "decoder.layers.2", "decoder.layers.10", "decoder.output_projection"}));
}

void TestGradientFlow::aBinKeepsItsLargestNorm() {
  const auto all = twoLayers(1);
  QCOMPARE(stepRangeOf(all), StepRange({10, 30}));
  const GradientFlow one = gradientFlow(all, {10, 30}, 1);
  QCOMPARE(one.norms, std::vector<double>({8, 4}));
  const GradientFlow three = gradientFlow(all, {10, 30}, 100);  // no more bins than points
  QCOMPARE(three.bins, 3);
  QCOMPARE(three.norms, std::vector<double>({1, 8, 2, 3, 3, 4}));
  // A layer whose run ended at step 20, next to one that continued.
  const QVector<SeriesPoints> ended{all[1], series(2, "decoder.layers.0", {point(10, 5)})};
  const GradientFlow cut = gradientFlow(ended, {10, 30}, 3);
  QCOMPARE(cut.at(1, 0), 5.0);
  QVERIFY(std::isnan(cut.at(1, 1)) && std::isnan(cut.at(1, 2)));
}

void TestGradientFlow::whatIsNotFiniteIsMarked() {
  const GradientFlow flow = gradientFlow(twoLayers(1), {10, 30}, 3);
  QCOMPARE(flow.nonFinite, (std::vector<std::pair<int, double>>{{1, 20}}));
}

void TestGradientFlow::aRangeIsCutOut() {
  const GradientFlow flow = gradientFlow(twoLayers(1), {25, 30}, 100);
  QCOMPARE(flow.norms, std::vector<double>({2, 4}));
  QVERIFY(flow.nonFinite.empty());
  QCOMPARE(stepRangeOf({}), StepRange());
  QVERIFY(gradientFlow({}, {0, 0}, 10).layers.isEmpty());
}

static RunRow row(qint64 id, qint64 step, RunStatus status) {
  RunRow made;
  made.id = id;
  made.name = QString("run %1").arg(id);
  made.step = step;
  made.status = status;
  return made;
}

void TestGradientFlow::thePanelAsksForTwoRunsOnce() {
  applyTheme(ThemeChoice::kLight);
  QAction demo("demo");
  GradientFlowPanel panel(&demo);
  QSignalSpy wanted(&panel, &GradientFlowPanel::seriesRequested);
  panel.show();
  QVERIFY(panel.isEmpty());
  const QVector<RunRow> runs{row(1, 30, RunStatus::kFinished), row(2, 30, RunStatus::kFinished)};
  panel.setRuns(runs);
  panel.setRuns(runs);
  QCOMPARE(wanted.size(), 2);  // the newest, and the one before
  QVERIFY(!panel.isUpToDate());
  panel.setSeries(2, twoLayers(2));
  panel.setSeries(1, twoLayers(1));
  QVERIFY(panel.isUpToDate());
  QCOMPARE(panel.map()->titles(), QStringList({"run 2", "run 1"}));
  panel.findChild<QComboBox*>("gradientSecondRun")->setCurrentIndex(0);  // none
  QCOMPARE(panel.map()->titles(), QStringList({"run 2"}));
}

void TestGradientFlow::aRunThatTrainsIsAskedForAgain() {
  QAction demo("demo");
  GradientFlowPanel panel(&demo);
  QSignalSpy wanted(&panel, &GradientFlowPanel::seriesRequested);
  panel.setRuns({row(1, 30, RunStatus::kRunning)});
  QCOMPARE(wanted.size(), 0);  // nobody looks
  panel.show();
  QCOMPARE(wanted.size(), 1);
  panel.setRuns({row(1, 40, RunStatus::kRunning)});  // the answer is under way
  QCOMPARE(wanted.size(), 1);
  panel.setSeries(1, twoLayers(1));
  QTRY_COMPARE(wanted.size(), 2);
}

void TestGradientFlow::mapsBesideEachOtherAreEquallyWide() {
  GradientMapView view;
  view.resize(700, 400);
  view.show();
  view.setMaps({{"one", twoLayers(1)}, {"two", twoLayers(2)}});
  auto* plot = view.findChild<QCustomPlot*>();
  plot->replot();
  QList<QCPAxisRect*> maps;
  for (QCPAxisRect* rect : plot->axisRects()) {
    if (rect->axis(QCPAxis::atBottom)->label() == "step") maps << rect;
  }
  QCOMPARE(maps.size(), 2);
  QCOMPARE(maps[0]->width(), maps[1]->width());
  QVERIFY(maps[0]->width() > 150);
  // The first has room on its left for the names of the layers, the second needs none.
  const QFontMetrics metrics(maps[0]->axis(QCPAxis::atLeft)->tickLabelFont());
  QVERIFY(maps[0]->left() >= metrics.horizontalAdvance("decoder 1"));
  QVERIFY(maps[1]->left() - maps[0]->right() < 40);
}

void TestGradientFlow::picturesAndAllPointsAreExported() {
  QAction demo("demo");
  GradientFlowPanel panel(&demo);
  panel.resize(900, 500);
  panel.show();
  panel.setRuns({row(1, 30, RunStatus::kFinished)});
  panel.setSeries(1, twoLayers(1));
  QTemporaryDir folder;
  for (const char* name : {"g.png", "g.svg", "g.pdf"}) {
    panel.exportTo(folder.filePath(name));
    QVERIFY(QFileInfo(folder.filePath(name)).size() > 500);
  }
  panel.exportTo(folder.filePath("g.csv"));
  QFile file(folder.filePath("g.csv"));
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArrayList lines = file.readAll().trimmed().split('\n');
  QCOMPARE(lines.size(), 8);  // a heading and every point of every layer
  QVERIFY(lines.contains("run 1,decoder.layers.0,20,NaN"));
}

QTEST_MAIN(TestGradientFlow)
#include "test_gradient_flow.moc"
