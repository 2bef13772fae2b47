// Resampling against numpy's generator and sacreBLEU's figures.
#include <QtTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/metrics/bleu_metric.h"
#include "core/metrics/numpy_random.h"
#include "core/metrics/significance.h"
#include "metrics/drawn_sentences.h"
#include "metrics/metrics_fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

bool nearPrinted(double a, double b) {
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

// Scores rows of two numbers made up by a test.
class Weighing final : public Metric {
 public:
  std::string name() const override { return "weighing"; }
  std::string signature() const override { return ""; }
  std::size_t sentences() const override { return 0; }
  std::size_t width() const override { return 2; }
  void compare(std::size_t, std::string_view, std::span<double>) const override {}
  double score(std::span<const double> sums) const override { return sums[0] + 1e3 * sums[1]; }
};

// Rows of the number `most` and a pseudo-random one from -most to most, both in `unit`.
struct MadeUp {
  std::size_t sentences = 0;
  std::uint32_t most = 99;
  double unit = 1;
};
MetricRows rowsOf(const MadeUp& made, std::uint64_t seed) {
  MetricRows rows{2, {}};
  NumpyRandom random(seed);
  for (std::size_t i = 0; i < made.sentences; ++i) {
    rows.values.push_back(made.unit * made.most);
    rows.values.push_back(made.unit * (double(random.below(2 * made.most + 1)) - made.most));
  }
  return rows;
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
  void sumsEqualThoseOfDrawnSentences();
  void movesFollowTheCoins();
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
  QCOMPARE(result.pValue, 1.0);
  QCOMPARE(pairedRandomization(metric, rows, rows).pValue, 1.0);
  // Other words, the same matches: nothing that is measured differs.
  const MetricRows others =
      compareAll(metric, std::vector<std::string>{"a b c d y", "f g h i", "k l m n o z"});
  QCOMPARE(bootstrapOf(metric, rows, others).pValue, 1.0);
  QCOMPARE(pairedRandomization(metric, rows, others).pValue, 1.0);
  // Sentences that differ, but not in sum: the test decides, and no p is so small.
  const MetricRows first{2, {1, 1, 1, 0, 1, 1, 1, 0}}, second{2, {1, 0, 1, 1, 1, 0, 1, 1}};
  QCOMPARE(bootstrapOf(Weighing(), first, second).difference, 0.0);
  const double p = pairedRandomization(Weighing(), first, second, {.trials = 1000}).pValue;
  QVERIFY(p > 0.3 && p < 1);
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
  QVERIFY_EXCEPTION_THROWN(Resamples(10, {.samples = 39}), Error);
  QVERIFY_EXCEPTION_THROWN(Resamples(0, {}), Error);
}

void TestSignificance::drawsAsNumpyDoes() {
  for (const fs::path& folder : metricFolders("de-en")) {
    const Json expected = figuresOf(folder, "resampling.json");
    const auto n = expected["n"].get<std::size_t>();
    const auto drawn = drawnSentences(n);
    const Resamples resamples(n);
    const auto check = [&](std::size_t row, const Json& indices) {
      QCOMPARE(indices.size(), n);
      std::vector<std::int16_t> weights(n);
      for (std::size_t i = 0; i < n; ++i) {
        QCOMPARE(drawn[row * n + i], indices[i].get<std::uint32_t>());
        ++weights[drawn[row * n + i]];
      }
      QVERIFY(std::equal(weights.begin(), weights.end(), resamples.weights(row).begin()));
    };
    for (std::size_t row = 0; row < 3; ++row)
      check(row, expected["bootstrap_indices_first_3_rows"][row]);
    check(999, expected["bootstrap_indices_last_row"]);
  }
}

void TestSignificance::resampledScoresEqualSacrebleus() {
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
      QVERIFY2(nearPrinted(interval.mean, expected["mean"]) &&
                   nearPrinted(interval.halfWidth, expected["ci"]),
               system.c_str());
      QCOMPARE(withResampling(metric.signature(), BootstrapOptions{}),
               withOurVersion(expected["signature"]));
      ++compared;
    }
  }
  qInfo("%d intervals equal sacreBLEU's", compared);
  QVERIFY(compared > 0);
}

