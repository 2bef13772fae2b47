#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QProcess>
#include <QTabWidget>
#include <QtTest>

#include "core/base/files.h"
#include "core/data/generator/dataset.h"
#include "tests/program.h"
#include "tests/ui/store_fixture.h"
#include "ui/data/text.h"
#include "ui/panels/history_corpus_view.h"
#include "ui/panels/history_sentence_view.h"
#include "ui/panels/hop_weights_panel.h"
#include "ui/panels/target_attention_panel.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/heat_map.h"
#include "ui/style/theme.h"

using namespace strata;
using namespace strata::ui;

// `strata-run paper show` and the panels compute identical values from a workspace's recordings, to
// the last digit.
class TestPapersAndPanels : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void sourceSharesByPositionAndClass_data();
  void sourceSharesByPositionAndClass();
  void arcsOfTheTopLayer();
  void hopWeightsOfASentence();

 private:
  void addRun(const std::string& name, const std::vector<SentenceRecordings>& sentences);
  Json shown(const QString& figure);
  SharedRecordings recordedBy(const std::string& name);
  RunRow rowOf(const std::string& name);
  std::unique_ptr<TargetAttentionPanel> attentionPanel(const std::string& run);

  TemporaryFolder folder_;
  std::unique_ptr<Workspace> workspace_;
  QAction newRun_{"New run"};
};

// Two layers, of which the second has the first's rows in another order.
static SentenceRecordings deepSentence() {
  SentenceRecordings made = fixture::gateSentence();
  const auto first = made.recordings;
  for (Recording recording : first) {
    recording.info.layer = 1;
    recording.info.name.replace(recording.info.name.find(".0."), 3, ".1.");
    if (recording.info.kind == "context_norms") recording.values = {1, 2, 3, 1, 0, 0, 5, 2, 1, 1};
    if (recording.info.kind == "history_attention")
      std::swap(recording.values[10], recording.values[11]);  // "sle@@" reads "a" less
    made.recordings.push_back(std::move(recording));
  }
  return made;
}

void TestPapersAndPanels::initTestCase() {
  applyTheme(ThemeChoice::kLight);
  const QFileInfo runner(QStringLiteral(STRATA_BIN_DIR "/strata-run"));
  QVERIFY2(runner.exists(), "bin/strata-run is not built");
  workspace_ = std::make_unique<Workspace>(folder_.path());
  generator::GeneratorOptions options;
  options.size = 200;
  generator::generateDataset(workspace_->datasetsFolder(), "toy", options, false);
  addRun("dhea-sum.toy.s1", {deepSentence()});
  addRun("dhea-gate.toy.s1", {deepSentence(), fixture::gateSentence(1)});
  addRun("dhea-hybrid.toy.s1", {fixture::gateSentence(2)});
  addRun("mlrf-dec-sa4-zhen.toy.s1", {fixture::sentence(0, 1), fixture::sentence(1, 2)});
}

void TestPapersAndPanels::addRun(const std::string& name,
                                 const std::vector<SentenceRecordings>& sentences) {
  const RunSummary run =
      createRun(*workspace_, {name, fixture::config("toy"), "mlrf/both-fnn-sa4"});
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::train(session, 10, 100);
  writeRecordings(session.folder() / "recordings/step-100", sentences);
  session.recording({session.run(), 100, "recordings/step-100"});
  session.flush();
}

