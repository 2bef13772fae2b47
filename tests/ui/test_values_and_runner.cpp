#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QTreeView>
#include <QtTest>

#include "tests/program.h"
#include "tests/ui/trained_window.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/data_panel.h"
#include "ui/panels/gradient_flow_panel.h"
#include "ui/panels/interventions_panel.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/layers_panel.h"
#include "ui/panels/papers_panel.h"
#include "ui/panels/readers_panel.h"
#include "ui/panels/runs_model.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/samples_panel.h"
#include "ui/panels/sweeps_panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/plots/effect_scatter.h"
#include "ui/plots/gradient_map.h"
#include "ui/plots/heat_map.h"
#include "ui/plots/line_plot.h"
#include "ui/plots/xy_plot.h"
#include "ui/widgets/report_table.h"
#include "ui/widgets/token_strip.h"
#include "ui/window/view_help.h"

using namespace strata;
using namespace strata::ui;

static const QString kDense = "dense";

// "What am I looking at?" in the real window with trained models: beside the symbols of each view's
// equations stand the numbers of the cell, row or point at the keyboard's cursor, which are spoken.
class TestValuesAndRunner : public QObject, TrainedWindow {
  Q_OBJECT
 private slots:
  void initTestCase();
  void cleanupTestCase() { window_.reset(); }
  void gradients();
  void layersAndLens();
  void readers();
  void effects();
  void runs();
  void systems();
  void translations();
  void samples();
  void sweeps();
  void papers();
  void coverage();
  void settings();

 private:
  template <typename P>
  P* panelOf(const QString& run);
  static QString value(const Panel* panel, const QString& symbol);
  static void says(const Panel* panel, const QString& symbol, const QString& value);
};

void TestValuesAndRunner::initTestCase() {
  open({families()[0], families()[2]});
  for (const QStringList& arguments : {QStringList{"layers", kFused + "@best", "--limit", "12"},
                                       {"effects", kFused + "@best", "--limit", "12"},
                                       {"readers", kDense + "@best", "--limit", "12"}})
    QVERIFY2(!outputOf(QStringList{"--json"} + arguments).isEmpty(), qPrintable(arguments[0]));
}

template <typename P>
P* TestValuesAndRunner::panelOf(const QString& run) {
  auto* panel = window_->panel<P>();
  raise(panel->name());
  // Another one before: what has been measured meanwhile is read when a run is chosen.
  for (const QString& each : {run == kFused ? kDense : kFused, run}) {
    window_->panels()->select({.drawn = QVector<qint64>{idOf(each)}, .run = idOf(each)});
    QTest::qWait(50);
  }
  [&] {
    QTRY_VERIFY2_WITH_TIMEOUT(panel->isEmpty() || panel->isUpToDate(), qPrintable(panel->name()),
                              kPatience);
  }();
  return panel;
}

QString TestValuesAndRunner::value(const Panel* panel, const QString& symbol) {
  for (const auto& [name, value] : panel->here().values) {
    if (name == symbol) return value;
  }
  return {};
}

// The value stands in the text, in the line of its symbol.
void TestValuesAndRunner::says(const Panel* panel, const QString& symbol, const QString& expected) {
  QCOMPARE(value(panel, symbol), expected);
  QVERIFY(!expected.isEmpty());
  QString plain = viewHelpText(panel->name(), panel->here());
  plain.remove('\\');
  for (const QString& line : plain.split('\n')) {
    const QStringList symbols = line.section('|', 1, 1).trimmed().split(", ");
    if (line.startsWith('|') && symbols.contains(symbol)) {
      QVERIFY2(line.section('|', 3, 3).contains(expected), qPrintable(line));
      return;
    }
  }
  QFAIL(qPrintable("no line of " + symbol + " in\n" + plain));
}

static QString threeDecimals(double number) {
  return QString::number(number, 'f', 3);
}

void TestValuesAndRunner::gradients() {
  auto* panel = panelOf<GradientFlowPanel>(kFused);
  QTRY_VERIFY_WITH_TIMEOUT(!panel->map()->flows().isEmpty(), kPatience);
  panel->map()->setFocus();
  QTest::keyClick(panel->map(), Qt::Key_Home);
  QTest::keyClick(panel->map(), Qt::Key_Right);
  const GradientMapView::Cell at = panel->map()->cursor();
  QVERIFY(at.map >= 0);
  says(panel, "g_l", numberText(panel->map()->flows()[at.map].at(at.layer, at.bin)));
}

