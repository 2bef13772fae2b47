#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QtTest>

#include "tests/program.h"
#include "ui/connect/services.h"
#include "ui/panels/config_model.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/translate_panel.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/heat_map.h"
#include "ui/rpc/engine_client.h"
#include "ui/style/theme.h"
#include "ui/widgets/token_strip.h"

using namespace strata;
using namespace strata::ui;

// An engine that answers the panels' requests with recognisable numbers. A dry run with a batch of
// 13 sentences is rejected.
static const char* const kPanelEngine = R"(
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  say() { printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"; }
  config='{"seed":1,"data":{"dataset":"toy"},"training":{"batch":{"size":64}}}'
  case "$line" in
    *'"method":"presets"'*) say '"result":{"papers":[{"name":"mlrf","title":"mlrf"}],"presets":[{"name":"mlrf/base","paper":"mlrf","description":"The base"},{"name":"mlrf/both-fnn-sa4","paper":"mlrf","description":"Fused"}]}' ;;
    *'"method":"schema"'*) say '"result":{"keys":[{"path":"seed","type":"int","default":1,"help":"x"},{"path":"training.batch.size","type":"int","default":64,"minimum":1,"help":"y"}],"config":'"$config"'}' ;;
    *'training.batch.size=13'*) say '"error":{"code":-32000,"message":"training.batch.size: 13 brings bad luck"}' ;;
    *'"method":"dryRun"'*) say '"result":{"parameters":10970624,"memoryBytes":604000000,"tokensPerSecond":900,"updatesPerEpoch":10,"padding":0.1,"leftOut":0,"secondsEstimate":7500,"learningRate":[[1,0.1],[10,0.5],[20,0.2]],"config":'"$config"'}' ;;
    *'"method":"translate"'*) say '"result":{"tokens":["ein","Haus","</s>"],"hypotheses":[{"text":"a house","tokens":["a","house","</s>"],"score":-0.25,"logProbability":-0.6,"logProbabilities":[-0.1,-0.2,-0.3],"recordings":[{"name":"decoder.fusion.hop_weights","kind":"hop_weights","side":"decoder","layer":-1,"axes":["target","hop","level"],"shape":[3,1,2],"values":[1,0,0,1,0.5,0.5]}]},{"text":"one house","tokens":["one","house","</s>"],"score":-0.5,"logProbability":-6,"logProbabilities":[-1,-2,-3]}]}' ;;
  esac
done
)";

class TestEnginePanels : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void launchShowsTheEstimateBeforeTheStart();
  void launchStartsAsSoonAsItIsMeasured();
  void launchNamesWhatTheEngineRefuses();
  void launchAsksForADataset();
  void launchKeepsItsFormOverARestart();
  void translationShowsAlternativesTokensAndHops();

 private:
  std::unique_ptr<EngineClient> engine_;
  std::unique_ptr<QAction> demo_;
};

void TestEnginePanels::init() {
  applyTheme(ThemeChoice::kLight);
  engine_ = std::make_unique<EngineClient>(EngineClient::Options{"bash", {"-c", kPanelEngine}});
  demo_ = std::make_unique<QAction>("Run the demo");
}

void TestEnginePanels::launchShowsTheEstimateBeforeTheStart() {
  LaunchPanel panel(demo_.get());
  connectEngine(&panel, engine_.get());
  panel.setDatasets({{"toy", "de", "en", 3000}});
  panel.show();
  QTRY_VERIFY(panel.isUpToDate());
  QCOMPARE(panel.findChild<QLabel*>("launchParameters")->text(), QString("10,970,624"));
  QCOMPARE(panel.findChild<QLabel*>("launchMemory")->text(), QString("604 MB"));
  QCOMPARE(panel.findChild<QLabel*>("launchTime")->text(), QString("≈ 2 h 05 min"));
  QCOMPARE(panel.findChild<QComboBox*>("launchPreset")->currentText(),
           QString("mlrf/both-fnn-sa4"));
  QVERIFY(panel.findChild<QPlainTextEdit*>("launchYaml")->toPlainText().contains("size: 64"));
  QCOMPARE(panel.findChild<CurvePlot*>("launchRate")->curves()[0].series->size(), std::size_t(3));
  panel.config()->setOverride("training.batch.size", "32");
  QTRY_COMPARE(panel.findChild<QPlainTextEdit*>("launchYaml")->extraSelections().size(),
               1);  // the changed line
  auto* start = panel.findChild<QPushButton*>("launchStart");
  QVERIFY(start->isEnabled());
  QSignalSpy started(&panel, &LaunchPanel::startRequested);
  QTest::mouseClick(start, Qt::LeftButton);
  QCOMPARE(started.count(), 1);
  const auto request = started[0][0].value<LaunchRequest>();
  QCOMPARE(request.dataset, QString("toy"));
  QCOMPARE(request.overrides, QStringList{"training.batch.size=32"});
  QCOMPARE(request.config.at("seed").get<int>(), 1);
}

