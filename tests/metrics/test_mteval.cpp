// mteval-v13a.pl's BLEU and NIST against hand-counted sentences and against the script's output for
// the references.
#include <QtTest>

#include "core/metrics/mteval.h"
#include "core/metrics/mteval_words.h"
#include "metrics/metrics_fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using References = std::vector<std::vector<std::string>>;

// The options of a variant in mteval.json.
MtevalOptions optionsOf(const Json& flags) {
  MtevalOptions options;
  for (const Json& flag : flags) {
    const auto name = flag.get<std::string>();
    if (name == "-c") options.caseSensitive = true;
    if (name == "--international-tokenization") options.international = true;
    if (name == "--no-smoothing") options.smoothing = false;
    if (name == "shortest") options.shortestReference = true;
  }
  return options;
}

std::string tokensOf(std::string_view line, const MtevalOptions& options) {
  std::string text;
  for (const std::string& word : mtevalWords(line, options)) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

double scoreOf(const Metric& metric, const std::vector<std::string>& hypotheses) {
  return metric.score(compareAll(metric, hypotheses, 1).sums());
}
double bleuOf(const std::string& hypothesis, const References& references,
              const MtevalOptions& options = {}) {
  return scoreOf(MtevalBleuMetric(references, options), {hypothesis});
}
double nistOf(const std::string& hypothesis, const References& references,
              const MtevalOptions& options = {}) {
  return scoreOf(NistMetric(references, options), {hypothesis});
}

// Compares figures and remembers how many and how far off the worst was.
struct MtevalComparison {
  int printed = 0, full = 0;
  double largestPrinted = 0, largest = 0;

  bool same(double value, const Json& expected) {
    ++full;
    return within(value, expected.get<double>(), 1e-9, largest);
  }
  bool samePrinted(double value, const Json& expected) {  // four decimals
    ++printed;
    return within(value, expected.get<double>(), 0.5e-4 + 1e-9, largestPrinted);
  }

 private:
  static bool within(double value, double expected, double tolerance, double& worst) {
    const double difference = std::abs(value - expected);
    worst = std::max(worst, difference);
    return difference <= tolerance;
  }
};

// One system's figures of one metric: the table by n-gram length, the system, its documents and its
// segments. `unit` is our score of a score of 1 of the script.
template <typename M>
bool equals(const M& metric, const std::vector<std::string>& hypotheses, const Json& expected,
            const std::string& key, double unit, MtevalComparison& comparison) {
  const MetricRows rows = compareAll(metric, hypotheses, 1);
  const std::vector<double> sums = rows.sums();
  const Json& printed = expected["printed"];
  const Json& full = expected[key];
  bool all = comparison.same(metric.score(sums) / unit, full["system"]) &&
             comparison.samePrinted(metric.score(sums) / unit, printed[key]);
  const MtevalDetail detail = metric.detail(sums);
  for (std::size_t n = 0; n < kMtevalOrder; ++n) {
    all = all && comparison.samePrinted(detail.individual[n], printed["individual"][key][n]) &&
          comparison.samePrinted(detail.cumulative[n], printed["cumulative"][key][n]);
  }
  const std::size_t documents = full["documents"].size();
  for (std::size_t d = 0; d < documents; ++d) {
    std::vector<std::size_t> lines;
    for (std::size_t i = hypotheses.size() * d / documents;
         i < hypotheses.size() * (d + 1) / documents; ++i) {
      lines.push_back(i);
    }
    all = all && comparison.same(metric.score(rows.sums(lines)) / unit,
                                 full["documents"]["d" + std::to_string(d + 1)]);
  }
  if (!full.contains("segments")) return all;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    all = all && comparison.same(metric.sentenceScore(rows.row(i)) / unit, full["segments"][i]);
  }
  return all;
}

