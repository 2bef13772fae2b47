// After the demo every panel of the window has something of its own to show.
#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QProcess>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>
#include <functional>

#include "core/store/scalars.h"
#include "core/store/workspace.h"
#include "tests/program.h"
#include "tests/ui/picture_texts.h"
#include "ui/data/drawn_runs.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/gradient_flow_panel.h"
#include "ui/panels/histograms_panel.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/gradient_map.h"
#include "ui/plots/heat_map.h"
#include "ui/plots/histogram_map.h"
#include "ui/plots/network_drawing.h"
#include "ui/plots/xy_plot.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/report_table.h"
#include "ui/window/main_window.h"
#include "ui/window/panel_list.h"
#include "ui/window/stage.h"

using namespace strata;
using namespace strata::ui;

class TestAfterDemo : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void everyPanelHasContent_data();
  void everyPanelHasContent();
  void everyPictureIsReadable_data() { everyPanelHasContent_data(); }
  void everyPictureIsReadable();
  void onlyCurvesAreOfferedForPgfplots();
  void everyLayerHasANameOfItsOwn();
  void everyRunIsDrawn();
  void itsTableIsShownInPapers();

 private:
  template <typename Widget>
  Widget* child(const char* name) const {
    return window_->findChild<Widget*>(QLatin1String(name));
  }
  bool hasRows(const char* table) const;
  bool hasMap(const char* map) const;
  std::map<QString, std::function<bool()>> checks() const;

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
};

static constexpr int kPanel = 120000, kDemo = 280000;  // ms; the machine may be busy

void TestAfterDemo::initTestCase() {
  const QFileInfo runner(QStringLiteral(STRATA_BIN_DIR "/strata-run"));
  qputenv("STRATA_RUN", runner.absoluteFilePath().toUtf8());
  QProcess demo;
  demo.start(runner.absoluteFilePath(),
             {"--workspace", folder_.path(), "demo", "--pairs", "400", "--seeds", "1"});
  QVERIFY(demo.waitForFinished(kDemo));
  QVERIFY2(demo.exitCode() == 0, demo.readAllStandardError());
  MainWindow::Options options;
  options.workspace = folder_.path();
  window_ = std::make_unique<MainWindow>(options);
  window_->show();
  QTRY_VERIFY(window_->isOpened());
  QTRY_VERIFY(!window_->rows().isEmpty());
}

bool TestAfterDemo::hasRows(const char* table) const {
  const auto* view = child<QAbstractItemView>(table);
  return view != nullptr && view->model() != nullptr && view->model()->rowCount() > 0;
}

bool TestAfterDemo::hasMap(const char* map) const {
  const auto* view = child<HeatMapView>(map);
  return view != nullptr && view->isVisible() && !view->maps().isEmpty() &&
         !view->columns().isEmpty();
}

// What of its own each panel draws or lists.
std::map<QString, std::function<bool()>> TestAfterDemo::checks() const {
  return {
      {"data",
       [&] {  // the import's preview has one of this name, too
         return std::ranges::any_of(window_->findChildren<CategoryPlot*>("dataLengths"),
                                    [](const CategoryPlot* plot) {
                                      return plot->isVisible() && plot->categories().size() > 1;
                                    });
       }},
      {"launch", [&] { return child<NetworkDrawing>("launchNetwork")->isVisible(); }},
      {"runs", [&] { return child<QTableView>("runsTable")->model()->rowCount() == 7; }},
      {"curves",
       [&] {
         auto* curves = window_->panel<CurvesPanel>();
         return std::ranges::all_of(window_->rows(), [&](const RunRow& run) {
           const auto series = curves->series({run.id, "train/nll"});
           return series && series->size() > 1;
         });
       }},
      {"gradient-flow",
       [&] {
         const auto& flows = window_->panel<GradientFlowPanel>()->map()->flows();
         return flows.size() == 2 && flows[0].bins > 0 && flows[1].bins > 0;
       }},
      {"histograms", [&] { return !window_->panel<HistogramsPanel>()->map()->steps().empty(); }},
      {"hop-weights", [&] { return hasMap("hopMeanMap") && hasMap("hopSentenceMap"); }},
      {"target-attention", [&] { return child<ArcView>("historyArcs")->words().size() > 2; }},
      {"translate", [&] { return !window_->panel<TranslatePanel>()->hypotheses().empty(); }},
      {"compare", [&] { return window_->panel<ComparePanel>()->comparison() != nullptr; }},
      {"log", [&] { return window_->panel<LogPanel>()->text().contains("finished"); }},
      {"samples", [&] { return hasRows("samplesSentences"); }},
      {"sweeps", [&] { return !child<XyPlot>("sweepsChart")->series().isEmpty(); }},
      {"papers",
       [&] {
         return child<QComboBox>("papersItem")->currentData() == "demo/systems" &&
                hasRows("papersTable");
       }},
      {"interventions", [&] { return hasRows("effectsTable"); }},
      {"attention", [&] { return hasMap("attentionMatrix"); }},
      {"readers", [&] { return hasMap("readersPicture"); }},
      {"layers", [&] { return hasMap("layersSimilarity") && hasRows("layersTable"); }},
      // Of the computer, whatever is in the workspace.
      {"monitor", [&] { return child<QLabel>("monitorProcessor")->text().contains('%'); }},
  };
}

