// Tables of scores and what comet-score prints: which numbers are the scores, what orders them, and
// what is refused.
#include <QTest>

#include "core/systems/score_files.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Texts = std::vector<std::string>;
using Values = std::vector<double>;

ScoreFile readScores(const std::string& text, const ScoreFileOptions& options = {}) {
  const TemporaryFolder folder;
  put(folder / "scores", text);
  return readScoreFile(folder / "scores", options);
}

}  // namespace

class TestScoreFiles : public QObject {
  Q_OBJECT

 private slots:
  void choosesTheScores_data();
  void choosesTheScores();
  void namedColumnsAreUnique();
  void idsOrderTheRows();
  void refusesIdsThatDoNotFit_data();
  void refusesIdsThatDoNotFit();
  void saysWhatItDecided();
  void readsWhatCometPrints();
};

// The values of the first list, as texts; or the error.
void TestScoreFiles::choosesTheScores_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("values");
  const auto row = [](const char* name, const char* text, const char* values) {
    QTest::newRow(name) << QString(text) << QString(values);
  };
  row("next to ids", "id\tscore\n0\t0.9\n1\t0.8\n2\t0.7\n", "0.9 0.8 0.7");
  row("of pandas", "\tscore\n0\t0.9\n1\t0.8\n", "0.9 0.8");
  row("without titles", "1\t0.9\n2\t0.8\n", "0.9 0.8");
  row("of whole numbers", "seg_id\tscore\n1\t3\n2\t5\n", "3 5");
  row("missing ones", "id\tscore\n0\tNone\n1\t0.8\n", "nan 0.8");
  row("decimal comma", "id\tscore\n0\t0,9\n1\t0,8\n2\t0,7\n",
      "scores: line 2: '0,9' is not a score; expected a number, None or nothing; write decimal "
      "points");
  row("decimal comma, no titles", "0\t0,9\n1\t0,8\n", "line 1: '0,9' is not a score");
  row("decimal comma, alone", "0,9\n0,8\n", "line 1: '0,9' is not a score");
  row("a word", "id\tscore\n0\t0.9\n1\terror\n2\t0.7\n", "line 3: 'error' is not a score");
  row("percent", "id\tscore\n0\t90%\n1\t80 %\n",
      "'90%' is not a score; expected a number, None "
      "or nothing; leave out the percent signs");
  row("infinite", "id\tscore\n0\tinf\n1\t0.5\n", "line 2: 'inf' is not a score");
  row("thousands", "id\tscore\n0\t1,234.5\n1\t7\n", "line 2: '1,234.5' is not a score");
  row("two columns", "id\ta\tb\n0\t1.5\t2.5\n1\t1\t2\n",
      "several columns hold numbers (a, b): choose the scores' column; there are: id, a, b");
  row("ids alone", "id\ttext\n0\ta b\n1\tc d\n",
      "no columns hold numbers besides 'id', which numbers the sentences");
  row("numbers of another name", "n\ttext\n0\ta b\n1\tc d\n",
      "no columns hold numbers besides 'n', which numbers the sentences");
  row("other separators", "id;score\n0;0,9\n1;0,8\n", "columns are to be separated by tabs");
}

void TestScoreFiles::choosesTheScores() {
  QFETCH(QString, text);
  QFETCH(QString, values);
  std::string found;
  const std::string error = errorOf([&] {
    const ScoreFile file = readScores(text.toStdString());
    for (const double value : file.systems[0].values)
      found += (found.empty() ? "" : " ") + fmt::format("{}", value);
  });
  QHOLDS(found.empty() ? error : found, values.toStdString());
}

void TestScoreFiles::namedColumnsAreUnique() {
  QHOLDS(errorOf([] { readScores("score\tscore\n1.5\t2\n", {.scoreColumn = "score"}); }),
         "several columns are called 'score'");
  QCOMPARE(readScores("score\tother\n1.5\t2\n", {.scoreColumn = "2"}).systems[0].values, Values{2});
}

void TestScoreFiles::idsOrderTheRows() {
  const auto values = [&](const std::string& text, const ScoreFileOptions& options = {}) {
    return readScores(text, options).systems[0].values;
  };
  const Values ordered{0.5, 0.25, 0.75};
  QCOMPARE(values("id\tscore\n2\t0.75\n0\t0.5\n1\t0.25\n"), ordered);
  QCOMPARE(values("3\t0.75\n1\t0.5\n2\t0.25\n"), ordered);
  QCOMPARE(values("score\tSegID\n0.75\tnews-10\n0.5\tnews-8\n0.25\tnews-9\n", {.idColumn = "none"}),
           (Values{0.75, 0.5, 0.25}));
  QCOMPARE(values("score\tline\n0.75\tseg-3\n0.5\tseg-1\n0.25\tseg-2\n"), ordered);
  QCOMPARE(values("score\tplace\n0.75\t3.0\n0.5\t1.0\n0.25\t2.0\n",
                  {.scoreColumn = "score", .idColumn = "place"}),
           ordered);
  // Texts move with their scores; each system counts for itself, or all together.
  const ScoreFile texts = readScores("id\tmt\tscore\n1\tb\t0.2\n0\ta\t0.1\n", {.textColumn = "mt"});
  QCOMPARE(texts.systems[0].translations, (Texts{"a", "b"}));
  for (const char* last : {"0", "2"}) {
    const std::string text = std::string("id\tsystem\tscore\n1\tx\t0.2\n0\tx\t0.1\n") +
                             (*last == '0' ? "1\ty\t0.4\n0\ty\t0.3\n" : "3\ty\t0.4\n2\ty\t0.3\n");
    const ScoreFile both = readScores(text, {.systemColumn = "system"});
    QCOMPARE(both.systems[0].name, std::string("x"));
    QCOMPARE(both.systems[0].values, (Values{0.1, 0.2}));
    QCOMPARE(both.systems[1].values, (Values{0.3, 0.4}));
  }
}

