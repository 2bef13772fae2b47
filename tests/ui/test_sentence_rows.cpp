// The words of one sentence and their differences, without the view that shows them.
#include <QtTest>

#include "sentence_fixture.h"
#include "tests/program.h"
#include "ui/widgets/sentence_rows.h"

using namespace strata;
using namespace strata::ui;
using fixture::compared;
using fixture::small;
using Against = SentenceRows::Against;
using RowSide = SentenceRows::Side;

namespace {

// The words of the runs of one kind: those that a row lacks, or that only it has.
QString wordsOfKind(const SentenceRows& rows, std::size_t row, Against against, DiffKind kind) {
  const SentenceRows::Differences found = rows.differencesOf(row, against);
  QStringList words;
  for (const DiffRun& run : found.runs) {
    if (run.kind != kind) continue;
    for (std::size_t i = run.leftBegin; i < run.leftEnd; ++i) words << found.left->words[i].text;
    for (std::size_t i = run.rightBegin; i < run.rightEnd; ++i)
      words << rows.rows()[row].words[i].text;
  }
  return words.join(' ');
}

}  // namespace

class TestSentenceRows : public QObject {
  Q_OBJECT
 private slots:
  void rowsAreSourceReferencesAndSystems();
  void systemsAreComparedWithTheBaselineOrTheReference();
  void confirmedWordsCountWhateverIsCompared();
  void longSentencesAreNotCompared();
};

void TestSentenceRows::rowsAreSourceReferencesAndSystems() {
  const SentenceRows rows(std::make_shared<Comparison>(small()), 1);
  QCOMPARE(rows.position(), std::size_t(1));
  QCOMPARE(rows.rows().size(), std::size_t(4));
  QCOMPARE(rows.rows()[0].side, RowSide::kSource);
  QCOMPARE(rows.rows()[1].side, RowSide::kReference);
  QCOMPARE(rows.rows()[2].side, RowSide::kSystem);
  QCOMPARE(rows.rowOf(1), std::size_t(3));
  QCOMPARE(rows.rows()[0].text(), QString("a b"));
  QCOMPARE(rows.rows()[3].text(), QString("a b c d x f"));
}

void TestSentenceRows::systemsAreComparedWithTheBaselineOrTheReference() {
  const SentenceRows rows(std::make_shared<Comparison>(small()), 0);
  const std::size_t base = rows.rowOf(0), ours = rows.rowOf(1);
  QCOMPARE(wordsOfKind(rows, ours, Against::kBaseline, DiffKind::kLeft), QString("a mats ."));
  QCOMPARE(wordsOfKind(rows, ours, Against::kBaseline, DiffKind::kRight), QString("the mat !"));
  QCOMPARE(wordsOfKind(rows, ours, Against::kReference, DiffKind::kLeft), QString("."));
  QCOMPARE(wordsOfKind(rows, base, Against::kReference, DiffKind::kRight), QString("a mats"));
  QVERIFY(!rows.differencesOf(base, Against::kBaseline).left);  // with itself
  for (const Against against : {Against::kBaseline, Against::kReference}) {
    QVERIFY(!rows.differencesOf(0, against).left);
    QVERIFY(!rows.differencesOf(1, against).left);
  }
  QVERIFY(!rows.differencesOf(ours, Against::kNothing).left);
}

void TestSentenceRows::confirmedWordsCountWhateverIsCompared() {
  const SentenceRows rows(std::make_shared<Comparison>(small()), 0);
  const std::vector<int> expected{4, 4, 4, 4, 4, 4, 0};  // "the cat sat on the mat" and "!"
  for (const Against against : {Against::kBaseline, Against::kReference, Against::kNothing})
    QCOMPARE(rows.differencesOf(rows.rowOf(1), against).orders, expected);
  QCOMPARE(rows.differencesOf(1, Against::kBaseline).orders, std::vector<int>(7, 0));
}

void TestSentenceRows::longSentencesAreNotCompared() {
  std::string line = "a", other = "b";
  for (int i = 0; i < 1999; ++i) {
    line += " w" + std::to_string(i);
    other += " w" + std::to_string(i);
  }
  const SentenceRows rows(
      std::make_shared<Comparison>(
          compared({line}, {fixture::system("base", {line}), fixture::system("ours", {other})})),
      0);
  QVERIFY(!rows.fitsComparing());
  const SentenceRows::Differences found = rows.differencesOf(rows.rowOf(1), Against::kBaseline);
  QVERIFY(!found.left);
  QCOMPARE(found.runs.size(), std::size_t(1));
  QCOMPARE(found.orders, std::vector<int>(2000, 0));
}

STRATA_GUILESS_TEST(TestSentenceRows)
#include "test_sentence_rows.moc"
