#include <QAction>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QTreeView>
#include <QtTest>

#include "core/metrics/bleu.h"
#include "tests/systems/systems_fixture.h"
#include "tests/ui/sentence_fixture.h"
#include "ui/data/text.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/comparison_views.h"
#include "ui/panels/sentence_model.h"
#include "ui/panels/sentence_view.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/import_dialogs.h"
#include "ui/widgets/messages.h"
#include "ui/widgets/system_list.h"
#include "ui/window/main_window.h"

using namespace strata;
using namespace strata::ui;

// Drives the real window on a workspace with outputs of runs and files of other toolkits.
class TestComparePanel : public QObject {
  Q_OBJECT
 private slots:
  void init() {
    qputenv("STRATA_RUN", "/nowhere/strata-run");  // these tests start no process
    fixture_ = std::make_unique<SystemsFixture>();
  }
  void cleanup() {
    window_.reset();
    fixture_.reset();
  }
  void withoutSystemsItSaysWhatToDo();
  void runsAndImportsAreComparedByThemselves();
  void theBaselineIsChosenInTheList();
  void oneSystemIsTooFew();
  void tokensAndMetricsAreChosen();
  void bucketsByLengthAreChosen();
  void filtersScoreAgain();
  void filesAreImportedThroughTheDialog();
  void aTestSetIsImported();
  void wordsLeadToTheirModel();
  void allIsExported();
  void runsOverSeedsAreTestedTogether();
  void theChoiceSurvivesAReopening();
  void tenSystemsOpenAndSortQuickly();

 private:
  void open();
  // Waits until the selection has been compared.
  void compared() {
    QTest::qWait(20);  // the event loop processes the selection
    QTRY_VERIFY(panel()->isUpToDate());
  }
  ComparePanel* panel() const { return window_->panel<ComparePanel>(); }
  const Comparison& comparison() const { return *panel()->comparison(); }
  template <typename T>
  T* child(const char* name) const {
    return panel()->findChild<T*>(QLatin1String(name));
  }
  QStringList names() const {
    QStringList names;
    for (const ComparedSystem& system : comparison().systems) names << qs(system.name);
    return names;
  }
  // A run, and two files: one equal to the references, one with another word in the first sentence.
  void fillThree() {
    fixture_->output(fixture_->run("first"));
    fixture_->import("perfect", "The house.\nA mouse!\nIt's old.\n");
    fixture_->import("close", "The mouse.\nA mouse!\nIt's old.\n");
  }

  std::unique_ptr<SystemsFixture> fixture_;
  std::unique_ptr<MainWindow> window_;
};

void TestComparePanel::open() {
  MainWindow::Options options;
  options.workspace = qs(fixture_->workspace.root().string());
  options.theme = ThemeChoice::kLight;
  window_ = std::make_unique<MainWindow>(options);
  window_->show();
  QTRY_VERIFY(window_->isOpened());
  window_->showPerspective(QStringLiteral("compare"));
  QTRY_VERIFY(panel()->isVisible() && panel()->isUpToDate());
}

void TestComparePanel::withoutSystemsItSaysWhatToDo() {
  open();
  QVERIFY(panel()->isEmpty());
  QVERIFY(panel()->findChild<QPushButton*>("runDemoButton"));
}

void TestComparePanel::runsAndImportsAreComparedByThemselves() {
  fillThree();
  open();
  QVERIFY(!panel()->isEmpty());
  QTRY_VERIFY(panel()->comparison());
  QCOMPARE(names(), (QStringList{"first", "close", "perfect"}));
  QCOMPARE(comparison().testSet, std::string("small/test"));
  QCOMPARE(comparison().metrics.size(), std::size_t(3));
  const Lines ours{"step-00000100", "a mouse!", "it's old."};
  QCOMPARE(comparison().metrics[0].systems[0].score, corpusBleu(ours, {fixture_->raw}).score);
  QCOMPARE(comparison().metrics[1].systems[2].score, 100.0);
  QVERIFY(child<QLabel>("compareTitle")->text().contains("small/test"));
  QVERIFY(child<QLabel>("compareNote")->text().contains("tok:13a"));

  // A system that is added while the panel is visible.
  fixture_->import("later", "The house.\nA house!\nIt's old.\n");
  panel()->refresh();
  QTRY_COMPARE(panel()->systems()->view()->model()->rowCount(), 4);
  compared();
  QCOMPARE(comparison().systems.size(), std::size_t(3));  // the selection is kept
}

