// The sentences of a comparison in the window: table, filter bar and selection, driven as by a
// user.
#include <QComboBox>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTextEdit>
#include <QToolButton>
#include <QtTest>
#include <cmath>

#include "sentence_fixture.h"
#include "tests/program.h"
#include "ui/panels/sentence_model.h"
#include "ui/panels/sentence_view.h"
#include "ui/style/theme.h"
#include "ui/widgets/filter_bar.h"
#include "ui/widgets/translation_diff.h"

using namespace strata;
using namespace strata::ui;
using fixture::compared;
using fixture::generated;
using fixture::Lines;
using fixture::small;
using Kind = SentenceModel::Kind;

namespace {

QStringList column(const SentenceModel& model, int column) {
  QStringList texts;
  for (int row = 0; row < model.rowCount(); ++row)
    texts << model.index(row, column).data().toString();
  return texts;
}

template <typename Widget>
Widget* find(QWidget& in, const char* name) {
  auto* found = in.findChild<Widget*>(name);
  if (!found) qFatal("there is no %s", name);
  return found;
}

// Of the last filter that was asked for.
SentenceFilter last(const QSignalSpy& spy) {
  return spy.last()[0].value<SentenceFilter>();
}

}  // namespace

class TestSentenceView : public QObject {
  Q_OBJECT
 private slots:
  void init() { applyTheme(ThemeChoice::kLight); }
  void columnsOfAComparison();
  void differencesSayWhatIsBetter();
  void numbersSortByValueAndTiesStay();
  void whatIsNoNumberComesLast();
  void selectionAndFilterSurviveSorting();
  void tenSystemsSortQuickly();
  void typingEmitsOnce();
  void rangesThatHoldNothingAreSaid();
  void conditionsOfOneSystem();
  void unknownWordsOnlyWhereKnown();
  void headersAndArrowsDriveTheTable();
  void scoresOfWhatIsShown();
  void anErrorKeepsTheSentences();
  void nothingLeftOffersToReset();
};

void TestSentenceView::columnsOfAComparison() {
  Comparison comparison = small();
  SentenceModel model;
  model.setComparison(std::make_shared<Comparison>(comparison));
  const auto headings = [&] {
    QStringList list;
    for (int i = 0; i < model.columnCount(); ++i)
      list << model.headerData(i, Qt::Horizontal, Qt::DisplayRole).toString();
    return list.join('|');
  };
  QCOMPARE(headings(), QString("#|words|base|ours|Δ ours|reference|source"));
  QCOMPARE(column(model, 0), QStringList({"1", "2", "3"}));
  QCOMPARE(column(model, 1), QStringList({"7", "6", "5"}));
  // Right are 6 of 7 words, 5 of 6 bigrams, 4 of 5 and 3 of 4: the fourth root of 3/7.
  QCOMPARE(column(model, 3)[0], QString::number(100 * std::pow(3 / 7.0, 0.25), 'f', 2));
  comparison.unknownWords = {0, 2, 0};
  comparison.source.clear();
  comparison.sentences = {10, 11, 12};
  model.setComparison(std::make_shared<Comparison>(comparison));
  QCOMPARE(headings(), QString("#|words|unknown|base|ours|Δ ours|reference"));
  QCOMPARE(column(model, 0), QStringList({"11", "12", "13"}));
  QCOMPARE(column(model, 2), QStringList({"0", "2", "0"}));
  model.setComparison(nullptr);
  QCOMPARE(model.rowCount() + model.columnCount(), 0);
}

void TestSentenceView::differencesSayWhatIsBetter() {
  for (const char* metric : {"bleu", "ter"}) {
    SentenceModel model;
    model.setComparison(std::make_shared<Comparison>(small(metric)));
    const int differences = model.columnOf({Kind::kDifference, 1});
    const QStringList shown = column(model, differences);
    QVERIFY2(shown[0].startsWith(QChar(0x25B2)), qPrintable(shown[0]));
    QVERIFY2(shown[1].startsWith(QChar(0x25BC)), qPrintable(shown[1]));
    QCOMPARE(shown[2], QString("0.00"));
    // One error less is better, one more worse.
    QCOMPARE(shown[1].contains('+'), metric == QLatin1String("ter"));
    const auto colour = [&](int row) {
      return model.index(row, differences).data(Qt::ForegroundRole).value<QColor>();
    };
    QCOMPARE(colour(0), theme().good);
    QCOMPARE(colour(1), theme().bad);
    QCOMPARE(colour(2), theme().muted);
  }
}