bool equals(const std::vector<std::string>& hypotheses, const References& references,
            const Json& expected, MtevalComparison& comparison) {
  const MtevalOptions options = optionsOf(expected["flags"]);
  const MtevalBleuMetric bleu(references, options);
  const NistMetric nist(references, options);
  bool all = equals(bleu, hypotheses, expected, "bleu", 100, comparison) &&
             equals(nist, hypotheses, expected, "nist", 1, comparison);
  if (expected.contains("length")) {
    const MtevalDetail detail = bleu.detail(compareAll(bleu, hypotheses, 1).sums());
    all = all && comparison.same(detail.hypothesisLength, expected["length"]["sys"]) &&
          comparison.same(detail.referenceLength, expected["length"]["ref"]) &&
          comparison.same(std::log(detail.penalty), expected["length"]["log_penalty"]);
  }
  return all;
}

}  // namespace

class TestMteval : public QObject {
  Q_OBJECT

 private slots:
  void wordsByHand();
  void internationalWordsByHand();
  void whiteSpaceIsThatOfPerl();
  void entitiesAreResolvedOnce();
  void caseOfBothTokenizations();
  void bleuByHand();
  void bleuSmoothingByHand();
  void referenceLengthByHand();
  void nistByHand();
  void nistTakesTheWord0ForNoContext();
  void rowsAddUp();
  void manyReferences();
  void whereTheScriptStops();
  void signaturesNameTheOptions();
  void refusesWhatItCannotScore();
  void equalsTheScript();
  void equalsTheScriptInEdgeCases();
};

void TestMteval::wordsByHand() {
  const MtevalOptions cased{.caseSensitive = true};
  QCOMPARE(tokensOf("Hello, world!", cased), std::string("Hello , world !"));
  QCOMPARE(tokensOf("3.14, 1,000. .5", cased), std::string("3.14 , 1,000 . . 5"));
  QCOMPARE(tokensOf("It's 5-year a-b -7 \"q\" (x/y)", cased),
           std::string("It's 5 - year a-b -7 \" q \" ( x / y )"));
  QCOMPARE(tokensOf("...", cased), std::string(". . ."));
  QCOMPARE(tokensOf("<skipped> a<b", cased), std::string("< skipped > a < b"));
  // Only ASCII punctuation and ASCII digits.
  QCOMPARE(tokensOf("\u201eja\u201c \u6211\u3002 \u0967.\u0968", cased),
           std::string("\u201eja\u201c \u6211\u3002 \u0967 . \u0968"));
  QCOMPARE(tokensOf("", cased), std::string());
}

void TestMteval::internationalWordsByHand() {
  const MtevalOptions options{.caseSensitive = true, .international = true};
  QCOMPARE(tokensOf("Hello, world!", options), std::string("Hello , world !"));
  QCOMPARE(tokensOf("\u201eja\u201c \u6211\u3002", options),
           std::string("\u201e ja \u201c \u6211 \u3002"));
  // Any number is a digit here: \u0967 and \u0968 are Hindi's 1 and 2, \u00bd is a number too.
  QCOMPARE(tokensOf("\u0967.\u0968 1,\u00bd 5-7 a-7", options),
           std::string("\u0967.\u0968 1,\u00bd 5-7 a - 7"));
  QCOMPARE(tokensOf("in 2013.", options), std::string("in 2013."));
  QCOMPARE(tokensOf("in 2013. ", options), std::string("in 2013 ."));
  QCOMPARE(tokensOf("5\u20ac +1 \u2764\ufe0f", options), std::string("5 \u20ac + 1 \u2764 \ufe0f"));
  // Hindi's virama and a combining accent belong to their letters; the danda is punctuation.
  QCOMPARE(tokensOf("\u0939\u093f\u0928\u094d\u0926\u0940\u0964 e\u0301", options),
           std::string("\u0939\u093f\u0928\u094d\u0926\u0940 \u0964 e\u0301"));
  // Newer than Unicode 14: U+1FAE8 (a symbol of Unicode 15) is no symbol yet; U+1FAE0 (14) is one.
  QCOMPARE(tokensOf("a\U0001FAE8b a\U0001FAE0b", options),
           std::string("a\U0001FAE8b a \U0001FAE0 b"));
}