void TestComparePanel::theBaselineIsChosenInTheList() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  QCOMPARE(comparison().baseline, std::size_t(0));
  QTreeView* list = panel()->systems()->view();
  const QModelIndex last = list->model()->index(2, 0);
  QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(last).center());
  QTest::mouseDClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(last).center());
  compared();
  QCOMPARE(names(), (QStringList{"perfect", "first", "close"}));
  QCOMPARE(comparison().baseline, std::size_t(0));
  QVERIFY(last.data().toString().contains("baseline"));
  QVERIFY(comparison().metrics[1].systems[1].difference < 0);
}

void TestComparePanel::oneSystemIsTooFew() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  const QStringList all = panel()->systems()->chosen();
  panel()->systems()->choose({all.first()}, all.first());
  compared();
  QVERIFY(!panel()->comparison());
  QCOMPARE(child<QLabel>("compareTitle")->text(), QString("Choose two systems"));
  panel()->systems()->choose(all, all.last());
  compared();
  QVERIFY(panel()->comparison());
}

void TestComparePanel::tokensAndMetricsAreChosen() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  auto* state = child<QComboBox>("compareState");
  state->setCurrentIndex(state->findText("tokens"));
  compared();
  QCOMPARE(comparison().references[0], fixture_->tokens);
  QCOMPARE(comparison().first().metric->name(), std::string("multi-bleu"));
  QVERIFY(!comparison().wordAccuracy.empty());  // the training text is known
  auto* metric = child<QComboBox>("compareMetric");
  metric->setCurrentIndex(metric->findText("TER"));
  compared();
  QCOMPARE(comparison().first().metric->name(), std::string("TER"));
  QCOMPARE(comparison().first().systems[2].score, 0.0);
}

void TestComparePanel::bucketsByLengthAreChosen() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  const auto byLength = [this](std::size_t n) {
    std::vector<std::size_t> sizes;
    std::size_t found = 0;
    for (const BucketTable& table : comparison().buckets) {
      if (!qs(table.title).startsWith("Words of the reference") || found++ != n) continue;
      for (const Bucket& bucket : table.buckets[0]) sizes.push_back(bucket.sentences.size());
    }
    return sizes;
  };
  using Sizes = std::vector<std::size_t>;
  QCOMPARE(byLength(0), (Sizes{3, 0, 0, 0, 0}));
  child<QLineEdit>("compareEdges")->setText("2");  // every sentence has two words
  compared();
  QCOMPARE(byLength(0), (Sizes{0, 3}));
  child<QLineEdit>("compareEdges")->setText("3, 2, x");
  compared();
  QCOMPARE(byLength(0), (Sizes{3, 0}));  // invalid edges are left out
  QVERIFY(child<QLineEdit>("compareEdges")->property("invalid").toBool());
  child<QSpinBox>("compareEqualCounts")->setValue(2);
  compared();
  QCOMPARE(byLength(1), (Sizes{3}));  // equal lengths stay together
}

void TestComparePanel::filtersScoreAgain() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  panel()->tabs()->setCurrentWidget(panel()->sentences());
  auto* pattern = panel()->sentences()->filters()->findChild<QLineEdit*>("filterPattern");
  QTest::keyClicks(pattern, "^a mouse");
  auto* scores = panel()->sentences()->findChild<QLabel*>("sentenceScores");
  const auto shown = [&] { return scores->text().replace(QChar(0x00A0), QLatin1Char(' ')); };
  QTRY_VERIFY2(shown().contains("1 of 3"), qPrintable(shown()));
  QCOMPARE(panel()->sentences()->model()->rowCount(), 1);
  QCOMPARE(panel()->sentences()->model()->positionAt(0), std::size_t(1));
  pattern->clear();
  QTest::keyClicks(pattern, "(open");
  QTRY_VERIFY(!panel()->sentences()->filters()->error().isEmpty());
  pattern->clear();
  QTRY_COMPARE(panel()->sentences()->model()->rowCount(), 3);
}