// The click was lost, on a grey button without a reason.
void TestEnginePanels::launchStartsAsSoonAsItIsMeasured() {
  LaunchPanel panel(demo_.get());
  connectEngine(&panel, engine_.get());
  panel.setDatasets({{"toy", "de", "en", 3000}});
  panel.show();
  QTRY_VERIFY(panel.isUpToDate());
  auto* start = panel.findChild<QPushButton*>("launchStart");
  const auto press = [&] { QTest::mouseClick(start, Qt::LeftButton); };
  QSignalSpy started(&panel, &LaunchPanel::startRequested);
  panel.config()->setOverride("training.batch.size", "16");
  press();
  QCOMPARE(start->text(), QString("Starts when measured: cancel"));
  press();  // not, after all
  QCOMPARE(start->text(), QString("Start"));
  QTRY_VERIFY(panel.isUpToDate());
  panel.config()->setOverride("training.batch.size", "17");
  press();
  panel.config()->setOverride("training.batch.size", "18");  // another run than that
  QTRY_VERIFY(panel.isUpToDate());
  panel.config()->setOverride("training.batch.size", "13");
  press();
  QTRY_VERIFY2(panel.problem().contains("13 brings bad luck"), qPrintable(panel.problem()));
  QCOMPARE(start->toolTip(), panel.problem());
  panel.config()->setOverride("training.batch.size", "32");
  QTRY_VERIFY(panel.isUpToDate());
  QCOMPARE(started.count(), 0);
  // Another preset: its network and its configuration, not those of the one before.
  panel.choose("mlrf/base", "toy");
  QVERIFY(panel.findChild<QLabel*>("launchPart")->text().contains("mlrf/base"));
  QCOMPARE(panel.findChild<QLabel*>("launchParameters")->text(), QString("…"));
  press();
  QTRY_COMPARE(started.count(), 1);
  QCOMPARE(started[0][0].value<LaunchRequest>().preset, QString("mlrf/base"));
  QCOMPARE(started[0][0].value<LaunchRequest>().config, panel.request().config);
}

void TestEnginePanels::launchNamesWhatTheEngineRefuses() {
  LaunchPanel panel(demo_.get());
  connectEngine(&panel, engine_.get());
  panel.setDatasets({{"toy", "de", "en", 3000}});
  panel.show();
  QTRY_VERIFY(panel.isUpToDate());
  panel.config()->setOverride("training.batch.size", "13");
  QTRY_VERIFY2(panel.problem().contains("13 brings bad luck"), qPrintable(panel.problem()));
  QVERIFY(!panel.findChild<QPushButton*>("launchStart")->isEnabled());
  panel.config()->clearOverrides();
  QTRY_VERIFY(panel.problem().isEmpty());
}

void TestEnginePanels::launchAsksForADataset() {
  LaunchPanel panel(demo_.get());
  connectEngine(&panel, engine_.get());
  panel.show();
  QTRY_VERIFY(panel.isUpToDate());
  QVERIFY2(panel.problem().contains("dataset"), qPrintable(panel.problem()));
  QVERIFY(!panel.findChild<QPushButton*>("launchStart")->isEnabled());
}

void TestEnginePanels::launchKeepsItsFormOverARestart() {
  Json state;
  {
    LaunchPanel panel(demo_.get());
    connectEngine(&panel, engine_.get());
    panel.setDatasets({{"other", "de", "en", 10}, {"toy", "de", "en", 3000}});
    panel.show();
    QTRY_VERIFY(panel.isUpToDate());
    panel.choose("mlrf/base", "toy");
    QTRY_VERIFY(panel.isUpToDate());
    panel.config()->setOverride("training.batch.size", "32");
    state = panel.saveState();
  }
  LaunchPanel panel(demo_.get());
  connectEngine(&panel, engine_.get());
  panel.restoreState(state);
  QCOMPARE(panel.saveState(), state);  // even if it closes before anything has arrived
  panel.setDatasets({{"other", "de", "en", 10}, {"toy", "de", "en", 3000}});
  panel.show();
  QTRY_VERIFY(panel.isUpToDate());
  QCOMPARE(panel.request().preset, QString("mlrf/base"));
  QCOMPARE(panel.request().dataset, QString("toy"));
  QCOMPARE(panel.request().overrides, QStringList{"training.batch.size=32"});
  QCOMPARE(panel.saveState(), state);
}

void TestEnginePanels::translationShowsAlternativesTokensAndHops() {
  TranslatePanel panel(demo_.get());
  connectEngine(&panel, engine_.get());
  panel.show();
  QVERIFY(panel.isEmpty());
  RunRow run;
  run.id = 3;
  run.name = "first";
  panel.setRuns({run});
  QVERIFY(!panel.isEmpty());
  panel.setText("ein Haus");
  QTest::mouseClick(panel.findChild<QPushButton*>("translateButton"), Qt::LeftButton);
  QVERIFY(panel.isBusy());
  QTRY_VERIFY(!panel.isBusy());
  QCOMPARE(panel.findChild<QLabel*>("translateBest")->text(), QString("a house"));
  auto* table = panel.findChild<QTableWidget*>("translateTable");
  QCOMPARE(table->rowCount(), 2);
  QCOMPARE(table->item(0, 1)->text(), QString("-0.250"));
  auto* map = panel.findChild<HeatMapView*>("translateHopMap");
  QVERIFY(map->isVisible());
  QCOMPARE(map->columns(), QStringList({"</s> → a", "a → house", "house → </s>"}));
  QCOMPARE(map->maps()[0].values,
           std::vector<float>({0, 1, 0.5f, 1, 0, 0.5f}));  // the highest level on top
  table->setCurrentCell(1, 2);
  QCOMPARE(panel.findChild<QLabel*>("translateBest")->text(), QString("one house"));
  QCOMPARE(panel.findChild<TokenStrip*>("translateTokens")->tokens().size(), 3);
  QVERIFY(!map->isVisible());  // nothing was recorded for this one
}

STRATA_TEST(TestEnginePanels)
#include "test_engine_panels.moc"
