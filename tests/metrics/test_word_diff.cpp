// Differences of two lines against small cases and a search for the longest common subsequence.
#include <QtTest>
#include <map>
#include <random>

#include "core/metrics/word_diff.h"
#include "core/text/words.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Lines = std::vector<std::string>;

// "=" same, "-" only left, "+" only right, each with its words.
std::string shown(const std::string& left, const std::string& right) {
  const Lines ours = wordsOf(left), theirs = wordsOf(right);
  std::string text;
  for (const DiffRun& run : wordDiff(left, right)) {
    const bool onLeft = run.kind != DiffKind::kRight;
    text += run.kind == DiffKind::kSame ? "[=" : onLeft ? "[-" : "[+";
    for (std::size_t i = onLeft ? run.leftBegin : run.rightBegin;
         i < (onLeft ? run.leftEnd : run.rightEnd); ++i)
      text += " " + (onLeft ? ours : theirs)[i];
    text += "]";
  }
  return text;
}

// The longest common subsequence of words i and j on, by definition.
std::size_t longest(const Lines& left, const Lines& right, std::size_t i, std::size_t j,
                    std::map<std::pair<std::size_t, std::size_t>, std::size_t>& known) {
  if (i == left.size() || j == right.size()) return 0;
  if (const auto found = known.find({i, j}); found != known.end()) return found->second;
  const std::size_t without =
      std::max(longest(left, right, i + 1, j, known), longest(left, right, i, j + 1, known));
  const std::size_t with = left[i] == right[j] ? 1 + longest(left, right, i + 1, j + 1, known) : 0;
  return known[{i, j}] = std::max(with, without);
}

// Every word is in one run, in order; runs of a kind are joined, and kLeft stands before kRight.
// The number of kSame words, nothing if that does not hold.
std::optional<std::size_t> checked(const Lines& left, const Lines& right,
                                   const std::vector<DiffRun>& runs) {
  std::size_t i = 0, j = 0, same = 0;
  const DiffRun* before = nullptr;
  for (const DiffRun& run : runs) {
    const std::size_t ours = run.leftEnd - run.leftBegin, theirs = run.rightEnd - run.rightBegin;
    if (run.leftBegin != i || run.rightBegin != j || ours + theirs == 0) return std::nullopt;
    if (run.kind != DiffKind::kRight && ours == 0) return std::nullopt;
    if (run.kind == DiffKind::kLeft && theirs != 0) return std::nullopt;
    if (run.kind == DiffKind::kRight && ours != 0) return std::nullopt;
    if (before != nullptr && (before->kind == run.kind ||
                              (before->kind == DiffKind::kRight && run.kind == DiffKind::kLeft)))
      return std::nullopt;
    if (run.kind == DiffKind::kSame) {
      if (ours != theirs) return std::nullopt;
      for (std::size_t k = 0; k < ours; ++k) {
        if (left[i + k] != right[j + k]) return std::nullopt;
      }
      same += ours;
    }
    i = run.leftEnd;
    j = run.rightEnd;
    before = &run;
  }
  if (i != left.size() || j != right.size()) return std::nullopt;
  return same;
}

}  // namespace

class TestWordDiff : public QObject {
  Q_OBJECT

 private slots:
  void smallLines();
  void emptyLines();
  void runsSayWhereWordsAreMissing();
  void theLongestOfAllSubsequences();
  void longLines();
};

void TestWordDiff::smallLines() {
  QCOMPARE(shown("the cat sat", "the cat sat"), std::string("[= the cat sat]"));
  QCOMPARE(shown("the cat sat", "the dog sat"), std::string("[= the][- cat][+ dog][= sat]"));
  QCOMPARE(shown("a b c d", "x y"), std::string("[- a b c d][+ x y]"));
  QCOMPARE(shown("b", "a b c"), std::string("[+ a][= b][+ c]"));
  QCOMPARE(shown("a b", "b a"), std::string("[- a][= b][+ a]"));
  QCOMPARE(shown("a a", "a a a"), std::string("[= a a][+ a]"));
  QCOMPARE(shown("größer als  ü", "grösser als ü"), std::string("[- größer][+ grösser][= als ü]"));
  // Between two equal words all that is gone stands before all that is new.
  QCOMPARE(shown("s a b c e", "s x y z e"), std::string("[= s][- a b c][+ x y z][= e]"));
}

void TestWordDiff::emptyLines() {
  QVERIFY(wordDiff("", "").empty());
  QVERIFY(wordDiff(" ", "").empty());
  QCOMPARE(shown("", "a b"), std::string("[+ a b]"));
  QCOMPARE(shown("a b", ""), std::string("[- a b]"));
}

void TestWordDiff::runsSayWhereWordsAreMissing() {
  const Lines left{"a", "b"}, right{"a", "x y", "b"};  // a word may hold a space here
  const auto runs = wordDiff(left, right);
  QCOMPARE(runs.size(), std::size_t{3});
  QVERIFY((runs[0] == DiffRun{DiffKind::kSame, 0, 1, 0, 1}));
  QVERIFY((runs[1] == DiffRun{DiffKind::kRight, 1, 1, 1, 2}));
  QVERIFY((runs[2] == DiffRun{DiffKind::kSame, 1, 2, 2, 3}));
}

void TestWordDiff::theLongestOfAllSubsequences() {
  std::mt19937 random(1);
  const auto line = [&](std::size_t words) {
    Lines result(random() % (words + 1));
    for (std::string& word : result) word = static_cast<char>('a' + random() % words / 2);
    return result;
  };
  for (int round = 0; round < 2000; ++round) {
    const std::size_t words = 2 + random() % 12;
    const Lines left = line(words), right = line(words);
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
    const auto same = checked(left, right, wordDiff(left, right));
    QVERIFY(same.has_value());
    QCOMPARE(*same, longest(left, right, 0, 0, known));
    QVERIFY(wordDiff(left, right) == wordDiff(left, right));
  }
}

void TestWordDiff::longLines() {
  std::mt19937 random(2);
  const auto line = [&](std::size_t words) {
    Lines result(words);
    for (std::string& word : result) word = std::to_string(random() % 200);
    return result;
  };
  const Lines left = line(1000), right = line(1000);
  QElapsedTimer timer;
  timer.start();
  QVERIFY(checked(left, right, wordDiff(left, right)).value_or(0) > 0);
  qInfo("two lines of 1,000 random words: %lld ms", static_cast<long long>(timer.elapsed()));
  // Above the limit what lies between equal ends is one change, and soon found.
  Lines longLeft = line(5000), longRight = line(5000);
  longLeft.front() = longRight.front() = "begin";
  longLeft.back() = longRight.back() = "end";
  longLeft[1] = "x";
  longRight[1] = "y";
  longLeft[4998] = "x";
  longRight[4998] = "y";
  QVERIFY((wordDiff(longLeft, longRight) ==
           std::vector<DiffRun>{{DiffKind::kSame, 0, 1, 0, 1},
                                {DiffKind::kLeft, 1, 4999, 1, 1},
                                {DiffKind::kRight, 4999, 4999, 1, 4999},
                                {DiffKind::kSame, 4999, 5000, 4999, 5000}}));
  // Equal but for one word, they are as before.
  longRight = longLeft;
  longRight[2500] = "other";
  QCOMPARE(*checked(longLeft, longRight, wordDiff(longLeft, longRight)), std::size_t{4999});
}

STRATA_GUILESS_TEST(TestWordDiff)
#include "test_word_diff.moc"
