#include <qcustomplot.h>

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>

#include "core/store/histograms.h"
#include "tests/program.h"
#include "tests/ui/exports.h"
#include "tests/ui/window_fixture.h"
#include "ui/panels/histograms_panel.h"
#include "ui/plots/histogram_map.h"
#include "ui/style/theme.h"

using namespace strata;
using namespace strata::ui;

class TestHistogramsPanel : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { applyTheme(ThemeChoice::kLight); }
  void cleanup() { removeWorkspace(); }
  void thePanelAsksWhileSomebodyLooks();
  void aRunWithoutHistogramsSaysWhatTurnsThemOn();
  void anotherKindKeepsTheLayer();
  void sharesAreColoursAndQuantilesLines();
  void whatIsNotFiniteIsSaid();
  void theKeyboardReadsOutCells();
  void theWheelShowsFewerSteps();
  void picturesAndAllBinsAreExported();
  void thousandsOfStepsAreDrawnAtOnce();
  void theWindowShowsARunThatTrains();
};

static StepHistogram at(std::int64_t step, const std::vector<float>& values,
                        HistogramKind kind = HistogramKind::kWeights) {
  StepHistogram made{step, kind, "encoder.layers.0", {}};
  for (const float value : values) ++made.values.counts[std::size_t(histogramBinOf(value))];
  return made;
}

static RunRow histogramRow(qint64 id) {
  RunRow made;
  made.id = id;
  made.name = QString("run %1").arg(id);
  made.step = 30;
  made.status = RunStatus::kFinished;
  return made;
}

// Of 1 to 1.41: three quarters and a half; -2 to -1.41: a quarter and a half; step 30 has NaN.
static RunHistograms histograms(qint64 run = 1) {
  return {{run, HistogramKind::kWeights, "encoder.layers.0"},
          {"encoder.embed_tokens", "encoder.layers.0", "decoder.layers.0"},
          {at(10, {1.1f, 1.1f, 1.1f, -1.5f}), at(20, {1.1f, -1.5f}), at(30, {1.1f, -1.5f, NAN})},
          true};
}

void TestHistogramsPanel::thePanelAsksWhileSomebodyLooks() {
  QAction demo("demo");
  HistogramsPanel panel(&demo);
  QSignalSpy wanted(&panel, &HistogramsPanel::histogramsWanted);
  QVERIFY(panel.isEmpty());
  panel.setRuns({histogramRow(1), histogramRow(2)});
  QCOMPARE(wanted.size(), 0);
  panel.show();
  QCOMPARE(wanted.size(), 1);
  QCOMPARE(wanted.takeLast()[0].value<HistogramChoice>(),
           (HistogramChoice{2, HistogramKind::kWeights, {}}));
  QVERIFY(!panel.isUpToDate());
  panel.setHistograms(histograms(1));  // of a run that is not shown
  QVERIFY(!panel.isUpToDate());
  panel.setHistograms(histograms(2));
  QVERIFY(panel.isUpToDate());
  QCOMPARE(panel.map()->steps().size(), std::size_t{3});
  panel.select({.run = 1});
  QCOMPARE(wanted.takeLast()[0].value<HistogramChoice>().run, qint64(1));
  panel.hide();
  QCOMPARE(wanted.takeLast()[0].value<HistogramChoice>().run, qint64(0));
  QSignalSpy command(&panel, &Panel::commandCopied);
  panel.findChild<QAction*>("copyCommand")->trigger();
  QCOMPARE(command[0][0].toStringList(), QStringList({"runs", "histograms", "run 1", "--kind",
                                                      "weights", "--layer", "encoder.layers.0"}));
}

void TestHistogramsPanel::aRunWithoutHistogramsSaysWhatTurnsThemOn() {
  QAction demo("demo");
  HistogramsPanel panel(&demo);
  panel.show();
  panel.setRuns({histogramRow(1)});
  panel.setHistograms({{1, HistogramKind::kWeights, {}}, {}, {}, false});
  QVERIFY(panel.isUpToDate());
  QVERIFY(panel.lack().contains("recording.histogram_every"));
  QSignalSpy setting(&panel, &HistogramsPanel::settingWanted);
  panel.findChild<QPushButton*>("lackRemedy")->click();
  QCOMPARE(setting[0][0].toString(), QString("recording.histogram_every"));
  panel.setHistograms(histograms());
  QVERIFY(panel.lack().isEmpty());
  // A run that validates on no set has no activations; the other kinds can still be chosen.
  panel.findChild<QComboBox*>("histogramKind")->setCurrentIndex(2);
  panel.setHistograms({{1, HistogramKind::kActivations, {}}, {}, {}, true});
  QVERIFY(panel.lack().isEmpty() && panel.isUpToDate());
  QVERIFY(panel.findChild<QLabel*>("histogramNote")->text().contains("validates"));
  QVERIFY(panel.map()->map().isEmpty());
}

