// Resampling against numpy's generator and sacreBLEU's figures.
#include <QtTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/metrics/bleu_metric.h"
#include "core/metrics/numpy_random.h"
#include "core/metrics/significance.h"
#include "metrics/metrics_fixture.h"

using namespace strata;

namespace {

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-4;
}

// Runs a paired test of every system against the first one of its folder. `pValueOf` gives its
// p-value, NaN where another figure differs from `row`; it may differ from the row's by one of the
// `draws`.
void comparePairs(
    const std::string& file, int draws,
    const std::function<double(const Metric&, const MetricRows& baseline, const MetricRows& system,
                               const Json& row)>& pValueOf) {
  int compared = 0, exact = 0;
  for (const fs::path& folder : metricFolders()) {
    const BleuMetric metric(referencesOf(folder), BleuOptions{});
    const Json rows = figuresOf(folder, file)["api"];
    const auto rowsOf = [&](const Json& row) {
      return compareAll(metric, systemOf(folder, row["system"].get<std::string>()));
    };
    const MetricRows baseline = rowsOf(rows[0]);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const Json& row = rows[i]["BLEU"];
      const double gap =
          std::abs(pValueOf(metric, baseline, rowsOf(rows[i]), row) - row["p_value"].get<double>());
      QVERIFY2(gap <= 1.01 / draws, rows[i]["system"].get<std::string>().c_str());
      exact += gap < 1e-12 ? 1 : 0;
      ++compared;
    }
  }
  qInfo("%d paired tests, %d p-values exactly equal", compared, exact);
  QVERIFY(compared > 0);
}

PairedBootstrap bootstrapOf(const Metric& metric, const MetricRows& baseline,
                            const MetricRows& system) {
  const Resamples resamples(baseline.sentences());
  return pairedBootstrap(resampleScores(metric, baseline, resamples),
                         resampleScores(metric, system, resamples));
}

}  // namespace

class TestSignificance : public QObject {
  Q_OBJECT

 private slots:
  void firstNumbersOfTheGenerator();
  void aSystemDoesNotDifferFromItself();
  void aBetterSystemIsFound();
  void refusesTooFewSamples();
  void drawsAsNumpyDoes();
  void resampledScoresEqualSacrebleus();
  void pairedBootstrapEqualsSacrebleus();
  void pairedRandomizationEqualsSacrebleus();
  void holmMultipliesByWhatIsLeft();
  void threadsChangeNothing();
};

void TestSignificance::firstNumbersOfTheGenerator() {
  NumpyRandom random(12345);  // numpy.random.PCG64(12345).random_raw()
  QCOMPARE(random.next64(), 4193609425186963869ULL);
  QCOMPARE(random.next64(), 5843160025838961886ULL);
}

void TestSignificance::aSystemDoesNotDifferFromItself() {
  const std::vector<std::string> lines{"a b c d e", "f g h i", "k l m n o p"};
  const BleuMetric metric({{"a b c d x", "f g h i", "k l m n o q"}}, BleuOptions{});
  const MetricRows rows = compareAll(metric, lines);
  const PairedBootstrap result = bootstrapOf(metric, rows, rows);
  QCOMPARE(result.difference, 0.0);
  QCOMPARE(result.low, 0.0);
  QCOMPARE(result.high, 0.0);
  QVERIFY(!result.decided());
}

void TestSignificance::aBetterSystemIsFound() {
  std::vector<std::string> reference, good, bad;
  for (int i = 0; i < 60; ++i) {
    const std::string n = std::to_string(i);
    reference.push_back("w" + n + " is one of the words here");
    good.push_back(reference.back());
    bad.push_back("w" + n + " is one of a words there");
  }
  const BleuMetric metric({reference}, BleuOptions{});
  const auto result = bootstrapOf(metric, compareAll(metric, bad), compareAll(metric, good));
  QVERIFY(result.decided() && result.low > 0);
  QVERIFY(result.low <= result.difference && result.difference <= result.high);
}

void TestSignificance::refusesTooFewSamples() {
  QVERIFY_EXCEPTION_THROWN(resampleIndices(10, {.samples = 39}), Error);
  QVERIFY_EXCEPTION_THROWN(resampleIndices(0, {}), Error);
}