void TestComparePanel::filesAreImportedThroughTheDialog() {
  fillThree();
  open();
  const auto path = qs((fixture_->folder / "other.txt").string());
  const auto import = [&](const std::string& text, const QString& name) {
    put(toStd(path), text);
    child<QAction>("importSystem")->trigger();
    auto* dialog = panel()->findChild<ImportSystemDialog*>();
    QVERIFY(dialog);
    dialog->findChild<QLineEdit*>("importFile")->setText(path);
    QTest::keyClicks(dialog->findChild<QLineEdit*>("importName"), name);
    QTest::mouseClick(dialog->findChild<QPushButton*>("importButton"), Qt::LeftButton);
  };
  import("one\ntwo\n", "short");
  QTRY_VERIFY2(window_->messages()->text().contains("other.txt has 2 lines"),
               qPrintable(window_->messages()->text()));
  QCOMPARE(panel()->systems()->view()->model()->rowCount(), 3);
  QTRY_VERIFY(!panel()->findChild<ImportSystemDialog*>());
  import("H-0\t-0.5\tThe house .\nH-1\t-0.2\tA mouse !\nH-2\t-0.1\tIt is old .\n", "fair");
  QTRY_COMPARE(panel()->systems()->view()->model()->rowCount(), 4);
  QTRY_VERIFY(window_->messages()->text().contains("fair imported"));
}

void TestComparePanel::aTestSetIsImported() {
  open();
  QVERIFY(panel()->isEmpty());
  put(fixture_->folder / "news.en", "one two three four five\n");
  for (QAction* action : panel()->findChildren<QAction*>()) {
    if (action->text() == "Import a test set…") action->trigger();
  }
  auto* dialog = panel()->findChild<ImportTestSetDialog*>();
  QVERIFY(dialog);
  dialog->setReferences({qs((fixture_->folder / "news.en").string())});
  QCOMPARE(dialog->findChild<QLineEdit*>("importName")->text(), QString("news"));
  QTest::mouseClick(dialog->findChild<QPushButton*>("importButton"), Qt::LeftButton);
  QTRY_VERIFY(window_->messages()->text().contains("Test set news imported"));

  // One sentence: scores, but no resampling results.
  fixture_->import("a", "one two three four five\n", "news");
  fixture_->import("b", "one two three four six\n", "news");
  panel()->refresh();
  QTRY_VERIFY(panel()->comparison());
  QCOMPARE(comparison().sentences.size(), std::size_t(1));
  QVERIFY(!comparison().first().systems[1].interval);
}

void TestComparePanel::wordsLeadToTheirModel() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  QSignalSpy wanted(panel(), &ComparePanel::selected);
  emit panel()->sentences()->wordActivated(0, 1, 0);
  QCOMPARE(wanted.size(), 1);
  const auto choice = wanted[0][0].value<Selection>();
  QCOMPARE(choice, (Selection{.run = 1, .sentence = "Eine Maus!", .word = 0}));
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(1));
  QCOMPARE(window_->perspective(), QString("inside"));
  window_->showPerspective(QStringLiteral("compare"));
  emit panel()->sentences()->wordActivated(1, 1, 0);
  QCOMPARE(wanted.size(), 1);
  QVERIFY(window_->messages()->text().contains("was imported"));
}

void TestComparePanel::allIsExported() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  using Kind = ExportTarget::Kind;
  const std::pair<Kind, std::string> targets[] = {{Kind::kPage, "page.html"},
                                                  {Kind::kSentences, "sentences.tsv"},
                                                  {Kind::kLatex, "scores.tex"}};
  for (const auto& [kind, name] : targets) {
    const fs::path path = fixture_->folder / name;
    panel()->exportTo({kind, qs(path.string())});
    QTRY_VERIFY(fs::exists(path));
    QTRY_VERIFY(window_->messages()->text().contains(qs(name)));
    QVERIFY(readFile(path).find("perfect") != std::string::npos);
  }
  panel()->exportTo({Kind::kPage, "/nowhere/page.html"});
  QTRY_VERIFY(window_->messages()->text().contains("/nowhere"));
}