void TestAfterDemo::everyPanelHasContent_data() {
  QTest::addColumn<QString>("name");
  for (const Panel* panel : window_->panels()->all())
    QTest::addRow("%s", qPrintable(panel->name())) << panel->name();
}

void TestAfterDemo::everyPanelHasContent() {
  QFETCH(QString, name);
  Panel* panel = window_->panels()->panel(name);
  window_->stage()->bringUp(panel);
  panel->showExample();
  const auto all = checks();
  const auto check = all.find(name);
  QVERIFY2(check != all.end(), "say what this panel shows of the demo");
  QTRY_VERIFY_WITH_TIMEOUT(panel->isUpToDate() && check->second(), kPanel);
  QVERIFY(!panel->isEmpty());
  QCOMPARE(panel->lack(), QString());
  QCOMPARE(panel->error(), QString());
  for (const EmptyState* placeholder : panel->findChildren<EmptyState*>())
    QVERIFY2(!placeholder->isVisible(), "it shows what would be here");
  for (const LackPage* page : panel->findChildren<LackPage*>())
    QVERIFY2(!page->isVisible(), qPrintable(page->text()));
  for (const QLabel* label : panel->findChildren<QLabel*>())
    QVERIFY2(!label->isVisible() || !label->text().contains("Not measured yet"),
             qPrintable(label->text()));
}

// What the window shows can be exported: no text is cut or over another one, in the size of the
// layout in every form.
void TestAfterDemo::everyPictureIsReadable() {
  QFETCH(QString, name);
  Panel* panel = window_->panels()->panel(name);
  window_->stage()->bringUp(panel);
  panel->showExample();
  QTRY_VERIFY_WITH_TIMEOUT(panel->isUpToDate(), kPanel);
  // Other panels may have chosen another run meanwhile: then it shows what it has of that.
  (void)QTest::qWaitFor(checks().at(name), 5000);
  const QByteArray kept = qgetenv("STRATA_PICTURES");  // a folder, to look at them
  QTemporaryDir temporary;
  QStringList faults;
  int number = 0;
  for (Chart* chart : panel->findChildren<Chart*>()) {
    if (!chart->isVisible()) continue;
    const QDir folder(kept.isEmpty() ? temporary.path() : QString::fromUtf8(kept));
    const QString place = QStringLiteral("%1-%2").arg(name).arg(++number);
    QVERIFY(folder.mkpath(place));
    for (const QString& fault : faultsOfExports(*chart, folder.filePath(place)))
      faults << QStringLiteral("%1 (%2): %3").arg(chart->objectName(), place, fault);
  }
  QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
}

void TestAfterDemo::onlyCurvesAreOfferedForPgfplots() {
  QStringList asking, offering;
  for (Panel* panel : window_->panels()->all()) {
    window_->stage()->bringUp(panel);
    for (QAction* action : panel->findChildren<QAction*>()) {
      if (!action->objectName().endsWith(QLatin1String("Export")) || !action->isEnabled()) continue;
      action->trigger();
      auto* dialog = panel->findChild<QFileDialog*>();
      QVERIFY2(dialog != nullptr, qPrintable(action->objectName()));
      asking << action->objectName();
      if (dialog->nameFilters().join(' ').contains(QLatin1String("pgfplots")))
        offering << action->objectName();
      delete dialog;
    }
  }
  QCOMPARE(offering, QStringList{"curveExport"});
  QVERIFY2(asking.size() > 10, qPrintable(asking.join(' ')));
}

// The gradient map of any two of its runs, of models of each family.
void TestAfterDemo::everyLayerHasANameOfItsOwn() {
  Workspace workspace(folder_.path().toStdString(),
                      {.access = Access::kRead, .networkFileSystem = {}});
  QMap<QString, QString> layers;  // by title
  for (const RunRow& run : window_->rows()) {
    for (const SeriesSummary& series : listSeries(workspace, run.id)) {
      const QString name = QString::fromStdString(series.name);
      if (!name.startsWith(kGradientPrefix)) continue;
      const QString layer = name.mid(kGradientPrefix.size()), title = layerTitle(layer);
      QVERIFY2(layers.value(title, layer) == layer, qPrintable(layer + " is " + title));
      layers[title] = layer;
    }
  }
  QVERIFY2(layers.size() > 10, qPrintable(QStringList(layers.keys()).join(' ')));
}

void TestAfterDemo::everyRunIsDrawn() {
  QCOMPARE(window_->rows().size(), 7);  // one of each system, two deep ones
  QCOMPARE(window_->drawn()->ids().size(), 7);
}

void TestAfterDemo::itsTableIsShownInPapers() {
  window_->stage()->bringUp(window_->panels()->panel("papers"));
  auto* table = child<ReportTable>("papersTable");
  QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 5, kPanel);
  QCOMPARE(child<QLabel>("papersHeading")->text().contains("demo"), true);
}

STRATA_TEST(TestAfterDemo)
#include "test_after_demo.moc"