Json TestPapersAndPanels::shown(const QString& figure) {
  QProcess process;
  process.start(QStringLiteral(STRATA_BIN_DIR "/strata-run"),
                {"--workspace", qs(folder_.path().string()), "--json", "paper", "show", figure,
                 "--data", "toy", "--seeds", "1"});
  process.waitForFinished(60'000);
  return parseJson(process.readAllStandardOutput().toStdString(), "paper show");
}

RunRow TestPapersAndPanels::rowOf(const std::string& name) {
  RunRow row;
  for (const RunSummary& run : listRuns(*workspace_)) {
    if (run.name == name) row.id = run.id;
  }
  row.name = qs(name);
  row.historySteps = row.fusionSteps = {100};
  return row;
}

SharedRecordings TestPapersAndPanels::recordedBy(const std::string& name) {
  const RunSummary run = runById(*workspace_, rowOf(name).id);
  const auto recordings = std::make_shared<StepRecordings>();
  static_cast<RecordedStep&>(*recordings) = readRecordedStep(
      run.folder / "recordings/step-100", runConfig(run), workspace_->datasetsFolder());
  recordings->runId = run.id;
  recordings->step = 100;
  return recordings;
}

std::unique_ptr<TargetAttentionPanel> TestPapersAndPanels::attentionPanel(const std::string& run) {
  auto panel = std::make_unique<TargetAttentionPanel>(&newRun_);
  panel->setRuns({rowOf(run)});
  panel->setRecordings(recordedBy(run));
  return panel;
}

void TestPapersAndPanels::sourceSharesByPositionAndClass_data() {
  QTest::addColumn<QString>("run");
  QTest::addColumn<QString>("series");
  QTest::addColumn<int>("layers");
  QTest::newRow("sum") << "dhea-sum.toy.s1"
                       << "DHEA + Sum" << 2;
  QTest::newRow("gate") << "dhea-gate.toy.s1"
                        << "DHEA + Gate" << 2;
  QTest::newRow("hybrid") << "dhea-hybrid.toy.s1"
                          << "DHEA + Hybrid" << 1;
}

void TestPapersAndPanels::sourceSharesByPositionAndClass() {
  QFETCH(QString, run);
  QFETCH(QString, series);
  QFETCH(int, layers);
  const Json figure = shown("dhea/ratio");
  const auto panel = attentionPanel(toStd(run));
  panel->findChild<QTabWidget*>("historyTabs")->setCurrentIndex(1);
  int found = 0;
  for (const Json& line : figure.at("panels").at(0).at("series")) {
    const QString name = qs(line.at("name").get<std::string>());
    if (!name.startsWith(series + ",")) continue;
    const auto drawn = panel->corpus()->byPosition()->series()[found++];
    QCOMPARE(name, series + ", " + drawn.label);
    std::size_t finite = 0;
    for (const double value : drawn.values) finite += std::isfinite(value) ? 1 : 0;
    QCOMPARE(line.at("points").size(), finite);
    for (const Json& point : line.at("points"))
      QCOMPARE(point.at("y").get<double>(), drawn.values[point.at("x").get<std::size_t>() - 1]);
  }
  QCOMPARE(found, layers);
  const auto map =
      std::find_if(figure.at("maps").begin(), figure.at("maps").end(), [&](const Json& each) {
        return qs(each.at("title").get<std::string>()).startsWith(series + ":");
      });
  QVERIFY(map != figure.at("maps").end() && map->at("rows").size() >= 2);
  for (std::size_t row = 0; row < map->at("rows").size(); ++row) {
    const QString wordClass = qs(map->at("rows")[row].get<std::string>());
    const auto& categories = panel->corpus()->byClass()->categories();
    const auto at = std::find_if(categories.begin(), categories.end(), [&](const QString& each) {
      return each.startsWith(wordClass + "\n");
    });
    QVERIFY(at != categories.end());
    for (int layer = 0; layer < layers; ++layer) {
      const double printed =
          map->at("values")[row * std::size_t(layers) + std::size_t(layer)].get<double>();
      QCOMPARE(
          printed,
          panel->corpus()->byClass()->series()[layer].values[std::size_t(at - categories.begin())]);
    }
  }
}

void TestPapersAndPanels::arcsOfTheTopLayer() {
  const Json charts = shown("dhea/figure3").at("arcs");
  QCOMPARE(charts.size(), std::size_t(2));
  const auto panel = attentionPanel("dhea-gate.toy.s1");
  panel->findChild<QComboBox*>("historyLayer")->setCurrentIndex(3);  // mean, all, 1, 2
  panel->findChild<QCheckBox*>("historyWords")->setChecked(true);
  const ArcView& drawn = *panel->sentence()->arcs();
  const auto words = charts[0].at("words").get<std::vector<std::string>>();
  QCOMPARE(qs(words), drawn.words());
  const auto& arcs = drawn.rows()[0].arcs;
  QVERIFY(arcs.size() > 3);
  QCOMPARE(charts[0].at("arcs").size(), arcs.size());
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    const Json& printed = charts[0].at("arcs")[i];
    QCOMPARE(printed.at("from").get<int>(), arcs[i].from);
    QCOMPARE(printed.at("to").get<int>(), arcs[i].to);
    QCOMPARE(printed.at("second").get<bool>(), arcs[i].second);
    QCOMPARE(printed.at("long").get<bool>(), arcs[i].length() > drawn.longest());
  }
}

void TestPapersAndPanels::hopWeightsOfASentence() {
  const Json maps = shown("mlrf/figure5").at("maps");
  HopWeightsPanel panel(&newRun_);
  panel.setRuns({rowOf("mlrf-dec-sa4-zhen.toy.s1")});
  panel.setRecordings(recordedBy("mlrf-dec-sa4-zhen.toy.s1"));
  const HeatMapView& drawn = *panel.sentenceMap();
  QCOMPARE(maps.size(), std::size_t(2));
  QCOMPARE(drawn.maps().size(), 2);
  for (std::size_t hop = 0; hop < maps.size(); ++hop) {
    QCOMPARE(qs(maps[hop].at("columns").get<std::vector<std::string>>()), drawn.columns());
    const HeatMap& map = drawn.maps()[qsizetype(hop)];
    const auto rows = maps[hop].at("rows").get<std::vector<std::string>>();
    const std::size_t columns = maps[hop].at("columns").size();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::size_t turned = rows.size() - 1 - row;  // the panel has the highest level on top
      QCOMPARE(qs(rows[row]), map.rows[qsizetype(turned)]);
      for (std::size_t column = 0; column < columns; ++column) {
        QCOMPARE(maps[hop].at("values")[row * columns + column].get<float>(),
                 map.values[turned * columns + column]);
      }
    }
  }
}

STRATA_TEST(TestPapersAndPanels)
#include "test_papers_and_panels.moc"