void TestComparePanel::runsOverSeedsAreTestedTogether() {
  for (int seed = 1; seed <= 3; ++seed) {
    fixture_->output(fixture_->run("base" + std::to_string(seed), seed));
    fixture_->output(fixture_->run("ours" + std::to_string(seed), seed, 0.3), "step-00000200");
  }
  open();
  QTRY_VERIFY(panel()->comparison());
  QStringList all;
  for (int row = 0; row < panel()->systems()->view()->model()->rowCount(); ++row) {
    const QModelIndex index = panel()->systems()->view()->model()->index(row, 0);
    all << index.data(Qt::UserRole + 1).toString();
  }
  QCOMPARE(all.size(), 6);
  panel()->systems()->choose(all, all.first());
  compared();
  QCOMPARE(comparison().groups.size(), std::size_t(2));
  QCOMPARE(comparison().groups[0].systems.size(), std::size_t(3));
  const auto seeds = [this] { return panel()->findChild<QWidget*>("seeds"); };
  QTRY_VERIFY(seeds() && seeds()->isVisible());
  panel()->systems()->choose(all.mid(0, 2), all.first());  // one run of each
  compared();
  QTRY_VERIFY(comparison().groups.empty() && !seeds());
}

void TestComparePanel::theChoiceSurvivesAReopening() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  panel()->systems()->choose({"perfect", "close"}, "perfect");
  auto* metric = child<QComboBox>("compareMetric");
  metric->setCurrentIndex(metric->findText("TER"));
  panel()->tabs()->setCurrentWidget(panel()->sentences());
  compared();
  window_->close();
  window_.reset();

  open();
  QTRY_VERIFY(panel()->comparison());
  compared();
  QCOMPARE(window_->perspective(), QString("compare"));
  QCOMPARE(names(), (QStringList{"perfect", "close"}));
  QCOMPARE(comparison().first().metric->name(), std::string("TER"));
  QCOMPARE(panel()->tabs()->currentWidget(), static_cast<QWidget*>(panel()->sentences()));

  // An invalid state changes nothing.
  for (const char* state : {"[]", "3", R"({"set": 3})", R"({"set": "gone/test", "systems": []})"})
    panel()->restoreState(Json::parse(state));
  compared();
  QCOMPARE(names(), (QStringList{"perfect", "close"}));
}

// The time is printed, not tested: other work may share the computer.
void TestComparePanel::tenSystemsOpenAndSortQuickly() {
  constexpr int kSentences = 3003;
  const Comparison made = fixture::generated(kSentences);
  put(fixture_->folder / "big.en", SystemsFixture::textOf(made.references.front()));
  importTestSet(fixture_->workspace, {.name = "big", .references = {fixture_->folder / "big.en"}});
  QStringList all;
  for (const ComparedSystem& system : made.systems) {
    const std::string name = "system" + std::to_string(all.size());
    fixture_->import(name, SystemsFixture::textOf(system.lines), "big");
    all << qs(name);
  }
  open();
  QTRY_VERIFY(panel()->comparison());
  panel()->tabs()->setCurrentWidget(panel()->sentences());

  QElapsedTimer clock;
  qint64 longest = 0, last = 0;
  QTimer beat;  // measures how long the GUI thread is blocked
  connect(&beat, &QTimer::timeout, this, [&] {
    longest = std::max(longest, clock.elapsed() - last);
    last = clock.elapsed();
  });
  beat.start(1);
  clock.start();
  panel()->systems()->choose(all, all.first());
  QTRY_VERIFY_WITH_TIMEOUT(panel()->isUpToDate() && panel()->comparison()->systems.size() == 10,
                           60000);
  qInfo("10 systems x %d sentences, three metrics: %lld ms; the window answered within %lld ms",
        kSentences, clock.elapsed(), longest);
  QAbstractItemModel* model = panel()->sentences()->table()->model();
  QCOMPARE(model->rowCount(), kSentences);
  const int column = model->columnCount() - 2;
  clock.restart();
  model->sort(column, Qt::DescendingOrder);
  qInfo("sorted in %lld ms", clock.elapsed());
}

QTEST_MAIN(TestComparePanel)
#include "test_compare_panel.moc"