void TestValuesAndRunner::layersAndLens() {
  auto* panel = panelOf<LayersPanel>(kFused);
  QTRY_VERIFY_WITH_TIMEOUT(panel->shown(), kPatience);
  auto* tabs = child<QTabWidget>("layersPictures");
  tabs->setCurrentIndex(0);
  auto* map = child<HeatMapView>("layersSimilarity");
  map->setFocus();
  QTest::keyClick(map, Qt::Key_Home, Qt::ControlModifier);
  QTest::keyClick(map, Qt::Key_Right);
  says(panel, "K", threeDecimals(panel->shown()->similarity[0].at(0, 1)));
  tabs->setCurrentIndex(1);
  auto* lens = child<HeatMapView>("layersLens");
  lens->setFocus();
  QTest::keyClick(lens, Qt::Key_Home, Qt::ControlModifier);
  const LensCell& cell = panel->shown()->lens.sentences[0].cells[0][0];
  says(panel, "p_w", threeDecimals(std::exp(cell.logProbability)));
  says(panel, "D_l", threeDecimals(cell.divergence));
}

void TestValuesAndRunner::readers() {
  auto* panel = panelOf<ReadersPanel>(kDense);
  QTRY_VERIFY_WITH_TIMEOUT(panel->shown(), kPatience);
  auto* picture = child<HeatMapView>("readersPicture");
  picture->setFocus();
  QTest::keyClick(picture, Qt::Key_Home, Qt::ControlModifier);
  const ReaderReads& first = panel->shown()->readers[0];
  says(panel, "ρ_b", threeDecimals(first.value(0, ReadMeasure::kShare)));
  says(panel, "m_b", threeDecimals(first.value(0, ReadMeasure::kWeight)));
}

void TestValuesAndRunner::effects() {
  auto* panel = panelOf<InterventionsPanel>(kFused);
  QTRY_VERIFY_WITH_TIMEOUT(panel->shown(), kPatience);
  auto* table = child<ReportTable>("effectsTable");
  table->setFocus();
  table->setCurrentIndex(table->model()->index(0, 0));
  says(panel, "Δ_u", table->cell("effect"));
  says(panel, "w_u", table->cell("weight"));
  says(panel, "L", threeDecimals(panel->shown()->statistics.loss));
  // The points of the scatter are walked through, and spoken.
  auto* scatter = panel->findChild<EffectScatter*>();
  scatter->setFocus();
  QTest::keyClick(scatter, Qt::Key_Home);
  const auto leftmost = std::ranges::min_element(scatter->points(), {}, &ScatterPoint::x);
  QCOMPARE(scatter->stop()->x, leftmost->x);
  QVERIFY(scatter->accessibleDescription().startsWith(scatter->stop()->text.section('\n', 0, 0)));
  const QString before = scatter->accessibleDescription();
  QTest::keyClick(scatter, Qt::Key_Right);
  QVERIFY(scatter->accessibleDescription() != before);
}

void TestValuesAndRunner::runs() {
  auto* panel = panelOf<RunsPanel>(kFused);
  const RunRow* run = panel->model()->run(idOf(kFused));
  QVERIFY(run && run->metric == "valid/nll");
  says(panel, "nll", threeDecimals(run->best));
  says(panel, "ppl", threeDecimals(std::exp(run->best)));
}

void TestValuesAndRunner::systems() {
  auto* panel = panelOf<ComparePanel>(kFused);
  QTRY_VERIFY_WITH_TIMEOUT(panel->comparison(), kPatience);
  auto* table = child<ReportTable>("scoresTable0");
  QTRY_VERIFY(table && table->model()->rowCount() == 2);
  table->setFocus();
  table->setCurrentIndex(table->model()->index(1, 0));
  QVERIFY2(panel->here().place.contains(table->cell("system")), qPrintable(panel->here().place));
  QVERIFY(!value(panel, "BLEU").isEmpty());
  QVERIFY(!value(panel, "B").isEmpty());
  says(panel, "BLEU", value(panel, "BLEU"));
  says(panel, "r", value(panel, "r"));
  QCOMPARE(value(panel, "p_n").count(", "), 3);
}

