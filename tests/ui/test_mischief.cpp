#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QTabWidget>
#include <QTableView>
#include <QTreeView>
#include <QtTest>
#include <cmath>
#include <ctime>

#include "tests/program.h"
#include "tests/ui/exports.h"
#include "tests/ui/long_sentence.h"
#include "tests/ui/longest_turn.h"
#include "tests/ui/window_fixture.h"
#include "ui/data/text.h"
#include "ui/panels/attention_panel.h"
#include "ui/panels/attention_views.h"
#include "ui/panels/history_sentence_view.h"
#include "ui/panels/hop_weights_panel.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/samples_panel.h"
#include "ui/panels/target_attention_panel.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/heat_map.h"
#include "ui/plots/map_grid.h"
#include "ui/plots/word_lines.h"
#include "ui/window/stage.h"

using namespace strata;
using namespace strata::ui;

// Right to left, without spaces, beyond 16 bits, joined by ZWJ, with marks that combine.
static const std::vector<std::string> kWords{
    "كلب", "הכלב", "狗", "ねこ", "👩‍👩‍👧", "🏳️‍🌈", "ä̤́", "i̇", "𝔊", "</s>"};

// Texts and values that nobody draws by hand, in the real window.
class TestMischief : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void everyScriptIsShownAndExported();
  void aSentenceOfTwoThousandTokensDoesNotFreeze();
  void whatIsNotANumberIsMissingAndSaid();

 private:
  void record(const std::string& run, const SentenceRecordings& sentence);
  template <typename P>
  P* settled(P* panel) {
    window_->bringUp(panel->name());
    [&] { QTRY_VERIFY_WITH_TIMEOUT(!panel->isEmpty() && panel->isUpToDate(), 20000); }();
    return panel;
  }
};

void TestMischief::record(const std::string& name, const SentenceRecordings& sentence) {
  const RunSummary run = fixture::makeRun(*workspace_, name);
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::train(session, 10, 100);
  writeRecordings(session.folder() / "recordings/step-100", {sentence});
  session.recording({run.id, 100, "recordings/step-100"});
  session.end({run.id, 100, RunOutcome::kFinished, ""});
}

void TestMischief::everyScriptIsShownAndExported() {
  const std::string name = "ריצה-كلب-狗-👩‍👩‍👧-ä̤́";
  record(name, fixture::evenSentence(kWords, kWords));
  setTags(*workspace_, listRuns(*workspace_).at(0).id, {"وسم 👩‍👩‍👧", "標籤"});
  open();
  auto* attention = settled(window_->panel<AttentionPanel>());
  QTRY_VERIFY(!attention->views()->matrix()->maps().isEmpty());
  QStringList words = qs(kWords);
  QCOMPARE(attention->views()->matrix()->columns(), words);
  QCOMPARE(attention->views()->matrix()->maps()[0].rows, words);
  for (int tab = 0; tab < 3; ++tab) {
    attention->views()->setCurrentIndex(tab);
    QVERIFY(!window_->grab().isNull());
  }
  attention->views()->setCurrentIndex(0);
  HeatMapView* map = attention->views()->matrix();
  map->setFocus();
  QTest::keyClick(map, Qt::Key_End, Qt::ControlModifier);
  QVERIFY(map->accessibleDescription().contains("</s>"));
  QTest::keyClick(map, Qt::Key_Home);
  QVERIFY2(map->accessibleDescription().contains(words[0]), "the first column is the first word");
  const QString file = folder_->filePath("attention.csv");
  map->exportTo(file);
  const Records drawn = recordsOf(file);
  QCOMPARE(drawn.size(), qsizetype(kWords.size() * kWords.size()));
  for (int i = 0; i < drawn.size(); ++i) {
    QCOMPARE(drawn[i]["row"], words[i / words.size()]);
    QCOMPARE(drawn[i]["column"], words[i % words.size()]);
  }
  map->exportTo(folder_->filePath("attention.svg"));
  map->exportTo(folder_->filePath("attention.pdf"));
  auto* history = settled(window_->panel<TargetAttentionPanel>());
  QTRY_COMPARE(history->sentence()->arcs()->words(), words);
  history->sentence()->exportTo(folder_->filePath("history.svg"));
  QVERIFY(!window_->grab().isNull());
  auto* hops = settled(window_->panel<HopWeightsPanel>());
  QTRY_COMPARE(hops->sentenceMap()->columns().value(1), words[0] + " → " + words[1]);
  // And the run's name, everywhere.
  window_->bringUp("runs");
  QCOMPARE(window_->rows()[0].name, qs(name));
  const QTableView* table = window_->panel<RunsPanel>()->table();
  QStringList cells;
  for (int column = 0; column < table->model()->columnCount(); ++column)
    cells << table->model()->index(0, column).data().toString();
  QVERIFY2(cells.contains(qs(name)), qPrintable(cells.join('|')));
  QVERIFY2(
      cells.join('|').contains("標籤") && cells.join('|').contains("وسم 👩‍👩‍👧"),
      qPrintable(cells.join('|')));
  const auto* tree = child<QTreeView>("runTree");
  bool found = false;
  const QModelIndexList all =
      tree->model()->match(tree->model()->index(0, 0), Qt::DisplayRole, qs(name), -1,
                           Qt::MatchContains | Qt::MatchRecursive);
  found = !all.isEmpty();
  QVERIFY(found);
}

