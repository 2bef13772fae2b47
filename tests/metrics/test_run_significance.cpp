#include <QtTest>
#include <cmath>

#include "core/base/error.h"
#include "core/metrics/run_significance.h"
#include "tests/program.h"

using namespace strata;

// The hierarchical bootstrap against an enumeration of everything that it can draw.
class TestRunSignificance : public QObject {
  Q_OBJECT

  // Words right of words: a share needs no BLEU.
  class Share final : public Metric {
   public:
    std::string name() const override { return "share"; }
    std::string signature() const override { return "share"; }
    std::size_t sentences() const override { return 3; }
    std::size_t width() const override { return 2; }
    void compare(std::size_t, std::string_view, std::span<double>) const override {}
    double score(std::span<const double> sums) const override { return 100 * sums[0] / sums[1]; }
  };

  using Run = std::vector<std::pair<int, int>>;  // right, words
  static double share(const Run& run, const std::vector<int>& picks) {
    double right = 0, words = 0;
    for (const int at : picks) {
      right += run[static_cast<std::size_t>(at)].first;
      words += run[static_cast<std::size_t>(at)].second;
    }
    return 100 * right / words;
  }
  static MetricRows rowsOf(const Run& run) {
    MetricRows rows{2, {}};
    for (const auto& [right, words] : run) {
      rows.values.push_back(right);
      rows.values.push_back(words);
    }
    return rows;
  }
  // Every way to draw two runs of two, widened about the mean of both: sqrt(2 / (2 - 1)).
  static std::vector<double> drawnMeans(double a, double b) {
    const double mean = (a + b) / 2, widen = std::sqrt(2.0);
    std::vector<double> means;
    for (const double first : {a, b}) {
      for (const double second : {a, b})
        means.push_back(mean + widen * ((first + second) / 2 - mean));
    }
    return means;
  }

 private slots:
  void equalsTheEnumeration() {
    const std::vector<Run> baseline{{{1, 4}, {2, 4}, {3, 4}}, {{2, 4}, {2, 4}, {2, 4}}};
    const std::vector<Run> system{{{3, 4}, {2, 4}, {4, 4}}, {{2, 4}, {4, 4}, {3, 4}}};
    std::vector<double> gains;
    for (int code = 0; code < 27; ++code) {
      const std::vector<int> picks{code % 3, code / 3 % 3, code / 9};
      for (const double ours : drawnMeans(share(system[0], picks), share(system[1], picks))) {
        for (const double theirs : drawnMeans(share(baseline[0], picks), share(baseline[1], picks)))
          gains.push_back(ours - theirs);
      }
    }
    QCOMPARE(gains.size(), 432U);
    const std::vector<int> all{0, 1, 2};
    const double difference = (share(system[0], all) + share(system[1], all) -
                               share(baseline[0], all) - share(baseline[1], all)) /
                              2;
    double centre = 0;
    for (const double gain : gains) centre += gain / 432;
    double beyond = 0;
    for (const double gain : gains) {
      if (std::abs(gain - centre) >= std::abs(difference)) beyond += 1.0 / 432;
    }
    std::sort(gains.begin(), gains.end());

    const Resamples resamples(3, {.samples = 40000});
    std::vector<ResampledScores> first, second;
    for (const Run& run : baseline)
      first.push_back(resampleScores(Share(), rowsOf(run), resamples));
    for (const Run& run : system) second.push_back(resampleScores(Share(), rowsOf(run), resamples));
    const RunsComparison found = compareRuns(first, second);
    QVERIFY(std::abs(found.difference - difference) < 1e-9);
    // Three standard errors of a share over 40,000 replicates are below 0.0075.
    QVERIFY2(std::abs(found.pValue - beyond) < 0.0075,
             qPrintable(QString("%1 %2").arg(found.pValue).arg(beyond)));
    // The quantiles are those of the 432 outcomes, up to a neighbouring outcome.
    const auto between = [&](double value, double share) {
      const auto at = static_cast<std::size_t>(share * 432);
      return value >= gains[at - 4] - 1e-9 && value <= gains[at + 4] + 1e-9;
    };
    QVERIFY(between(found.low, 0.025) && between(found.high, 0.975));
  }

