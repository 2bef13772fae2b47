#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QTextEdit>
#include <QTreeView>
#include <QtTest>

#include "core/metrics/bleu.h"
#include "tests/program.h"
#include "tests/ui/compare_window.h"
#include "tests/ui/sentence_fixture.h"
#include "ui/panels/comparison_views.h"
#include "ui/panels/sentence_model.h"
#include "ui/panels/sentence_view.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/messages.h"
#include "ui/widgets/report_table.h"
#include "ui/widgets/system_list.h"
#include "ui/widgets/translation_diff.h"

using namespace strata;
using namespace strata::ui;

// What is compared, how it is chosen, and where it leads.
class TestComparePanel : public QObject, private CompareWindow {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void withoutSystemsItSaysWhatToDo();
  void runsAndImportsAreComparedByThemselves();
  void theBaselineIsChosenInTheList();
  void theBaselineIsThatOfThePapers();
  void oneSystemHasItsScore();
  void tokensAndMetricsAreChosen();
  void bucketsByLengthAreChosen();
  void filtersScoreAgain();
  void numbersAreNeverCut();
  void wordsLeadToTheirModel();
  void runsOverSeedsAreTestedTogether();
  void theChoiceSurvivesAReopening();
  void tenSystemsOpenAndSortQuickly();

 private:
  QStringList names() const {
    QStringList names;
    for (const ComparedSystem& system : comparison().systems) names << qs(system.name);
    return names;
  }
};

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

// The older run is the baseline of table 2; the newer one, with fused layers, is listed first.
void TestComparePanel::theBaselineIsThatOfThePapers() {
  const auto make = [this](const char* name, const char* preset) {
    return createRun(
        fixture_->workspace,
        {.name = name,
         .config = Json{{"preset", preset}, {"seed", 1}, {"data", {{"dataset", "small"}}}}});
  };
  fixture_->output(make("fused", "mlrf/dec-sa4-cpu"));
  fixture_->output(make("plain", "mlrf/base-cpu"));
  open();
  QTRY_VERIFY(panel()->comparison());
  auto* choice = child<QComboBox>("compareBaseline");
  QCOMPARE(names(), (QStringList{"plain", "fused"}));
  QCOMPARE(choice->currentText(), QString("plain"));
  // Another one is chosen, and kept.
  choice->setCurrentIndex(choice->findText("fused"));
  emit choice->activated(choice->currentIndex());
  compared();
  QCOMPARE(names(), (QStringList{"fused", "plain"}));
  window_->close();
  window_.reset();
  open();
  QTRY_VERIFY(panel()->comparison());
  compared();
  QCOMPARE(names(), (QStringList{"fused", "plain"}));
}

void TestComparePanel::oneSystemHasItsScore() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  const QStringList all = panel()->systems()->chosen();
  panel()->systems()->choose({"close"}, "close");
  compared();
  QVERIFY(panel()->comparison());
  QCOMPARE(names(), QStringList{"close"});
  const SystemScore& score = comparison().first().systems[0];
  QCOMPARE(score.score,
           corpusBleu(Lines{"The mouse.", "A mouse!", "It's old."}, {fixture_->raw}).score);
  QVERIFY(score.interval && !score.test);
  const auto* table = child<ReportTable>("scoresTable1");
  QTRY_VERIFY(table && table->table().columns.size() == 3);
  QCOMPARE(table->table().columns[2].title, std::string("95 % interval"));
  QVERIFY(child<QWidget>("differenceHistogram")->isHidden());
  for (int tab = 0; tab < panel()->tabs()->count(); ++tab) {
    panel()->tabs()->setCurrentIndex(tab);
    QVERIFY(!panel()->grab().isNull());
  }
  panel()->systems()->choose({}, {});
  compared();
  QVERIFY(!panel()->comparison());
  QCOMPARE(child<QLabel>("compareTitle")->text(), QString("Choose systems"));
  panel()->systems()->choose(all, all.last());
  compared();
  QCOMPARE(comparison().systems.size(), std::size_t(3));
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
  // Of plain text, too: sentences whose reference the run's vocabulary can write.
  auto* unknown = panel()->sentences()->filters()->findChild<QComboBox*>("filterUnknown");
  QCOMPARE(child<QComboBox>("compareState")->currentIndex(), 0);
  QVERIFY(!unknown->isHidden());
  unknown->setCurrentIndex(1);  // none
  QTRY_COMPARE(panel()->sentences()->model()->rowCount(), 2);
  QTRY_VERIFY2(shown().contains("2 of 3"), qPrintable(shown()));
}