void TestSentenceView::numbersSortByValueAndTiesStay() {
  Lines reference;
  for (int i = 0; i < 12; ++i) {
    std::string line = "w";
    for (int n = 0; n < (i % 4 == 3 ? 9 : i % 4); ++n) line += " w";
    reference.push_back(line);
  }
  SentenceModel model;
  model.setComparison(std::make_shared<Comparison>(
      compared(reference, {fixture::system("a", reference), fixture::system("b", reference)})));
  model.sort(1, Qt::AscendingOrder);  // 10 words come after 3
  QCOMPARE(column(model, 1).join(' '), QString("1 1 1 2 2 2 3 3 3 10 10 10"));
  QCOMPARE(column(model, 0).join(' '), QString("1 5 9 2 6 10 3 7 11 4 8 12"));
  model.sort(1, Qt::DescendingOrder);
  QCOMPARE(column(model, 0).join(' '), QString("4 8 12 3 7 11 2 6 10 1 5 9"));
  model.sort(0, Qt::DescendingOrder);
  model.sort(1, Qt::AscendingOrder);  // ties stay in the order before
  QCOMPARE(column(model, 0).join(' '), QString("9 5 1 10 6 2 11 7 3 12 8 4"));
  model.sort(-1, Qt::AscendingOrder);
  QCOMPARE(column(model, 0).join(' '), QString("1 2 3 4 5 6 7 8 9 10 11 12"));
}

void TestSentenceView::whatIsNoNumberComesLast() {
  Comparison comparison = small();
  comparison.sentenceScores[0] = {2, NAN, 1};
  SentenceModel model;
  model.setComparison(std::make_shared<Comparison>(comparison));
  const int scores = model.columnOf({Kind::kScore, 0});
  model.sort(scores, Qt::AscendingOrder);
  QCOMPARE(column(model, 0).join(' '), QString("3 1 2"));
  model.sort(scores, Qt::DescendingOrder);
  QCOMPARE(column(model, 0).join(' '), QString("1 3 2"));
}

void TestSentenceView::selectionAndFilterSurviveSorting() {
  SentenceModel model;
  model.setComparison(std::make_shared<Comparison>(small()));
  const QPersistentModelIndex second = model.index(1, 4);
  model.sort(0, Qt::DescendingOrder);
  QCOMPARE(second.row(), 1);
  model.sort(model.columnOf({Kind::kDifference, 1}), Qt::AscendingOrder);
  QCOMPARE(second.row(), 0);
  QCOMPARE(second.column(), 4);
  QCOMPARE(model.positionAt(0), std::size_t{1});
  model.setShown({0, 1, 99});
  QCOMPARE(column(model, 0).join(' '), QString("2 1"));
  QCOMPARE(model.rowOf(0), 1);
  QCOMPARE(model.rowOf(2), -1);
  QCOMPARE(model.rowOf(99), -1);
}