void TestScoreFiles::refusesIdsThatDoNotFit_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("part");
  const auto row = [](const char* name, const char* text, const char* part) {
    QTest::newRow(name) << QString(text) << QString(part);
  };
  row("twice", "id\tscore\n0\t0.9\n1\t0.8\n1\t0.7\n",
      "line 4: '1' of column 'id' is in line 3, too");
  row("a gap", "id\tscore\n0\t0.9\n1\t0.8\n3\t0.7\n",
      "the numbers of column 'id' are neither 0 to 2 nor 1 to 3");
  row("from ten", "id\tscore\n10\t0.9\n11\t0.8\n", "neither 0 to 1 nor 1 to 2");
  row("missing", "id\tscore\n0\t0.9\n\t0.8\n2\t0.8\n", "line 3 has no 'id'");
  row("no number", "id\tscore\n0\t0.9\n1\t0.8\nx\t0.8\n",
      "line 4: 'x' of column 'id' is not a number of a sentence");
  row("a name twice", "id\tscore\na\t0.9\nb\t0.8\na\t0.7\n",
      "line 4: 'a' of column 'id' is in line 2, too");
  row("two orders", "id\tline\tscore\n0\t1\t0.9\n1\t0\t0.8\n",
      "'id' and 'line' both number the sentences, in different orders");
}

void TestScoreFiles::refusesIdsThatDoNotFit() {
  QFETCH(QString, text);
  QFETCH(QString, part);
  QHOLDS(errorOf([&] { readScores(text.toStdString()); }), part.toStdString());
  const ScoreFile read =
      readScores(text.toStdString(), {.scoreColumn = "score", .idColumn = "none"});
  QCOMPARE(read.systems[0].values[0], 0.9);  // what the user answers for
}

void TestScoreFiles::saysWhatItDecided() {
  const auto warningOf = [&](const std::string& text, const ScoreFileOptions& options = {}) {
    const auto warnings = readScores(text, options).warnings;
    return warnings.empty() ? std::string() : warnings.front();
  };
  QCOMPARE(warningOf("id\tscore\n0\t0.9\n1\t0.8\n"), std::string());
  QHOLDS(warningOf("id\tscore\n1\t0.9\n0\t0.8\n"), "the rows are ordered by column 'id'");
  QHOLDS(warningOf("0\t0.9\n1\t0.8\n"),
         "has no line of titles: column 2 has the scores, column 1 the ids");
  QHOLDS(warningOf("id\tscore\nnews.a\t0.9\nnews.b\t0.8\n"), "the ids in column 'id' are names");
  QHOLDS(warningOf("rank\tscore\n2\t0.9\n1\t0.8\n", {.scoreColumn = "score"}),
         "column 'rank' counts the rows in another order");
  const TemporaryFolder folder;
  put(folder / "s.tsv", "id\ta\tb\n0\t1\t2\n");
  QCOMPARE(scoreColumns(folder / "s.tsv"), (Texts{"id", "a", "b"}));
  put(folder / "c.json", "{\"a\": [{\"mt\": \"x\", \"COMET\": 0.5}]}");
  QVERIFY(scoreColumns(folder / "c.json").empty());
}

void TestScoreFiles::readsWhatCometPrints() {
  const std::string segments =
      "hyp.txt\tSegment 0\tscore: 0.9000\nhyp.txt\tSegment 1\tscore: 0.8000\n"
      "hyp.txt\tSegment 2\tscore: 0.7000\n";
  const ScoreFile one = readScores(segments + "hyp.txt\tscore: 0.8000\n");
  QCOMPARE(one.format, std::string("comet-output"));
  QCOMPARE(one.metric, (ImportedMetricInfo{"COMET", "", true, ScoreScale::kUnit}));
  QCOMPARE(one.systems[0].name, std::string("hyp.txt"));
  QCOMPARE(one.systems[0].values, (Values{0.9, 0.8, 0.7}));
  QVERIFY(one.warnings.empty());
  // Two systems, printed in turns, between what other parts of the program say.
  const ScoreFile two = readScores(
      "GPU available: False\na.txt\tSegment 0\tscore: 0.5\nb.txt\tSegment 0\tscore: 0.25\n"
      "a.txt\tSegment 1\tscore: nan\nb.txt\tSegment 1\tscore: 0.75\nb.txt\tscore: 0.9\n");
  QCOMPARE(two.systems[1].values, (Values{0.25, 0.75}));
  QCOMPARE(two.systems[0].missing(), std::size_t{1});
  QCOMPARE(two.warnings.size(), std::size_t{2});
  QHOLDS(two.warnings[0], "left out 1 lines");
  QHOLDS(two.warnings[1], "the score of 'b.txt' is 0.9000, but the mean of its 2 segments is 0.5");

  const auto errorIn = [&](const std::string& text) { return errorOf([&] { readScores(text); }); };
  QHOLDS(errorIn("hyp.txt\tscore: 0.8000\n"), "run comet-score without --only_system");
  QHOLDS(errorIn(segments + segments), "scores: line 4: 'hyp.txt' has segment 0 twice");
  QHOLDS(errorIn("h\tSegment 0\tscore: 0.9\nh\tSegment 2\tscore: 0.9\n"),
         "'h' has segment 2 but not 1");
  QHOLDS(errorIn(segments + "hyp.txt\tSegment 3\tsco"), "scores: line 4 is damaged");
  QHOLDS(errorIn(segments + "hyp.txt\tSegment 3\tscore: 0,9\n"), "scores: line 4 is damaged");
}

STRATA_GUILESS_TEST(TestScoreFiles)
#include "test_score_files.moc"