void TestMischief::aSentenceOfTwoThousandTokensDoesNotFreeze() {
  static constexpr int kTokens = 2000;
  const std::vector<std::string> words = fixture::manyWords(kTokens);
  record("long", fixture::evenSentence(words, words));
  double began = cpuMilliseconds();
  open();
  QTest::qWait(300);  // the window is there, with another perspective
  const double opening = cpuMilliseconds() - began;  // of this thread
  qInfo("the window: %.0f ms", opening);
  const auto start = [&] { began = cpuMilliseconds(); };
  const auto shown = [&](const char* what) {
    const double took = cpuMilliseconds() - began;
    qInfo("%s: %.0f ms", what, took);
    QVERIFY2(took < 1.5 * opening, what);
  };
  start();
  auto* hops = settled(window_->panel<HopWeightsPanel>());
  QTRY_COMPARE(hops->sentenceMap()->columns().size(), kTokens);
  hops->grab();
  shown("hop weights");
  start();
  auto* history = settled(window_->panel<TargetAttentionPanel>());
  QTRY_COMPARE_WITH_TIMEOUT(history->sentence()->arcs()->words().size(), kTokens, 20000);
  history->grab();
  shown("target-side attention");
  start();
  history->sentence()->map()->setFocus();
  QTest::keyClick(history->sentence()->map(), Qt::Key_End, Qt::ControlModifier);
  history->grab();
  shown("the last cell of it");
  start();
  auto* attention = settled(window_->panel<AttentionPanel>());
  QTRY_VERIFY_WITH_TIMEOUT(!attention->views()->matrix()->maps().isEmpty(), 20000);
  attention->grab();
  shown("attention as a matrix");
  for (int tab = 1; tab < 3; ++tab) {
    start();
    attention->views()->setCurrentIndex(tab);
    attention->grab();
    shown(tab == 1 ? "attention as lines" : "attention from a bird's eye");
  }
}

void TestMischief::whatIsNotANumberIsMissingAndSaid() {
  SentenceRecordings broken =
      fixture::evenSentence({"ein", "Haus", "</s>"}, {"a", "house", "</s>"});
  for (Recording& each : broken.recordings) {
    each.values[1] = NAN;
    each.values[3] = INFINITY;
  }
  record("broken", broken);
  open();
  auto* attention = settled(window_->panel<AttentionPanel>());
  HeatMapView* map = attention->views()->matrix();
  QTRY_VERIFY(!map->maps().isEmpty());
  QVERIFY(std::isnan(map->maps()[0].values[1]));
  // Drawn as missing: the colour of the background.
  const QImage picture = map->grab().toImage();
  const auto colourAt = [&](int row, int column) {
    return picture.pixelColor(map->cellRect(0, row, column).topLeft().toPoint() + QPoint(3, 3));
  };
  QCOMPARE(colourAt(0, 1), theme().surface);
  QVERIFY(colourAt(0, 0) != theme().surface);
  QVERIFY2(map->readout(0, 0, 1).endsWith(": NaN"), qPrintable(map->readout(0, 0, 1)));
  QVERIFY2(map->readout(0, 1, 0).endsWith(": +Inf"), qPrintable(map->readout(0, 1, 0)));
  for (int tab = 0; tab < 3; ++tab) {
    attention->views()->setCurrentIndex(tab);
    QVERIFY(!window_->grab().isNull());
  }
  settled(window_->panel<TargetAttentionPanel>());
  for (int tab = 0; tab < 2; ++tab) {
    child<QTabWidget>("historyTabs")->setCurrentIndex(tab);
    QVERIFY(!window_->grab().isNull());
  }
  auto* hops = settled(window_->panel<HopWeightsPanel>());
  QTRY_VERIFY(!hops->meanMap()->maps().isEmpty());
  QVERIFY(!window_->grab().isNull());
  // A hop with such a weight has neither a mean nor an evenness; the other has.
  const QString evenness = child<QLabel>("hopEntropy")->text();
  QVERIFY2(evenness.contains("hop 1: NaN"), qPrintable(evenness));
}

STRATA_TEST(TestMischief)
#include "test_mischief.moc"