void TestMteval::whiteSpaceIsThatOfPerl() {
  for (const bool international : {false, true}) {
    const MtevalOptions options{.international = international};
    QCOMPARE(mtevalWords("\t a\u00a0b\u2028c\u0085d\ve\u3000f \r", options).size(), std::size_t{6});
    QCOMPARE(tokensOf("a\x1c"
                      "b a\u200bb",
                      options),
             std::string("a\x1c"
                         "b a\u200bb"));
    QVERIFY(mtevalWords(" \u00a0 ", options).empty());
  }
}

void TestMteval::entitiesAreResolvedOnce() {
  // Escaped for the script, &lt; is &amp;lt;, which its ampersand rule and then its < rule meet;
  // the rule of the quotation mark is over by then.
  QCOMPARE(tokensOf("&lt;&gt;", {}), std::string("< >"));
  QCOMPARE(tokensOf("&quot;", {}), std::string("& quot ;"));
  QCOMPARE(tokensOf("&amp;lt;", {}), std::string("& amp ; lt ;"));
  QCOMPARE(tokensOf("&apos;", {}), std::string("& apos ;"));
  QCOMPARE(tokensOf("it&apos;s", {.international = true}), std::string("it ' s"));
  QCOMPARE(tokensOf("&LT;", {}), std::string("& lt ;"));
}

void TestMteval::caseOfBothTokenizations() {
  QCOMPARE(tokensOf("AZ \u00c4\u0130\u03a3", {}), std::string("az \u00c4\u0130\u03a3"));
  QCOMPARE(tokensOf("AZ \u00c4\u0130\u03a3", {.international = true}),
           std::string("az \u00e4i\u0307\u03c3"));
  QCOMPARE(tokensOf("AZ \u00c4", {.caseSensitive = true}), std::string("AZ \u00c4"));
}

void TestMteval::bleuByHand() {
  // "a b c d e x": of 6, 5, 4, 3 n-grams 5, 4, 3, 2 match.
  QCOMPARE(bleuOf("a b c d e x", {{"a b c d e y"}}),
           100 * std::pow(5.0 / 6 * 4 / 5 * 3 / 4 * 2 / 3, 0.25));
  QCOMPARE(bleuOf("A b c d", {{"a B c d"}}), 100.0);
  QCOMPARE(bleuOf("a b c d", {{"a b c d e f"}}), 100 * std::exp(1 - 6.0 / 4));
  QCOMPARE(bleuOf("a", {{"a"}}), 100.0);  // the orders that it is too short for are right
  const MtevalBleuMetric metric({{"the cat"}}, {});
  std::vector<double> row(metric.width());
  metric.compare(0, "the the the cat", row);
  QCOMPARE(row[0], 2.0);                 // "the" is clipped to one
  QCOMPARE(row[1], 1.0);                 // "the cat"
  QCOMPARE(row[kMtevalOrder], 4.0);      // words
  QCOMPARE(row[kMtevalOrder + 3], 1.0);  // four-grams
  QCOMPARE(row[2 * kMtevalOrder], 2.0);  // words of the reference
}

void TestMteval::bleuSmoothingByHand() {
  // Unigrams match 5 of 5; no bigram of 4, trigram of 3, four-gram of 2: 1/2, 1/4, 1/8 of one.
  QCOMPARE(bleuOf("d b a e c", {{"a b c d e"}}),
           100 * std::pow(1.0 / 2 / 4 * 1 / 4 / 3 * 1 / 8 / 2, 0.25));
  QCOMPARE(bleuOf("d b a e c", {{"a b c d e"}}, {.smoothing = false}), 0.0);
  QCOMPARE(bleuOf("a b c", {{"a b c"}}, {.smoothing = false}), 0.0);  // not 1 here: no four-gram
}

void TestMteval::referenceLengthByHand() {
  const References references{{"a b c d e f g"}, {"a b c d e"}, {"a b"}};
  const auto length = [&](const std::string& hypothesis, const MtevalOptions& options) {
    const MtevalBleuMetric metric(references, options);
    return metric.detail(compareAll(metric, std::vector{hypothesis}).sums()).referenceLength;
  };
  QCOMPARE(length("x x x x x x", {}), 5.0);  // 7 is as close
  QCOMPARE(length("x x x x x x x x", {}), 7.0);
  QCOMPARE(length("x x x x x x x x", {.shortestReference = true}), 2.0);
}

