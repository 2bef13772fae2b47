// Choices of an oracle and correlations, against values a person can check.
#include <QtTest>
#include <limits>
#include <random>

#include "core/metrics/agreement.h"
#include "core/metrics/bleu_metric.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Lines = std::vector<std::string>;
using Numbers = std::vector<double>;
using Choice = std::vector<std::size_t>;

// Rows of errors and reference words; the corpus score is their ratio, the sentence score the
// errors.
class Errors final : public Metric {
 public:
  std::string name() const override { return "errors"; }
  std::string signature() const override { return ""; }
  bool higherIsBetter() const override { return false; }
  std::size_t sentences() const override { return 0; }
  std::size_t width() const override { return 2; }
  void compare(std::size_t, std::string_view, std::span<double>) const override {}
  double score(std::span<const double> sums) const override {
    return sums[1] == 0 ? 0 : sums[0] / sums[1];
  }
  double sentenceScore(std::span<const double> row) const override { return row[0]; }
};

bool exactly(std::optional<double> a, double b) {
  return a && std::abs(*a - b) < 1e-12;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

class TestAgreement : public QObject {
  Q_OBJECT

 private slots:
  void theOracleTakesTheBestOfEachSentence();
  void lowerMayBeBetter();
  void listsMayDifferInLength();
  void theOracleRefusesNothing();
  void pearsonOfSmallValues();
  void spearmanAveragesTies();
  void undefinedCorrelations();
  void correlationsOfAnyValues();
};

void TestAgreement::theOracleTakesTheBestOfEachSentence() {
  const Lines reference{"a b c d e", "f g h i j", "k l m n o"};
  const BleuMetric metric({reference}, BleuOptions{});
  const Lines first{"a b c d e", "f x x", "k l m n p"}, second{"a x", "f g h i j", "k l m n p"};
  const std::vector<MetricRows> systems{compareAll(metric, first), compareAll(metric, second)};
  const Oracle both = oracleOfSystems(metric, systems);
  QCOMPARE(both.chosen, (Choice{0, 1, 0}));  // the first one of a tie
  QCOMPARE(both.score, corpusBleu(Lines{first[0], second[1], first[2]}, {reference}).score);
  const Oracle one = oracleOfSystems(metric, std::span(systems).first(1));
  QCOMPARE(one.chosen, (Choice{0, 0, 0}));
  QCOMPARE(one.score, corpusBleu(first, {reference}).score);
  const std::vector<MetricRows> same{systems[0], systems[0]};
  QCOMPARE(oracleOfSystems(metric, same).score, one.score);
}

void TestAgreement::lowerMayBeBetter() {
  const std::vector<MetricRows> systems{{2, {3, 10, 1, 10}}, {2, {2, 10, 4, 10}}};
  const Oracle oracle = oracleOfSystems(Errors(), systems);
  QCOMPARE(oracle.chosen, (Choice{1, 0}));
  QCOMPARE(oracle.score, 3.0 / 20);
}

void TestAgreement::listsMayDifferInLength() {
  const std::vector<MetricRows> lists{
      {2, {3, 10, 1, 10, 1, 10}}, {2, {5, 10}}, {2, {2, 10, 0, 10}}};
  const Oracle oracle = oracleOfCandidates(Errors(), lists);
  QCOMPARE(oracle.chosen, (Choice{1, 0, 1}));
  QCOMPARE(oracle.score, 6.0 / 30);
  QVERIFY(oracleOfCandidates(Errors(), {}).chosen.empty());
}

void TestAgreement::theOracleRefusesNothing() {
  const Errors metric;
  QHOLDS(errorOf([&] { oracleOfSystems(metric, {}); }), "no system");
  const std::vector<MetricRows> unequal{{2, {1, 1}}, {2, {1, 1, 1, 1}}};
  QHOLDS(errorOf([&] { oracleOfSystems(metric, unequal); }), "1 and 2 sentences");
  const std::vector<MetricRows> empty{{2, {1, 1}}, {2, {}}};
  QHOLDS(errorOf([&] { oracleOfCandidates(metric, empty); }), "sentence 2 has no candidate");
  const std::vector<MetricRows> wide{{3, {1, 1, 1}}};
  QHOLDS(errorOf([&] { oracleOfSystems(metric, wide); }), "rows of 2 numbers, not 3");
}

void TestAgreement::pearsonOfSmallValues() {
  QVERIFY(exactly(pearson(Numbers{1, 2, 3}, Numbers{10, 20, 30}), 1));
  QVERIFY(exactly(pearson(Numbers{1, 2, 3}, Numbers{3, 2, 1}), -1));
  QVERIFY(exactly(pearson(Numbers{1, 2, 3, 4}, Numbers{1, -1, -1, 1}), 0));
  // Deviations -1, 0, 1 and -4/3, -1/3, 5/3: 3 / sqrt(2 * 42/9).
  QVERIFY(exactly(pearson(Numbers{1, 2, 3}, Numbers{1, 2, 4}), 3 / std::sqrt(2 * 42.0 / 9)));
  // Squares outside the range of a double.
  QVERIFY(exactly(pearson(Numbers{1e200, 2e200, 3e200}, Numbers{1e-200, 2e-200, 3e-200}), 1));
}

void TestAgreement::spearmanAveragesTies() {
  QVERIFY(exactly(spearman(Numbers{1, 2, 3, 4}, Numbers{1, 10, 100, 1000}), 1));
  QVERIFY(exactly(spearman(Numbers{4, 3, 2, 1}, Numbers{1, 10, 100, 1000}), -1));
  // 1 - 6 * (0 + 1 + 1 + 0) / (4 * 15)
  QVERIFY(exactly(spearman(Numbers{1, 2, 3, 4}, Numbers{1, 3, 2, 4}), 0.8));
  // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5).
  QVERIFY(exactly(spearman(Numbers{5, 6, 6, 7}, Numbers{1, 2, 3, 4}), 4.5 / std::sqrt(4.5 * 5)));
}

void TestAgreement::undefinedCorrelations() {
  for (const auto& correlation : {pearson, spearman}) {
    QVERIFY(!correlation(Numbers{}, Numbers{}));
    QVERIFY(!correlation(Numbers{1}, Numbers{2}));
    QVERIFY(!correlation(Numbers{0.1, 0.1, 0.1}, Numbers{1, 2, 3}));  // its mean is not 0.1
    QVERIFY(!correlation(Numbers{1, 2, 3}, Numbers{7, 7, 7}));
    QVERIFY(!correlation(Numbers{1, 2, std::nan("")}, Numbers{1, 2, 3}));
    QVERIFY(!correlation(Numbers{1, 2, 3}, Numbers{1, kInfinity, 3}));
    QHOLDS(errorOf([&] { correlation(Numbers{1, 2}, Numbers{1}); }), "2 values");
  }
}

// Spearman's by counting how many values are smaller, and Pearson's by sums of products.
void TestAgreement::correlationsOfAnyValues() {
  std::mt19937 random(4);
  const auto sumsOf = [](const Numbers& x, const Numbers& y) {
    double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      sx += x[i], sy += y[i];
      xx += x[i] * x[i], yy += y[i] * y[i], xy += x[i] * y[i];
    }
    const auto n = static_cast<double>(x.size());
    return (n * xy - sx * sy) / std::sqrt((n * xx - sx * sx) * (n * yy - sy * sy));
  };
  const auto ranks = [](const Numbers& x) {
    Numbers result;
    for (const double a : x) {
      double rank = 0;
      for (const double b : x) rank += b < a ? 1 : b == a ? 0.5 : 0;
      result.push_back(rank);
    }
    return result;
  };
  int compared = 0;
  for (int round = 0; round < 200; ++round) {
    Numbers x(2 + random() % 20), y(x.size());
    for (double& value : x) value = random() % 10;
    for (double& value : y) value = random() % 10;
    if (!pearson(x, y)) continue;
    QVERIFY(std::abs(*pearson(x, y) - sumsOf(x, y)) < 1e-9);
    QVERIFY(std::abs(*spearman(x, y) - sumsOf(ranks(x), ranks(y))) < 1e-9);
    ++compared;
  }
  QVERIFY(compared > 150);
}

STRATA_GUILESS_TEST(TestAgreement)
#include "test_agreement.moc"