  void varianceOverRunsIsUnbiased() {
    // No sentence varies, so only runs do: the replicates' variance is s^2 / R of either system.
    std::vector<ResampledScores> runs;
    for (const double score : {10.0, 12.0, 17.0})
      runs.push_back({score, std::vector<double>(50000, score)});
    const std::vector<ResampledScores> fixed(3,
                                             ResampledScores{5.0, std::vector<double>(50000, 5)});
    const RunsComparison found = compareRuns(fixed, runs);
    // s^2 = 13, so that the deviation of the mean is sqrt(13 / 3) = 2.08; of 27 draws the widest
    // lie at sqrt(1.5) times their distance from the mean.
    QVERIFY(std::abs(found.low - (5 + 3 + std::sqrt(1.5) * (10 - 13))) < 1e-9);
    QVERIFY(std::abs(found.high - (5 + 3 + std::sqrt(1.5) * (17 - 13))) < 1e-9);
  }

  void directionsNeedThreeRuns() {
    const auto runs = [](std::vector<double> scores) {
      std::vector<ResampledScores> result;
      for (const double score : scores) result.push_back({score, std::vector<double>(1000, score)});
      return result;
    };
    QCOMPARE(compareRuns(runs({1, 1}), runs({9, 9, 9})).direction(), Direction::kTooFewRuns);
    QCOMPARE(compareRuns(runs({1, 1.1, 1.2}), runs({9, 9.1, 9.2})).direction(),
             Direction::kConfirmed);
    QCOMPARE(compareRuns(runs({9, 9.1, 9.2}), runs({1, 1.1, 1.2})).direction(),
             Direction::kOpposite);
    QCOMPARE(compareRuns(runs({1, 5, 9}), runs({2, 5, 9})).direction(), Direction::kUndecided);
    QVERIFY_EXCEPTION_THROWN(compareRuns(runs({1}), {}), Error);
  }

  void runsDoNotDifferFromThemselves() {
    const auto runs = [](std::vector<double> scores) {
      std::vector<ResampledScores> result;
      for (const double score : scores) result.push_back({score, std::vector<double>(1000, score)});
      return result;
    };
    QCOMPARE(compareRuns(runs({0.3}), runs({0.3})).pValue, 1.0);
    QCOMPARE(compareRuns(runs({0.1, 0.2, 0.3}), runs({0.1, 0.2, 0.3})).pValue, 1.0);
    const RunsComparison turned = compareRuns(runs({0.1, 0.2, 0.3}), runs({0.3, 0.2, 0.1}));
    QCOMPARE(turned.difference, 0.0);
    QCOMPARE(turned.pValue, 1.0);
  }

  void oneRunASystemIsThePairedTest() {  // then only sentences are drawn
    const Resamples resamples(4);
    const auto ours = resampleScores(Share(), rowsOf({{1, 4}, {2, 4}, {3, 4}, {0, 2}}), resamples);
    const auto theirs =
        resampleScores(Share(), rowsOf({{2, 4}, {2, 4}, {4, 4}, {1, 2}}), resamples);
    const PairedBootstrap paired = pairedBootstrap(ours, theirs);
    const std::vector<ResampledScores> a{ours}, b{theirs};
    const RunsComparison found = compareRuns(a, b);
    QCOMPARE(found.difference, paired.difference);
    QCOMPARE(found.low, paired.low);
    QCOMPARE(found.high, paired.high);
  }

  void averagesGoSampleBySample() {
    const ResampledScores mean = meanScores({{1, {1, 2}}, {3, {5, 4}}});
    QCOMPARE(mean.score, 2.0);
    QCOMPARE(mean.samples, (std::vector<double>{3, 3}));
    QVERIFY_EXCEPTION_THROWN(meanScores({{1, {1}}, {1, {1, 2}}}), Error);
  }
};

STRATA_GUILESS_TEST(TestRunSignificance)
#include "test_run_significance.moc"
