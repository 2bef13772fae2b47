#include <qcustomplot.h>

#include <QComboBox>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "tests/program.h"
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
  void rowsOfAFamilyHaveNamesOfTheirOwn_data();
  void rowsOfAFamilyHaveNamesOfTheirOwn();
  void aBinKeepsItsLargestNorm();
  void whatIsNotFiniteIsMarked();
  void aRangeIsCutOut();
  void thePanelAsksForTwoRunsOnce();
  void aRunThatTrainsIsAskedForAgain();
  void mapsBesideEachOtherAreEquallyWide();
  void oneRecordedStepIsDrawn();
  void rowsOfTwoModelsAreAligned();
  void theLastStepsBeforeABreakAreShown();
  void theKeyboardReadsOutCells();
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

// The parameters of docs/models.md, as the trainer groups them.
void TestGradientFlow::rowsOfAFamilyHaveNamesOfTheirOwn_data() {
  QTest::addColumn<QStringList>("layers");
  const QStringList sides{"encoder.", "decoder."};
  const auto onBothSides = [&](const QStringList& names) {
    QStringList layers;
    for (const QString& side : sides)
      for (const QString& name : names) layers << side + name;
    return layers;
  };
  const QStringList stack{"embed_tokens", "layers.0", "layers.1", "layers.10"};
  QTest::newRow("densenmt") << onBothSides(stack + QStringList{"embed_positions",
                                                               "embed_tokens_proj",
                                                               "embed_positions_proj", "in_proj"}) +
                                   QStringList{"encoder.key_projs", "encoder.value_projs",
                                               "encoder.base_proj", "decoder.bottleneck",
                                               "decoder.output_projection"};
  QTest::newRow("deepatt") << QStringList{
      "encoder.embed_tokens",       "encoder.columns.0.layers.0", "encoder.columns.0.layers.1",
      "encoder.columns.1.layers.0", "encoder.columns.1.layers.1", "encoder.interface_proj",
      "decoder.embed_tokens",       "decoder.attention",          "decoder.layers.0",
      "decoder.output_projection"};
  QTest::newRow("dhea") << onBothSides(stack) + QStringList{"decoder.output_projection"};
  QTest::newRow("mlrf") << onBothSides(stack + QStringList{"fusion"}) +
                               QStringList{"fusion.layer_embedding", "decoder.output_projection"};
}