void TestHistogramsPanel::anotherKindKeepsTheLayer() {
  QAction demo("demo");
  HistogramsPanel panel(&demo);
  panel.show();
  panel.setRuns({histogramRow(1)});
  panel.setHistograms(histograms());
  auto* layers = panel.findChild<QComboBox*>("histogramLayer");
  QCOMPARE(layers->currentText(), QString("encoder 1"));
  QSignalSpy wanted(&panel, &HistogramsPanel::histogramsWanted);
  layers->setCurrentIndex(2);
  QCOMPARE(wanted.takeLast()[0].value<HistogramChoice>().layer, QString("decoder.layers.0"));
  // The activations have no such layer: the first is shown, and the weights' comes back.
  auto* kinds = panel.findChild<QComboBox*>("histogramKind");
  kinds->setCurrentIndex(2);
  panel.setHistograms({{1, HistogramKind::kActivations, "encoder.embed_tokens"},
                       {"encoder.embed_tokens"},
                       {at(10, {1})},
                       true});
  QCOMPARE(layers->currentText(), QString("encoder embedding"));
  kinds->setCurrentIndex(0);
  QCOMPARE(wanted.takeLast()[0].value<HistogramChoice>(),
           (HistogramChoice{1, HistogramKind::kWeights, "decoder.layers.0"}));
}

// The colour in the middle of a cell.
static QColor histogramColourAt(HistogramMapView& view, double step, double row) {
  QCustomPlot* plot = view.plot();
  plot->replot();
  const QPointF at(plot->xAxis->coordToPixel(step), plot->yAxis->coordToPixel(row));
  return plot->toPixmap(plot->width(), plot->height()).toImage().pixelColor(at.toPoint());
}

void TestHistogramsPanel::sharesAreColoursAndQuantilesLines() {
  HistogramMapView view;
  view.resize(700, 500);
  view.show();
  view.setSteps("weights", {at(10, {1.1f, 1.1f, 1.1f, -1.5f}), at(20, {1.1f, -1.5f})});
  const HistogramMap& map = view.map();
  // -2 to -1.41, -1.41 to -1, 0 and small, 1 to 1.41, 1.41 to 2.
  QCOMPARE(map.rows.size(), std::size_t{5});
  QCOMPARE(map.columns[0].shares, std::vector<double>({0.25, 0, 0, 0.75, 0}));
  const QColor most = histogramColourAt(view, 10.4, 3.35),
               least = histogramColourAt(view, 10.4, -0.35);
  QVERIFY(most.lightness() > least.lightness());
  QCOMPARE(histogramColourAt(view, 18, 1), theme().raised);  // a bin without values is free
  QCOMPARE(view.plot()->graphCount(), 10);                   // five lines with their edges
  const auto median = view.plot()->graph(5)->data();
  QCOMPARE(median->size(), 2);
  QCOMPARE(median->at(0)->value, map.placeOf(map.columns[0].figures.quantiles[2]));
  // The axis says where 0 and the powers of ten are.
  const auto ticks = qSharedPointerDynamicCast<QCPAxisTickerText>(view.plot()->yAxis->ticker());
  QCOMPARE(ticks->ticks().value(2), QString("0"));
  QCOMPARE(ticks->ticks().value(2.5), QString("1"));
  QCOMPARE(ticks->ticks().value(1.5), QString("-1"));
}

void TestHistogramsPanel::whatIsNotFiniteIsSaid() {
  QAction demo("demo");
  HistogramsPanel panel(&demo);
  panel.resize(900, 500);
  panel.show();
  panel.setRuns({histogramRow(1)});
  auto all = histograms();
  panel.setHistograms(all);
  auto* note = panel.findChild<QLabel*>("histogramNote");
  QCOMPARE(note->text(), QString("1 value(s) NaN or infinite at step 30 ✕"));
  QCOMPARE(panel.map()->plot()->itemCount(), 1);
  QVERIFY(panel.map()->readout({2, 0}).endsWith("not finite: 1"));
  all.steps.pop_back();
  panel.setHistograms(all);
  QVERIFY(note->text().startsWith("step 20: median magnitude"));
  QCOMPARE(panel.map()->plot()->itemCount(), 0);
  // A step at which nothing is finite has no shares, and its lines have a gap.
  all.steps.push_back(at(30, {NAN, INFINITY}));
  panel.setHistograms(all);
  QCOMPARE(panel.map()->readout({2, 0}).section(": ", 1), QString("no value · not finite: 2"));
}

void TestHistogramsPanel::theKeyboardReadsOutCells() {
  HistogramMapView view;
  view.resize(700, 400);
  view.setSteps("weights", histograms().steps);
  view.show();
  QSignalSpy chosen(&view, &HistogramMapView::stepChosen);
  const auto press = [&view](Qt::Key key) {
    QTest::keyClick(&view, key);
    return view.accessibleDescription();
  };
  QCOMPARE(press(Qt::Key_Right),
           QString("step 30 · 0 and magnitudes below 1: 0 % · not finite: 1"));
  QCOMPARE(press(Qt::Key_Up), QString("step 30 · 1 to 1.41: 50 % · not finite: 1"));
  QCOMPARE(press(Qt::Key_Home), QString("step 10 · 1 to 1.41: 75 %"));
  QCOMPARE(press(Qt::Key_Left), QString("step 10 · 1 to 1.41: 75 %"));
  for (int i = 0; i < 5; ++i) press(Qt::Key_Down);
  QCOMPARE(view.accessibleDescription(), QString("step 10 · -2 to -1.41: 25 %"));
  press(Qt::Key_End);
  press(Qt::Key_Return);
  QCOMPARE(chosen.takeFirst(), QVariantList({qint64(30)}));
}