void TestSentenceView::tenSystemsSortQuickly() {
  constexpr std::size_t kSentences = 3003;
  const auto comparison = std::make_shared<Comparison>(generated(kSentences));
  SentenceView view;
  view.resize(1280, 800);
  view.setComparison(comparison);
  view.show();
  SentenceModel& model = *view.model();
  QCOMPARE(model.rowCount(), int(kSentences));
  const int differences = model.columnOf({Kind::kDifference, 9});
  QElapsedTimer clock;
  for (const int by :
       {differences, model.columnOf({Kind::kScore, 4}), model.columnOf({Kind::kReference})}) {
    clock.start();
    view.table()->sortByColumn(by, Qt::DescendingOrder);
    const double sorted = double(clock.nsecsElapsed()) / 1e6;
    view.grab();
    qInfo("column %d: sorted in %.2f ms, painted after %.1f ms", by, sorted,
          double(clock.nsecsElapsed()) / 1e6);
  }
  view.table()->sortByColumn(differences, Qt::AscendingOrder);
  for (int row = 1; row < model.rowCount(); ++row) {
    QVERIFY(comparison->sentenceDifference(9, model.positionAt(row - 1)) <=
            comparison->sentenceDifference(9, model.positionAt(row)));
  }
  model.sort(0, Qt::AscendingOrder);
  model.sort(1, Qt::DescendingOrder);  // many sentences are equally long
  for (int row = 1; row < model.rowCount(); ++row) {
    const int before = model.index(row - 1, 1).data().toInt();
    const int words = model.index(row, 1).data().toInt();
    QVERIFY(before > words ||
            (before == words && model.positionAt(row - 1) < model.positionAt(row)));
  }
  clock.start();
  for (int row = 0; row < 20; ++row) view.diff()->showSentence(std::size_t(row));
  qInfo("ten translations side by side: %.2f ms", double(clock.nsecsElapsed()) / 20e6);
}

void TestSentenceView::typingEmitsOnce() {
  FilterBar bar;
  bar.setSystems({"base", "ours"}, 0);
  bar.show();
  QSignalSpy changed(&bar, &FilterBar::changed);
  auto* pattern = find<QLineEdit>(bar, "filterPattern");
  QTest::keyClicks(pattern, "ca[tr]");
  find<QToolButton>(bar, "filterCase")->click();
  find<QComboBox>(bar, "filterWhere")->setCurrentIndex(2);
  find<QToolButton>(bar, "filterMore")->click();
  QTest::keyClicks(find<QLineEdit>(bar, "filterLengthFrom"), "5");
  QTest::keyClicks(find<QLineEdit>(bar, "filterLengthTo"), "12");
  QCOMPARE(changed.size(), 0);
  QTRY_COMPARE(changed.size(), 1);
  const SentenceFilter filter = last(changed);
  QCOMPARE(filter.pattern, std::string("ca[tr]"));
  QVERIFY(filter.caseSensitive);
  QVERIFY(filter.where == SentenceFilter::Where::kReferences);
  QVERIFY(filter.length.low == 5.0 && filter.length.high == 12.0);
  QVERIFY(filter.score.isOpen() && filter.difference.isOpen() && filter.unknownWords.isOpen());
  QTest::keyClick(pattern, Qt::Key_Return);  // at once
  QCOMPARE(changed.size(), 2);
  find<QToolButton>(bar, "filterReset")->click();
  QCOMPARE(changed.size(), 3);
  QVERIFY(last(changed).pattern.empty() && last(changed).length.isOpen() && !bar.isSet());
  QVERIFY(!find<QToolButton>(bar, "filterReset")->isEnabled());
}

void TestSentenceView::rangesThatHoldNothingAreSaid() {
  FilterBar bar;
  bar.setSystems({"base", "ours"}, 0);
  bar.show();
  QSignalSpy changed(&bar, &FilterBar::changed);
  find<QToolButton>(bar, "filterMore")->click();
  auto* from = find<QLineEdit>(bar, "filterLengthFrom");
  QTest::keyClicks(from, "x");
  QVERIFY(bar.error().contains("'x' is not a number"));
  from->clear();
  QTest::keyClicks(from, "20");
  QTest::keyClicks(find<QLineEdit>(bar, "filterLengthTo"), "10");
  QVERIFY(bar.error().contains("start 20 is after the end 10"));
  QTest::qWait(300);
  QCOMPARE(changed.size(), 0);
  QTest::keyClicks(find<QLineEdit>(bar, "filterLengthTo"), "0");  // 100
  QVERIFY(bar.error().isEmpty());
  QTRY_COMPARE(changed.size(), 1);
  bar.showError("a bracket is not closed");
  QCOMPARE(bar.error(), QString("a bracket is not closed"));
  QVERIFY(find<QLabel>(bar, "filterError")->isVisible());
  QTest::keyClicks(find<QLineEdit>(bar, "filterPattern"), "a");
  QVERIFY(bar.error().isEmpty());
}