void TestSignificance::drawsAsNumpyDoes() {
  if (!fs::exists(kFixtures)) QSKIP("no shared fixtures");
  const Json expected = figuresOf(kFixtures / "metrics/de-en", "resampling.json");
  const auto n = expected["n"].get<std::size_t>();
  const auto indices = resampleIndices(n, {});
  const Json& first = expected["bootstrap_indices_first_3_rows"];
  for (std::size_t row = 0; row < first.size(); ++row) {
    for (std::size_t i = 0; i < n; ++i)
      QCOMPARE(indices[row * n + i], first[row][i].get<std::uint32_t>());
  }
  const Json& last = expected["bootstrap_indices_last_row"];
  for (std::size_t i = 0; i < last.size(); ++i)
    QCOMPARE(indices[999 * n + i], last[i].get<std::uint32_t>());
}

void TestSignificance::resampledScoresEqualSacrebleus() {
  if (!fs::exists(kFixtures)) QSKIP("no shared fixtures");
  int compared = 0;
  for (const fs::path& folder : metricFolders()) {
    const BleuMetric metric(referencesOf(folder), BleuOptions{});
    const Resamples resamples(metric.sentences());
    const Json scores = figuresOf(folder, "scores.json");
    for (const auto& [system, metrics] : scores.items()) {
      if (!metrics.contains("confidence") || !metrics["confidence"].contains("bleu")) continue;
      const Json& expected = metrics["confidence"]["bleu"];
      const auto rows = compareAll(metric, systemOf(folder, system));
      const ConfidenceInterval interval = intervalOf(resampleScores(metric, rows, resamples));
      QVERIFY2(near(interval.mean, expected["mean"]) && near(interval.halfWidth, expected["ci"]),
               system.c_str());
      QCOMPARE(withResampling(metric.signature(), BootstrapOptions{}),
               expected["signature"].get<std::string>());
      ++compared;
    }
  }
  qInfo("%d intervals equal sacreBLEU's", compared);
  QVERIFY(compared > 0);
}

void TestSignificance::pairedBootstrapEqualsSacrebleus() {
  if (!fs::exists(kFixtures)) QSKIP("no shared fixtures");
  comparePairs("paired-bs.json", 1001,
               [](const Metric& metric, const auto& baseline, const auto& system, const Json& row) {
                 const PairedBootstrap result = bootstrapOf(metric, baseline, system);
                 const bool same = near(result.system, row["score"]) &&
                                   near(result.systemInterval.mean, row["mean"]) &&
                                   near(result.systemInterval.halfWidth, row["ci"]);
                 return same ? result.pValue : NAN;
               });
}

void TestSignificance::pairedRandomizationEqualsSacrebleus() {
  if (!fs::exists(kFixtures)) QSKIP("no shared fixtures");
  comparePairs("paired-ar.json", 10001,
               [](const Metric& metric, const auto& baseline, const auto& system, const Json& row) {
                 const auto result = pairedRandomization(metric, baseline, system);
                 return near(result.system, row["score"]) ? result.pValue : NAN;
               });
}

// 0.01 x 4, 0.02 x 3, 0.03 x 2, 0.5; then none below the one before it (Holm 1979).
void TestSignificance::holmMultipliesByWhatIsLeft() {
  const std::vector<double> p{0.5, 0.01, 0.03, 0.02};
  QCOMPARE(holmCorrected(p), (std::vector<double>{0.5, 0.04, 0.06, 0.06}));
  QCOMPARE(holmCorrected(std::vector<double>{0.9, 0.8}), (std::vector<double>{1.0, 1.0}));
}

// Threads share the work out; what they find does not depend on how many there are.
void TestSignificance::threadsChangeNothing() {
  std::vector<std::string> reference, system;
  for (int i = 0; i < 300; ++i) {
    reference.push_back("a b c " + std::to_string(i % 7) + " d e");
    system.push_back("a b " + std::to_string(i % 5) + " d e");
  }
  const BleuMetric metric({reference}, BleuOptions{});
  const MetricRows one = compareAll(metric, system, 1), four = compareAll(metric, system, 4);
  QCOMPARE(one.values, four.values);
  const Resamples resamples(300);
  QCOMPARE(resampleScores(metric, one, resamples, 1).samples,
           resampleScores(metric, one, resamples, 4).samples);
  const MetricRows perfect = compareAll(metric, reference);
  QCOMPARE(pairedRandomization(metric, one, perfect, {.trials = 500}, 1).pValue,
           pairedRandomization(metric, one, perfect, {.trials = 500}, 4).pValue);
  QVERIFY_EXCEPTION_THROWN(compareAll(metric, std::span(system).first(299)), Error);
}

QTEST_GUILESS_MAIN(TestSignificance)
#include "test_significance.moc"
