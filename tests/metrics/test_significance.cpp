// Resampling against numpy's generator and sacreBLEU's figures.
#include <QtTest>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/metrics/numpy_random.h"
#include "core/metrics/significance.h"

using namespace strata;

namespace {

const fs::path kMetrics = fs::path(STRATA_SHARED_DIR) / "fixtures/metrics";

std::vector<std::string> linesOf(const fs::path& path) {
  std::vector<std::string> lines;
  const std::string text = readFile(path);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::vector<std::vector<std::string>> referencesOf(const fs::path& folder) {
  if (fs::exists(folder / "ref.txt")) return {linesOf(folder / "ref.txt")};
  return {linesOf(folder / "ref0.txt"), linesOf(folder / "ref1.txt")};
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-4;
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
};

void TestSignificance::firstNumbersOfTheGenerator() {
  NumpyRandom random(12345);  // numpy.random.PCG64(12345).random_raw()
  QCOMPARE(random.next64(), 4193609425186963869ULL);
  QCOMPARE(random.next64(), 5843160025838961886ULL);
}

void TestSignificance::aSystemDoesNotDifferFromItself() {
  const std::vector<std::string> lines{"a b c d e", "f g h i", "k l m n o p"};
  const auto stats =
      BleuReferences({{"a b c d x", "f g h i", "k l m n o q"}}, BleuOptions{}).compare(lines);
  const PairedBootstrap result = pairedBootstrap(stats, stats, BleuOptions{});
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
  const BleuReferences references({reference}, BleuOptions{});
  const auto result =
      pairedBootstrap(references.compare(bad), references.compare(good), BleuOptions{});
  QVERIFY(result.decided() && result.low > 0);
  QVERIFY(result.low <= result.difference && result.difference <= result.high);
}

void TestSignificance::refusesTooFewSamples() {
  QVERIFY_EXCEPTION_THROWN(resampleIndices(10, {.samples = 39}), Error);
  QVERIFY_EXCEPTION_THROWN(resampleIndices(0, {}), Error);
}

void TestSignificance::drawsAsNumpyDoes() {
  if (!fs::exists(kMetrics)) QSKIP("no shared fixtures");
  const Json expected = parseJson(readFile(kMetrics / "de-en/resampling.json"), "resampling.json");
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
  if (!fs::exists(kMetrics)) QSKIP("no shared fixtures");
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(kMetrics)) {
    if (!entry.is_directory()) continue;
    const BleuReferences references(referencesOf(entry.path()), BleuOptions{});
    const Json scores = parseJson(readFile(entry.path() / "scores.json"), "scores.json");
    for (const auto& [system, metrics] : scores.items()) {
      if (!metrics.contains("confidence") || !metrics["confidence"].contains("bleu")) continue;
      const Json& expected = metrics["confidence"]["bleu"];
      const auto stats = references.compare(linesOf(entry.path() / ("sys." + system + ".txt")));
      const ConfidenceInterval interval = bleuConfidence(stats, BleuOptions{});
      QVERIFY2(near(interval.mean, expected["mean"]) && near(interval.halfWidth, expected["ci"]),
               system.c_str());
      QCOMPARE(bleuSignature(BleuOptions{}, references.references(), BootstrapOptions{}),
               expected["signature"].get<std::string>());
      ++compared;
    }
  }
  qInfo("%d intervals equal sacreBLEU's", compared);
  QVERIFY(compared > 0);
}

void TestSignificance::pairedBootstrapEqualsSacrebleus() {
  if (!fs::exists(kMetrics)) QSKIP("no shared fixtures");
  int compared = 0, exact = 0;
  for (const auto& entry : fs::directory_iterator(kMetrics)) {
    if (!entry.is_directory()) continue;
    const BleuReferences references(referencesOf(entry.path()), BleuOptions{});
    const Json expected =
        parseJson(readFile(entry.path() / "paired-bs.json"), "paired-bs.json")["api"];
    const auto statsOf = [&](const Json& row) {
      return references.compare(
          linesOf(entry.path() / ("sys." + row["system"].get<std::string>() + ".txt")));
    };
    const auto baseline = statsOf(expected[0]);
    for (std::size_t i = 1; i < expected.size(); ++i) {
      const PairedBootstrap result = pairedBootstrap(baseline, statsOf(expected[i]), BleuOptions{});
      const Json& bleuRow = expected[i]["BLEU"];
      QVERIFY(near(result.system, bleuRow["score"]));
      QVERIFY(near(result.systemInterval.mean, bleuRow["mean"]));
      QVERIFY(near(result.systemInterval.halfWidth, bleuRow["ci"]));
      const double gap = std::abs(result.pValue - bleuRow["p_value"].get<double>());
      QVERIFY2(gap <= 1.01 / 1001, expected[i]["system"].get<std::string>().c_str());
      exact += gap < 1e-12 ? 1 : 0;
      ++compared;
    }
  }
  qInfo("%d paired tests, %d p-values exactly equal", compared, exact);
  QVERIFY(compared > 0);
}

void TestSignificance::pairedRandomizationEqualsSacrebleus() {
  if (!fs::exists(kMetrics)) QSKIP("no shared fixtures");
  int compared = 0, exact = 0;
  for (const auto& entry : fs::directory_iterator(kMetrics)) {
    if (!entry.is_directory()) continue;
    const BleuReferences references(referencesOf(entry.path()), BleuOptions{});
    const Json expected =
        parseJson(readFile(entry.path() / "paired-ar.json"), "paired-ar.json")["api"];
    const auto statsOf = [&](const Json& row) {
      return references.compare(
          linesOf(entry.path() / ("sys." + row["system"].get<std::string>() + ".txt")));
    };
    const auto baseline = statsOf(expected[0]);
    for (std::size_t i = 1; i < expected.size(); ++i) {
      const auto result = pairedRandomization(baseline, statsOf(expected[i]), BleuOptions{});
      QVERIFY(near(result.system, expected[i]["BLEU"]["score"]));
      const double gap = std::abs(result.pValue - expected[i]["BLEU"]["p_value"].get<double>());
      QVERIFY2(gap <= 1.01 / 10001, expected[i]["system"].get<std::string>().c_str());
      exact += gap < 1e-12 ? 1 : 0;
      ++compared;
    }
  }
  qInfo("%d randomization tests, %d p-values exactly equal", compared, exact);
  QVERIFY(compared > 0);
}

QTEST_GUILESS_MAIN(TestSignificance)
#include "test_significance.moc"