void TestSentenceView::conditionsOfOneSystem() {
  FilterBar bar;
  bar.setSystems({"ours", "base", "theirs"}, 1);
  bar.show();
  auto* more = find<QToolButton>(bar, "filterMore");
  auto* low = find<QLineEdit>(bar, "filterDifferenceFrom");
  QVERIFY(!low->isVisible());
  more->click();
  QVERIFY(low->isVisible());
  QSignalSpy changed(&bar, &FilterBar::changed);
  find<QComboBox>(bar, "filterSystem")->setCurrentIndex(2);
  find<QComboBox>(bar, "filterOutcome")->setCurrentIndex(3);
  QTest::keyClicks(low, "-1,5");
  QTest::keyClicks(find<QLineEdit>(bar, "filterScoreTo"), "40");
  QTRY_COMPARE(changed.size(), 1);
  const SentenceFilter filter = last(changed);
  QCOMPARE(filter.system, std::size_t{2});
  QVERIFY(filter.outcome == SentenceFilter::Outcome::kWorse);
  QVERIFY(filter.difference.low == -1.5 && !filter.difference.high);
  QVERIFY(filter.score.high == 40.0 && !filter.score.low);
  QCOMPARE(more->text(), QString("More (2)"));
  // The baseline never differs from itself.
  find<QComboBox>(bar, "filterSystem")->setCurrentIndex(1);
  QVERIFY(!low->isEnabled());
  QVERIFY(bar.filter().difference.isOpen() && bar.filter().score.high == 40.0);
  QVERIFY(bar.filter().outcome == SentenceFilter::Outcome::kAny);
}

void TestSentenceView::unknownWordsOnlyWhereKnown() {
  FilterBar bar;
  bar.setSystems({"base", "ours"}, 0);
  bar.show();
  find<QToolButton>(bar, "filterMore")->click();
  auto* unknown = find<QComboBox>(bar, "filterUnknown");
  QVERIFY(!unknown->isVisible());
  bar.setUnknownWordsKnown(true);
  QVERIFY(unknown->isVisible());
  unknown->setCurrentIndex(1);
  QVERIFY(bar.filter().unknownWords.low == 0.0 && bar.filter().unknownWords.high == 0.0);
  unknown->setCurrentIndex(2);
  QVERIFY(bar.filter().unknownWords.low == 1.0 && !bar.filter().unknownWords.high);
  bar.setUnknownWordsKnown(false);
  QVERIFY(bar.filter().unknownWords.isOpen());
}

void TestSentenceView::headersAndArrowsDriveTheTable() {
  SentenceView view;
  view.resize(1000, 600);
  view.setComparison(std::make_shared<Comparison>(small()));
  view.show();
  QCOMPARE(view.diff()->position(), std::optional<std::size_t>(0));
  QHeaderView* header = view.table()->horizontalHeader();
  const int at = view.model()->columnOf({Kind::kDifference, 1});
  const auto click = [&] {
    const QPoint middle(header->sectionViewportPosition(at) + header->sectionSize(at) / 2,
                        header->height() / 2);
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, middle);
  };
  click();
  QCOMPARE(column(*view.model(), 0).join(' '), QString("2 3 1"));
  QCOMPARE(view.diff()->position(), std::optional<std::size_t>(0));  // it stays chosen
  click();
  QCOMPARE(column(*view.model(), 0).join(' '), QString("1 3 2"));
  view.table()->setFocus();
  QTest::keyClick(view.table(), Qt::Key_Down);
  QCOMPARE(view.diff()->position(), std::optional<std::size_t>(2));
  click();
  QCOMPARE(column(*view.model(), 0).join(' '), QString("1 2 3"));
  view.showSentence(1);
  QCOMPARE(view.table()->currentIndex().row(), 1);
  QSignalSpy activated(&view, &SentenceView::wordActivated);
  QTest::keyClick(view.diff()->text(), Qt::Key_Right);
  QTest::keyClick(view.diff()->text(), Qt::Key_Return);
  QCOMPARE(activated.size(), 1);
  QCOMPARE(activated[0][1].value<std::size_t>(), std::size_t{1});
}