void TestHistogramsPanel::theWheelShowsFewerSteps() {
  HistogramMapView view;
  view.resize(700, 400);
  view.show();
  view.setSteps("weights", histograms().steps);
  QVERIFY(view.range() == StepRange({10, 30}));
  view.plot()->xAxis->setRange(15, 31);
  QTRY_VERIFY(view.range() == StepRange({15, 30}));
  QCOMPARE(view.map().columns.size(), std::size_t{2});
  view.setSteps("weights", histograms().steps);  // new data keep it
  QVERIFY(view.range() == StepRange({15, 30}));
  view.showRange({11, 12});  // nothing was recorded there
  QVERIFY(view.range() == StepRange({10, 30}));
}

void TestHistogramsPanel::picturesAndAllBinsAreExported() {
  QAction demo("demo");
  HistogramsPanel panel(&demo);
  panel.resize(900, 500);
  panel.show();
  panel.setRuns({histogramRow(1)});
  panel.setHistograms(histograms());
  QTemporaryDir folder;
  for (const char* name : {"h.png", "h.svg", "h.pdf"}) {
    panel.exportTo(folder.filePath(name));
    QVERIFY(QFileInfo(folder.filePath(name)).size() > 500);
  }
  const Records records = recordsOf(folder.filePath("h.csv"));
  QCOMPARE(records.size(), 7);  // two bins a step, and one that is not finite
  QCOMPARE(records[1]["step"], QString("10"));
  QCOMPARE(records[1]["lower"], QString("1"));
  QCOMPARE(records[1]["count"], QString("3"));
  QCOMPARE(records[6]["lower"], QString("NaN"));
}

void TestHistogramsPanel::thousandsOfStepsAreDrawnAtOnce() {
  std::vector<StepHistogram> steps;
  for (std::int64_t step = 1; step <= 5000; ++step) {
    StepHistogram each{step * 100, HistogramKind::kWeights, "layer", {}};
    for (int bin = 40; bin < 190; ++bin) each.values.counts[std::size_t(bin)] = bin + step;
    steps.push_back(each);
  }
  HistogramMapView view;
  view.resize(900, 500);
  view.show();
  QElapsedTimer clock;
  clock.start();
  view.setSteps("many", std::move(steps));
  view.plot()->replot();
  QVERIFY2(clock.elapsed() < 1000, qPrintable(QString::number(clock.elapsed())));
  QCOMPARE(view.map().columns.size(), std::size_t{300});
}

void TestHistogramsPanel::theWindowShowsARunThatTrains() {
  makeWorkspace();
  const RunSummary run = fixture::makeRun(*workspace_, "spread");
  RunSession session(*workspace_, run.id, fixture::start());
  const auto record = [&session](std::int64_t step) {
    HistogramEvent event{.step = step, .layers = {}};
    for (const char* layer : {"decoder.layers.0", "encoder.layers.10", "encoder.layers.2"})
      event.layers.push_back({HistogramKind::kWeights, layer, at(step, {0.1f, -0.3f, 0}).values});
    event.layers.push_back({HistogramKind::kGradients, "decoder.layers.0", at(step, {NAN}).values});
    session.histograms(event);
    session.flush();
  };
  record(10);
  open();
  window_->bringUp("histograms");
  auto* panel = window_->panel<HistogramsPanel>();
  QTRY_COMPARE(panel->map()->steps().size(), std::size_t{1});
  auto* layers = child<QComboBox>("histogramLayer");
  QCOMPARE(layers->count(), 3);
  QCOMPARE(layers->itemText(0), QString("encoder 3"));  // as they are in the network
  QCOMPARE(layers->itemText(2), QString("decoder 1"));
  layers->setCurrentIndex(2);
  QTRY_VERIFY(panel->isUpToDate());
  record(20);
  QTRY_COMPARE(panel->map()->steps().size(), std::size_t{2});
  QCOMPARE(panel->map()->steps().back().layer, std::string("decoder.layers.0"));
  child<QComboBox>("histogramKind")->setCurrentIndex(1);
  QTRY_VERIFY(panel->isUpToDate());
  QVERIFY(child<QLabel>("histogramNote")->text().contains("NaN"));
  reopen();
  panel = window_->panel<HistogramsPanel>();
  window_->bringUp("histograms");
  QTRY_COMPARE(panel->map()->steps().size(), std::size_t{2});
  QCOMPARE(child<QComboBox>("histogramKind")->currentIndex(), 1);
  QCOMPARE(child<QComboBox>("histogramLayer")->currentText(), QString("decoder 1"));
  session.end({run.id, 20, RunOutcome::kFinished, ""});
}

STRATA_TEST(TestHistogramsPanel)
#include "test_histograms_panel.moc"