void TestComparePanel::numbersAreNeverCut() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  panel()->systems()->choose(panel()->systems()->chosen(), "perfect");
  compared();
  for (auto* table : panel()->findChildren<ReportTable*>()) {
    const QAbstractItemModel* model = table->model();
    for (int column = 0; column < model->columnCount(); ++column) {
      if (table->table().columns[std::size_t(column)].align != Align::kRight) continue;
      for (int row = 0; row < model->rowCount(); ++row)
        QVERIFY(table->fontMetrics().horizontalAdvance(
                    model->index(row, column).data().toString()) < table->columnWidth(column));
    }
  }
  panel()->tabs()->setCurrentWidget(panel()->sentences());
  const QTableView* sentences = panel()->sentences()->table();
  const SentenceModel* model = panel()->sentences()->model();
  for (int column = 0; column < model->columnCount(); ++column) {
    if (model->columns()[std::size_t(column)].isText()) continue;
    for (int row = 0; row < model->rowCount(); ++row)
      QVERIFY(sentences->fontMetrics().horizontalAdvance(
                  model->index(row, column).data().toString()) < sentences->columnWidth(column));
  }
}

void TestComparePanel::wordsLeadToTheirModel() {
  fillThree();
  open();
  QTRY_VERIFY(panel()->comparison());
  QSignalSpy wanted(panel(), &ComparePanel::selected);
  const auto click = [this](std::size_t system, std::size_t position, int word) {
    window_->showPerspective(QStringLiteral("compare"));
    panel()->tabs()->setCurrentWidget(panel()->sentences());
    panel()->sentences()->showSentence(position);
    QTRY_VERIFY(panel()->sentences()->diff()->isVisible());
    TranslationDiff* diff = panel()->sentences()->diff();
    const QRect place = diff->wordRect(system, word);
    QVERIFY(!place.isEmpty());
    QTest::mouseClick(diff->text()->viewport(), Qt::LeftButton, {}, place.center());
  };
  const auto leads = [&](qint64 run, const QString& sentence, int word) {
    const Selection& now = window_->panels()->selection();
    QCOMPARE(now.run, std::optional<qint64>(run));
    QCOMPARE(now.sentence, std::optional<QString>(sentence));
    QCOMPARE(now.testSet, std::optional<QString>("small/test"));
    QCOMPARE(now.hypothesis, std::optional<int>(0));
    QCOMPARE(now.word, std::optional<int>(word));
    QCOMPARE(window_->perspective(), QString("inside"));
  };
  click(0, 1, 1);
  QCOMPARE(wanted.size(), 1);
  leads(1, "Eine Maus!", 1);
  click(1, 1, 0);  // of another toolkit
  QCOMPARE(wanted.size(), 1);
  QVERIFY(window_->messages()->text().contains("was imported"));

  // With tokens shown the sentence is still the one that a user would type; and while another
  // choice waits to be compared, the word is of the system that is shown.
  window_->showPerspective(QStringLiteral("compare"));
  fixture_->output(fixture_->run("second", 2));
  panel()->refresh();
  QTRY_COMPARE(panel()->systems()->view()->model()->rowCount(), 4);
  QString first, second;
  for (int row = 0; row < 4; ++row) {
    const QString id =
        panel()->systems()->view()->model()->index(row, 0).data(Qt::UserRole + 1).toString();
    if (panel()->systems()->system(id)->runName == "first") first = id;
    if (panel()->systems()->system(id)->runName == "second") second = id;
  }
  auto* state = child<QComboBox>("compareState");
  state->setCurrentIndex(state->findText("tokens"));
  panel()->systems()->choose({first, second}, second);
  compared();
  QCOMPARE(names(), (QStringList{"second", "first"}));
  panel()->tabs()->setCurrentWidget(panel()->sentences());
  panel()->sentences()->showSentence(2);
  TranslationDiff* diff = panel()->sentences()->diff();
  QTRY_VERIFY(diff->isVisible() && !diff->wordRect(0, 0).isEmpty());
  panel()->systems()->choose({first, second}, first);  // not compared yet
  QTest::mouseClick(diff->text()->viewport(), Qt::LeftButton, {}, diff->wordRect(0, 0).center());
  leads(2, "Es ist alt.", 0);
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

STRATA_TEST(TestComparePanel)
#include "test_compare_panel.moc"