void TestValuesAndRunner::translations() {
  auto* panel = panelOf<TranslatePanel>(kFused);
  panel->showExample();
  QTRY_VERIFY_WITH_TIMEOUT(panel->isUpToDate() && !panel->hypotheses().empty(), kPatience);
  const Hypothesis& best = panel->hypotheses()[0];
  says(panel, "s", threeDecimals(best.score));
  says(panel, "n", QString::number(best.words.size()));
  auto* strip = child<TokenStrip>("translateTokens");
  strip->setFocus();
  QTest::keyClick(strip, Qt::Key_Right);
  QVERIFY(strip->current() >= 0);
  says(panel, "t", QString::number(strip->current() + 1));
  says(panel, "p_t",
       threeDecimals(std::exp(best.tokenLogProbabilities[std::size_t(strip->current())])));
}

void TestValuesAndRunner::samples() {
  auto* panel = panelOf<SamplesPanel>(kFused);
  QTRY_VERIFY_WITH_TIMEOUT(!value(panel, "M").isEmpty(), kPatience);
  says(panel, "M", value(panel, "M"));
}

void TestValuesAndRunner::sweeps() {
  auto* panel = panelOf<SweepsPanel>(kFused);
  auto* numbers = child<ReportTable>("sweepsTable");
  QTRY_VERIFY_WITH_TIMEOUT(numbers->model()->rowCount() == 2, kPatience);
  numbers->setCurrentIndex(numbers->model()->index(0, 0));
  says(panel, "m", numbers->cell("mean"));
  says(panel, "n", "1");
  auto* chart = child<XyPlot>("sweepsChart");
  chart->setFocus();
  QTest::keyClick(chart, Qt::Key_Right);
  QVERIFY(chart->accessibleDescription().contains("valid/nll"));
  says(panel, "m", numbers->cell("mean"));
}

void TestValuesAndRunner::papers() {
  auto* panel = panelOf<PapersPanel>(kFused);
  panel->showExample();
  QTRY_VERIFY_WITH_TIMEOUT(panel->isUpToDate() && panel->result().isTable, kPatience);
  auto* table = child<ReportTable>("papersTable");
  QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() > 0, kPatience);
  for (int row = 0; row < table->model()->rowCount() && value(panel, "x").isEmpty(); ++row)
    table->setCurrentIndex(table->model()->index(row, 0));
  says(panel, "x", value(panel, "x"));
}

void TestValuesAndRunner::coverage() {
  auto* panel = panelOf<DataPanel>(kFused);
  window_->panels()->select({.testSet = "toy"});
  QTRY_VERIFY_WITH_TIMEOUT(panel->isUpToDate(), kPatience);
  LinePlot* plot = nullptr;
  for (LinePlot* each : panel->findChildren<LinePlot*>("dataCoverage"))
    if (each->isVisible()) plot = each;
  QVERIFY(plot);
  QTRY_VERIFY_WITH_TIMEOUT(!plot->lines().isEmpty(), kPatience);
  plot->setFocus();
  QVERIFY(plot->hasFocus());
  QTest::keyClick(plot, Qt::Key_End);
  const PlotPoint last = plot->lines()[0].points.back();
  says(panel, "k", countText(qint64(last.x)));
  says(panel, "C_k", threeDecimals(plot->stop()->y));
  QVERIFY(plot->accessibleDescription().contains(numberText(plot->stop()->y, 6)));
}

void TestValuesAndRunner::settings() {
  auto* panel = window_->panel<LaunchPanel>();
  raise("launch");
  QTRY_VERIFY_WITH_TIMEOUT(panel->isUpToDate() && panel->isReady(), kPatience);
  panel->choose("dhea/gate-cpu", "toy");
  QTRY_VERIFY_WITH_TIMEOUT(panel->isUpToDate(), kPatience);
  says(panel, "ε", "0.100");
}

STRATA_TEST(TestValuesAndRunner)
#include "test_values_and_runner.moc"