void TestSentenceView::scoresOfWhatIsShown() {
  SentenceView view;
  const auto comparison = std::make_shared<Comparison>(small());
  view.setComparison(comparison);
  auto* line = find<QLabel>(view, "sentenceScores");
  const auto shown = [&] { return line->text().replace(QChar(0x00A0), ' '); };
  QVERIFY2(shown().startsWith("3 sentences · BLEU · base "), qPrintable(shown()));
  QSignalSpy asked(&view, &SentenceView::filterChanged);
  QTest::keyClicks(find<QLineEdit>(view, "filterPattern"), "cat");
  QTRY_COMPARE(asked.size(), 1);
  QCOMPARE(shown(), QString("Filtering…"));
  FilteredScores found{.sentences = {0, 2}, .share = 2 / 3.0, .systems = {}};
  found.systems = {{.score = 35.2, .interval = ConfidenceInterval{35, 1.1}},
                   {.score = 36.9,
                    .difference = 1.7,
                    .interval = ConfidenceInterval{37, 1.2},
                    .test = DifferenceTest{.pValue = 0.002, .pHolm = 0.004}}};
  view.setFiltered(found);
  QCOMPARE(shown(),
           QString("2 of 3 sentences (67 %) · BLEU · base 35.20 ± 1.10 · ours 36.90 ± 1.20 "
                   "(▲ +1.70, p 0.004)"));
  QCOMPARE(view.model()->rowCount(), 2);
  found.sentences = {2};
  found.systems = {{.score = 35}, {.score = 34, .difference = -1}};
  view.setFiltered(found);
  QVERIFY(shown().endsWith("base 35.00 · ours 34.00 (▼ −1.00)"));
  QCOMPARE(view.diff()->position(), std::optional<std::size_t>(2));
}

void TestSentenceView::anErrorKeepsTheSentences() {
  SentenceView view;
  view.setComparison(std::make_shared<Comparison>(small()));
  const QString before = find<QLabel>(view, "sentenceScores")->text();
  QSignalSpy asked(&view, &SentenceView::filterChanged);
  QTest::keyClicks(find<QLineEdit>(view, "filterPattern"), "(");
  QTRY_COMPARE(asked.size(), 1);
  view.setFilterError("a bracket is not closed at character 1");
  QCOMPARE(view.filters()->error(), QString("a bracket is not closed at character 1"));
  QCOMPARE(find<QLabel>(view, "sentenceScores")->text(), before);
  QCOMPARE(view.model()->rowCount(), 3);
}

void TestSentenceView::nothingLeftOffersToReset() {
  SentenceView view;
  view.resize(900, 600);
  view.setComparison(std::make_shared<Comparison>(small()));
  view.show();
  QTest::keyClicks(find<QLineEdit>(view, "filterPattern"), "zebra");
  view.setFiltered({});
  auto* reset = find<QPushButton>(view, "resetFilterButton");
  QVERIFY(reset->isVisible() && !view.table()->isVisible());
  QVERIFY(find<QLabel>(view, "sentenceScores")->text().startsWith("0"));
  QSignalSpy asked(&view, &SentenceView::filterChanged);
  reset->click();
  QCOMPARE(asked.size(), 1);
  QVERIFY(asked[0][0].value<SentenceFilter>().pattern.empty());
  view.setFiltered({.sentences = {0, 1, 2}, .share = 1, .systems = small().first().systems});
  QVERIFY(view.table()->isVisible());
  QCOMPARE(view.diff()->position(), std::optional<std::size_t>(0));
}

STRATA_TEST(TestSentenceView)
#include "test_sentence_view.moc"