void TestMteval::nistByHand() {
  // Words "a a b" of the reference: a is 2 of 3, b 1 of 3; "a a" and "a b" each follow one a of 2;
  // "a a b" is sure once "a a" is there.
  const References references{{"a a b"}};
  const double a = std::log2(3.0 / 2), b = std::log2(3.0);
  QCOMPARE(nistOf("a a b", references), (2 * a + b) / 3 + (1.0 + 1) / 2);
  QCOMPARE(nistOf("b a", references), (a + b) / 2 * std::exp(std::log(0.5)));  // 2 words of 3
  QCOMPARE(nistOf("a b x x", references), (a + b) / 4 + 1.0 / 3);  // none for too many words
  QCOMPARE(nistOf("x", references), 0.0);
  // Weights come from all references of the set: in this one b is 1 word of 4.
  const NistMetric metric({{"a b", "a a"}}, {});
  std::vector<double> row(metric.width());
  metric.compare(0, "b", row);
  QCOMPARE(row[0], 2.0);
  // The mean of the references' lengths counts, not the closest.
  const NistMetric two({{"b"}, {"a a a"}}, {});
  QCOMPARE(two.detail(compareAll(two, std::vector<std::string>{"b"}).sums()).referenceLength, 2.0);
}

void TestMteval::nistTakesTheWord0ForNoContext() {
  // "0 x" is weighed against all 4 words, "1 x" against the one 1 before it.
  QCOMPARE(nistOf("0 x", {{"0 x y z"}}),
           (2.0 + 2.0 / 1) * std::exp(std::log(0.5) * std::pow(std::log(0.5) / std::log(1.5), 2)));
  QCOMPARE(nistOf("1 x", {{"1 x y z"}}),
           2.0 * std::exp(std::log(0.5) * std::pow(std::log(0.5) / std::log(1.5), 2)));
}

void TestMteval::rowsAddUp() {
  // Two right words of two and none of two: two of four, not the mean of the sentences.
  const MtevalBleuMetric metric({{"a b", "c d"}}, {});
  const MetricRows rows = compareAll(metric, std::vector<std::string>{"a b", "x y"});
  QCOMPARE(metric.detail(rows.sums()).individual[0], 0.5);
  QCOMPARE(metric.detail(rows.sums()).individual[1], 0.5);
  QCOMPARE(metric.score(rows.sums()), 100 * std::sqrt(0.5));
  QCOMPARE(metric.sentenceScore(rows.row(0)), 100.0);
}

void TestMteval::manyReferences() {
  // "a" may match twice because one reference holds two, not three times because both hold three.
  const MtevalBleuMetric metric({{"a a b"}, {"a c"}}, {});
  std::vector<double> row(metric.width());
  metric.compare(0, "a a a c", row);
  QCOMPARE(row[0], 3.0);
  QCOMPARE(row[1], 2.0);                     // "a a", "a c"
  QCOMPARE(row[2 * kMtevalOrder + 1], 5.0);  // words of both
  // An empty one counts in NIST's mean length.
  const NistMetric nist({{"a b"}, {""}}, {});
  QCOMPARE(nist.detail(compareAll(nist, std::vector<std::string>{"a"}).sums()).penalty, 1.0);
}

void TestMteval::whereTheScriptStops() {
  for (const std::string hypothesis : {"", " \u00a0", "a b"}) {
    QCOMPARE(bleuOf(hypothesis, {{""}}), 0.0);
    QCOMPARE(nistOf(hypothesis, {{""}}), 0.0);
    const MtevalBleuMetric metric({{"", "a"}}, {});
    const MetricRows rows = compareAll(metric, std::vector<std::string>{hypothesis, "a"});
    QCOMPARE(metric.sentenceScore(rows.row(0)), 0.0);
  }
  QCOMPARE(bleuOf("", {{"a b"}}), 0.0);
  QCOMPARE(nistOf("", {{"a b"}}), 0.0);
  const MtevalBleuMetric bleu({{}}, {});
  const NistMetric nist({{}}, {});
  QCOMPARE(bleu.score(std::vector<double>(bleu.width())), 0.0);  // of no sentence at all
  QCOMPARE(nist.score(std::vector<double>(nist.width())), 0.0);
}

