#include <QtTest>

#include "core/train/tuning.h"
#include "tests/program.h"

namespace strata {
namespace {

// Adds a hypothesis to the last sentence that matches `correct` of its words; a sentence has four.
void add(ComparedHypotheses& found, double logProbability, int words, int correct) {
  found.sentences.back().push_back({.tokens = std::vector<std::int32_t>(std::size_t(words + 1), 5),
                                    .logProbability = logProbability});
  BleuStats& stats = found.stats.back().emplace_back();
  stats.hypothesisLength = words;
  stats.referenceLength = 4;
  stats.correct[0] = correct;
  stats.total[0] = words;
}

void addSentence(ComparedHypotheses& found) {
  found.sentences.emplace_back();
  found.stats.emplace_back();
}

double precision(const BleuStats& stats) {
  return double(stats.correct[0]) / double(stats.total[0]);
}

}  // namespace

class TestTuning : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyRuleTakesItsBest();
  void nothingFoundAddsNothing();
};

// Sums -2 of 2 tokens and -3 of 4: the sum takes the first, the mean (-1 against -0.75) the second.
// The other sentence's choice is -1 of 3 by any rule.
void TestTuning::everyRuleTakesItsBest() {
  ComparedHypotheses found;
  addSentence(found);
  add(found, -2, 1, 1);
  add(found, -3, 3, 1);
  addSentence(found);
  add(found, -1, 2, 1);
  add(found, -4, 2, 0);
  const std::vector<LengthRule> rules{LengthRule::parse("none"), LengthRule::parse("mean"),
                                      LengthRule::parse("marian:0,-0.6")};
  const auto points = rankAgain(found, rules, precision);
  QCOMPARE(points.size(), std::size_t(3));
  QCOMPARE(points[0].score, 2.0 / 3);
  QCOMPARE(points[0].lengthRatio, 3.0 / 8);
  QCOMPARE(points[1].score, 2.0 / 5);
  QCOMPARE(points[1].lengthRatio, 5.0 / 8);
  QCOMPARE(points[2].score, 2.0 / 5);  // -2 + 1.2 against -3 + 2.4
  QCOMPARE(points[2].rule, rules[2]);
}

void TestTuning::nothingFoundAddsNothing() {
  const std::vector<LengthRule> rules{LengthRule::parse("none")};
  ComparedHypotheses found;
  addSentence(found);
  addSentence(found);
  add(found, -1, 4, 4);
  const auto points = rankAgain(found, rules, precision);
  QCOMPARE(points[0].score, 1.0);
  QCOMPARE(rankAgain({}, rules, [](const BleuStats&) { return 7.0; })[0].lengthRatio, 0.0);
}

}  // namespace strata

STRATA_GUILESS_TEST(strata::TestTuning)
#include "test_tuning.moc"