void TestGradientFlow::rowsOfAFamilyHaveNamesOfTheirOwn() {
  QFETCH(QStringList, layers);
  QStringList titles;
  for (const QString& layer : layers) {
    const QString title = layerTitle(layer);
    QVERIFY2(!titles.contains(title), qPrintable(title));
    titles << title;
  }
  QVERIFY(titles.contains("decoder embedding") && titles.contains("decoder 1"));
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

static RunRow flowRow(qint64 id, qint64 step, RunStatus status) {
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
  const QVector<RunRow> runs{flowRow(1, 30, RunStatus::kFinished),
                             flowRow(2, 30, RunStatus::kFinished)};
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
  panel.setRuns({flowRow(1, 30, RunStatus::kRunning)});
  QCOMPARE(wanted.size(), 0);  // nobody looks
  panel.show();
  QCOMPARE(wanted.size(), 1);
  panel.setRuns({flowRow(1, 40, RunStatus::kRunning)});  // the answer is under way
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

// The colour at a step and row of a map, as it is painted.
static QColor colourAt(GradientMapView& view, int map, double step, int row) {
  auto* plot = view.findChild<QCustomPlot*>();
  plot->replot();
  QList<QCPAxisRect*> maps;
  for (QCPAxisRect* rect : plot->axisRects()) {
    if (rect->axis(QCPAxis::atBottom)->label() == "step") maps << rect;
  }
  const QPointF at(maps[map]->axis(QCPAxis::atBottom)->coordToPixel(step),
                   maps[map]->axis(QCPAxis::atLeft)->coordToPixel(row));
  return plot->toPixmap(plot->width(), plot->height()).toImage().pixelColor(at.toPoint());
}

void TestGradientFlow::oneRecordedStepIsDrawn() {
  applyTheme(ThemeChoice::kLight);
  for (const std::int64_t step : {0, 5}) {
    GradientMapView view;
    view.resize(600, 300);
    view.show();
    view.setMaps({{"one",
                   {series(1, "encoder.layers.0", {point(step, 0.5)}),
                    series(1, "decoder.layers.0", {point(step, 2)})}}});
    const QColor low = colourAt(view, 0, double(step) + 0.3, 0),
                 high = colourAt(view, 0, double(step) + 0.7, 1);
    QVERIFY(low != theme().raised && high != theme().raised);
    QVERIFY(low != high);
    QCOMPARE(view.range(), StepRange({double(step), double(step)}));
  }
}

void TestGradientFlow::rowsOfTwoModelsAreAligned() {
  GradientMapView view;
  view.resize(700, 300);
  view.show();
  view.setMaps({{"small",
                 {series(1, "encoder.layers.0", {point(1, 1), point(2, 1)}),
                  series(1, "decoder.layers.0", {point(1, 4), point(2, 4)})}},
                {"large",
                 {series(2, "encoder.layers.0", {point(1, 1), point(2, 1)}),
                  series(2, "encoder.layers.1", {point(1, 2), point(2, 2)}),
                  series(2, "decoder.layers.0", {point(1, 4), point(2, 4)})}}});
  const QStringList rows{"encoder.layers.0", "encoder.layers.1", "decoder.layers.0"};
  QCOMPARE(view.flows()[0].layers, rows);
  QCOMPARE(view.flows()[1].layers, rows);
  QVERIFY(std::isnan(view.flows()[0].at(1, 0)));
  QCOMPARE(view.flows()[0].at(2, 0), 4.0);
  // The same colour at the same height in both, and nothing where a model has no such layer.
  QCOMPARE(colourAt(view, 0, 1.5, 2), colourAt(view, 1, 1.5, 2));
  QCOMPARE(colourAt(view, 0, 1.5, 1), theme().raised);
  QVERIFY(colourAt(view, 1, 1.5, 1) != theme().raised);
}

void TestGradientFlow::theLastStepsBeforeABreakAreShown() {
  QAction demo("demo");
  GradientFlowPanel panel(&demo);
  panel.resize(900, 500);
  panel.show();
  panel.setRuns({flowRow(1, 5000, RunStatus::kFailed)});
  std::vector<ScalarPoint> norms;
  for (std::int64_t step = 100; step < 4900; step += 100) norms.push_back(point(step, 1));
  for (std::int64_t step = 4900; step < 5000; ++step) norms.push_back(point(step, double(step)));
  norms.push_back(point(5000, INFINITY));
  panel.setSeries(1, {series(1, "encoder.layers.0", norms)});
  auto* last = panel.findChild<QAction*>("gradientLast");
  QVERIFY(last->isEnabled());
  QVERIFY(panel.map()->range() == StepRange({100, 5000}));
  last->trigger();
  QVERIFY(panel.map()->range() == StepRange({4900, 5000}));
  const GradientFlow& flow = panel.map()->flows()[0];
  QCOMPARE(flow.bins, 101);  // every step of them
  QCOMPARE(flow.at(0, 99), 4999.0);
  QCOMPARE(flow.nonFinite, (std::vector<std::pair<int, double>>{{0, 5000}}));
  // A mark and a line through its step.
  auto* plot = panel.findChild<QCustomPlot*>();
  QCOMPARE(plot->itemCount(), 1);
  QCOMPARE(plot->graph(0)->data()->at(0)->key, 5000.5);
  // Without a break there is nothing to go to.
  panel.setSeries(1, twoLayers(1).mid(0, 2));
  QVERIFY(!last->isEnabled());
}

void TestGradientFlow::theKeyboardReadsOutCells() {
  GradientMapView view;
  view.resize(700, 300);
  view.setMaps({{"one", twoLayers(1)}, {"two", twoLayers(2)}});
  view.show();
  QSignalSpy chosen(&view, &GradientMapView::stepChosen);
  const auto press = [&view](Qt::Key key) {
    QTest::keyClick(&view, key);
    return view.accessibleDescription();
  };
  QCOMPARE(press(Qt::Key_Right), QString("one · encoder 1 · steps 10 to 16: 1"));
  QCOMPARE(press(Qt::Key_Right), QString("one · encoder 1 · steps 17 to 23: 8"));
  QCOMPARE(press(Qt::Key_Up), QString("one · decoder 1 · steps 17 to 23: not finite"));
  QCOMPARE(press(Qt::Key_End), QString("one · decoder 1 · steps 24 to 30: 4"));
  QCOMPARE(press(Qt::Key_Right), QString("two · decoder 1 · steps 10 to 16: 3"));
  press(Qt::Key_Return);
  QCOMPARE(chosen.takeFirst(), QVariantList({1, qint64(10)}));
}

void TestGradientFlow::picturesAndAllPointsAreExported() {
  QAction demo("demo");
  GradientFlowPanel panel(&demo);
  panel.resize(900, 500);
  panel.show();
  panel.setRuns({flowRow(1, 30, RunStatus::kFinished)});
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

STRATA_TEST(TestGradientFlow)
#include "test_gradient_flow.moc"