void TestMteval::signaturesNameTheOptions() {
  const References one{{"a"}}, two{{"a"}, {"b"}};
  const MtevalBleuMetric bleu(one, {});
  QCOMPARE(bleu.name(), std::string("mteval BLEU"));
  QCOMPARE(bleu.signature(),
           std::string("nrefs:1|case:lc|tok:mteval-v13a|smooth:yes|bp:closest|mteval-v13a"));
  const MtevalOptions all{true, true, false, true};
  QCOMPARE(MtevalBleuMetric(two, all).signature(),
           std::string("nrefs:2|case:mixed|tok:mteval-intl|smooth:no|bp:shortest|mteval-v13a"));
  QCOMPARE(NistMetric(two, all).name(), std::string("NIST"));
  QCOMPARE(NistMetric(two, all).signature(),
           std::string("nrefs:2|case:mixed|tok:mteval-intl|mteval-v13a"));
  QVERIFY(bleu.higherIsBetter());
}

void TestMteval::refusesWhatItCannotScore() {
  const References none, unequal{{"a", "b"}, {"a"}}, bad{{"a\xff"}};
  QHOLDS(usageErrorOf([&] { MtevalBleuMetric(none, {}); }), "at least one reference");
  QHOLDS(errorOf([&] { NistMetric(unequal, {}); }), "2 and 1 lines");
  QHOLDS(errorOf([&] { NistMetric(bad, {}); }), "byte 1 of the line is not UTF-8");
  const MtevalBleuMetric metric({{"a"}}, {});
  QHOLDS(errorOf([&] { scoreOf(metric, {"\xe2\x82"}); }), "byte 0 of the line is not UTF-8");
  QHOLDS(errorOf([&] { scoreOf(metric, {"a", "b"}); }), "2 hypotheses and 1 references");
}

void TestMteval::equalsTheScript() {
  MtevalComparison comparison;
  for (const fs::path& folder : metricFolders()) {
    const References references = referencesOf(folder);
    const Json figures = figuresOf(folder, "mteval.json");
    for (const auto& [system, variants] : figures.items()) {
      for (const auto& [variant, expected] : variants.items()) {
        const std::string where = folder.filename().string() + " " + system + " " + variant;
        QVERIFY2(equals(systemOf(folder, system), references, expected, comparison), where.c_str());
      }
    }
  }
  qInfo("%d full figures equal, largest difference %.3g; %d of four decimals, largest %.3g",
        comparison.full, comparison.largest, comparison.printed, comparison.largestPrinted);
  QVERIFY(comparison.full > 5000);
}

void TestMteval::equalsTheScriptInEdgeCases() {
  MtevalComparison comparison;
  int stops = 0;
  for (const Json& entry : edgeCases()) {
    const auto hypotheses = entry["hypotheses"].get<std::vector<std::string>>();
    const auto references = entry["references"].get<References>();
    for (const auto& [variant, expected] : entry["mteval"].items()) {
      const std::string where = entry["name"].get<std::string>() + " " + variant;
      if (expected.contains("printed")) {
        QVERIFY2(equals(hypotheses, references, expected, comparison), where.c_str());
        continue;
      }
      const MtevalOptions options = optionsOf(expected["flags"]);
      QCOMPARE(scoreOf(MtevalBleuMetric(references, options), hypotheses), 0.0);
      QCOMPARE(scoreOf(NistMetric(references, options), hypotheses), 0.0);
      ++stops;
    }
  }
  qInfo("%d full figures equal, largest difference %.3g; %d of four decimals; %d where it stops",
        comparison.full, comparison.largest, comparison.printed, stops);
  QVERIFY(comparison.full > 100 && stops > 0);
}

STRATA_GUILESS_TEST(TestMteval)
#include "test_mteval.moc"
