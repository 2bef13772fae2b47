// Accuracy of words by their training counts, against small cases and a count written another way.
#include <QtTest>
#include <map>
#include <random>

#include "core/metrics/word_accuracy.h"
#include "core/text/words.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Lines = std::vector<std::string>;

}  // namespace

class TestWordAccuracy : public QObject {
  Q_OBJECT

 private slots:
  void bucketsOfTheirCounts();
  void matchesAreClippedInEachSentence();
  void nothingToCount();
  void edgesAreOptions();
  void equalsMaps();
};

void TestWordAccuracy::bucketsOfTheirCounts() {
  Lines labels;
  for (const WordAccuracy& bucket : wordAccuracy(Lines{}, Lines{}, {})) {
    labels.push_back(bucket.label);
    QCOMPARE(bucket.f1(), 0.0);
  }
  QCOMPARE(labels, (Lines{"0", "1", "2", "3", "4", "5-9", "10-99", "100-999", ">= 1000"}));
  const WordCounts counts{{"four", 4}, {"five", 5}, {"nine", 9}, {"ten", 10}, {"many", 1000}};
  const auto result =
      wordAccuracy(Lines{"four five ten many new"}, Lines{"four nine ten many"}, counts);
  QCOMPARE(result[0].hypothesis, std::int64_t{1});  // new
  QCOMPARE(result[0].reference, std::int64_t{0});
  QCOMPARE(result[0].recall(), 0.0);
  QCOMPARE(result[4].matched, std::int64_t{1});
  QCOMPARE(result[4].f1(), 1.0);
  QCOMPARE(result[5].hypothesis, std::int64_t{1});  // five
  QCOMPARE(result[5].reference, std::int64_t{1});   // nine
  QCOMPARE(result[5].matched, std::int64_t{0});
  QCOMPARE(result[6].matched, std::int64_t{1});
  QCOMPARE(result[8].matched, std::int64_t{1});
}

void TestWordAccuracy::matchesAreClippedInEachSentence() {
  // Two of the three "a" of the first sentence and that of the second one: 3 of 4 in the
  // hypothesis, all 3 of the reference.
  const auto result = wordAccuracy(Lines{"a x a a", "a"}, Lines{"a a", "b a"}, {{"a", 1}});
  QCOMPARE(result[1].matched, std::int64_t{3});
  QCOMPARE(result[1].precision(), 3.0 / 4);
  QCOMPARE(result[1].recall(), 1.0);
  // The "a" that one sentence has too many do not make up for that of the other one.
  const auto other = wordAccuracy(Lines{"a a a", "b"}, Lines{"a a", "a"}, {{"a", 1}});
  QCOMPARE(other[1].matched, std::int64_t{2});
  QCOMPARE(other[1].precision(), 2.0 / 3);
  QCOMPARE(other[1].recall(), 2.0 / 3);
  QCOMPARE(other[1].f1(), 2.0 / 3);
}

void TestWordAccuracy::nothingToCount() {
  for (const WordAccuracy& bucket : wordAccuracy(Lines{"", " "}, Lines{"", ""}, {{"a", 1}})) {
    QCOMPARE(bucket.hypothesis + bucket.reference + bucket.matched, std::int64_t{0});
    QCOMPARE(bucket.precision(), 0.0);
    QCOMPARE(bucket.recall(), 0.0);
  }
  QHOLDS(errorOf([] { wordAccuracy(Lines{"a"}, Lines{}, {}); }), "1 hypotheses and 0 references");
}

void TestWordAccuracy::edgesAreOptions() {
  const auto result =
      wordAccuracy(Lines{"a b c"}, Lines{"a b d"}, {{"a", 1}, {"b", 7}}, {.edges = {3}});
  QCOMPARE(result.size(), std::size_t{2});
  QCOMPARE(result[0].label, std::string("0-2"));
  QCOMPARE(result[0].hypothesis, std::int64_t{2});
  QCOMPARE(result[0].f1(), 0.5);
  QCOMPARE(result[1].label, std::string(">= 3"));
  QCOMPARE(result[1].f1(), 1.0);
  QCOMPARE(wordAccuracy(Lines{"a"}, Lines{"a"}, {}, {.edges = {}})[0].matched, std::int64_t{1});
  QHOLDS(usageErrorOf([] { wordAccuracy(Lines{}, Lines{}, {}, {.edges = {0, 1}}); }), "above 0");
  QHOLDS(usageErrorOf([] { wordAccuracy(Lines{}, Lines{}, {}, {.edges = {2, 1}}); }), "ascend");
}

void TestWordAccuracy::equalsMaps() {
  std::mt19937 random(3);
  const auto line = [&] {
    std::string text;
    for (std::size_t n = random() % 12; n > 0; --n) text += std::to_string(random() % 8) + " ";
    return text;
  };
  for (int round = 0; round < 100; ++round) {
    Lines ours, theirs, training;
    for (int i = 0; i < 5; ++i) {
      ours.push_back(line());
      theirs.push_back(line());
      training.push_back(line());
    }
    const WordCounts counts = wordCounts(training);
    std::map<int, std::array<std::int64_t, 3>> expected;  // by training count
    for (std::size_t i = 0; i < ours.size(); ++i) {
      std::map<std::string, std::int64_t> left, right;
      for (const std::string& word : wordsOf(ours[i])) ++left[word], right[word];
      for (const std::string& word : wordsOf(theirs[i])) ++right[word], left[word];
      for (const auto& [word, count] : left) {
        const int trained = counts.contains(word) ? static_cast<int>(counts.at(word)) : 0;
        auto& sums = expected[trained < 5 ? trained : trained < 10 ? 5 : 6];
        sums[0] += count;
        sums[1] += right[word];
        sums[2] += std::min(count, right[word]);
      }
    }
    const auto result = wordAccuracy(ours, theirs, counts);
    for (int b = 0; b <= 6; ++b) {
      const WordAccuracy& bucket = result[static_cast<std::size_t>(b)];
      QCOMPARE((std::array{bucket.hypothesis, bucket.reference, bucket.matched}), expected[b]);
    }
  }
}

STRATA_GUILESS_TEST(TestWordAccuracy)
#include "test_word_accuracy.moc"