void TestSignificance::pairedBootstrapEqualsSacrebleus() {
  comparePairs("paired-bs.json", 1001,
               [](const Metric& metric, const auto& baseline, const auto& system, const Json& row) {
                 const PairedBootstrap result = bootstrapOf(metric, baseline, system);
                 const bool same = nearPrinted(result.system, row["score"]) &&
                                   nearPrinted(result.systemInterval.mean, row["mean"]) &&
                                   nearPrinted(result.systemInterval.halfWidth, row["ci"]);
                 return same ? result.pValue : NAN;
               });
}

void TestSignificance::pairedRandomizationEqualsSacrebleus() {
  comparePairs("paired-ar.json", 10001,
               [](const Metric& metric, const auto& baseline, const auto& system, const Json& row) {
                 const auto result = pairedRandomization(metric, baseline, system);
                 return nearPrinted(result.system, row["score"]) ? result.pValue : NAN;
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

// Whole numbers and quarters are summed without rounding, so that any order gives the same bits.
void TestSignificance::sumsEqualThoseOfDrawnSentences() {
  const MadeUp sets[] = {{.sentences = 1},
                         {.sentences = 64},
                         {.sentences = 65},
                         {.sentences = 100, .most = 32767},  // the greatest number of 16 bits
                         {.sentences = 100, .most = 32769},
                         {.sentences = 100, .unit = 0.25},
                         {.sentences = 32767, .most = 32767},  // the greatest sums of 32 bits
                         {.sentences = 32769}};
  for (const MadeUp& made : sets) {
    const MetricRows rows = rowsOf(made, 7);
    const BootstrapOptions options{.samples = 40};
    const auto indices = drawnSentences(made.sentences, options);
    const auto scores = resampleScores(Weighing(), rows, Resamples(made.sentences, options));
    for (std::size_t s = 0; s < 40; ++s) {
      const std::vector<std::size_t> drawn(&indices[s * made.sentences],
                                           &indices[s * made.sentences] + made.sentences);
      QVERIFY(scores.samples[s] == Weighing().score(rows.sums(drawn)));
    }
  }
}

// One coin a sentence, trial after trial: at 0 the sentence's rows change sides.
void TestSignificance::movesFollowTheCoins() {
  for (const std::size_t sentences : {1, 7, 16, 63, 64, 65, 200}) {
    for (const double unit : {1.0, 0.5}) {
      const MetricRows baseline = rowsOf({.sentences = sentences, .unit = unit}, 1);
      const MetricRows system = rowsOf({.sentences = sentences, .unit = unit}, 2);
      const auto scoreOf = [](const std::vector<double>& sums) { return Weighing().score(sums); };
      const double real = std::abs(scoreOf(system.sums()) - scoreOf(baseline.sums()));
      NumpyRandom random(12345);
      std::uint32_t coins = 0;  // numpy's Generator.integers(2, dtype=bool): 32 of each word
      int above = 0, drawn = 0;
      for (int trial = 0; trial < 200; ++trial) {
        MetricRows left = baseline, right = system;
        for (std::size_t i = 0; i < sentences; ++i) {
          if (drawn++ % 32 == 0) coins = random.next32();
          const bool stays = (coins & 1) != 0;
          coins >>= 1;
          if (stays) continue;
          for (std::size_t c = 0; c < 2; ++c)
            std::swap(left.values[2 * i + c], right.values[2 * i + c]);
        }
        above += std::abs(scoreOf(right.sums()) - scoreOf(left.sums())) > real ? 1 : 0;
      }
      const auto result = pairedRandomization(Weighing(), baseline, system, {.trials = 200});
      QCOMPARE(result.pValue, (above + 1) / 201.0);
    }
  }
}

STRATA_GUILESS_TEST(TestSignificance)
#include "test_significance.moc"
