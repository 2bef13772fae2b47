// chrF, chrF+ and chrF++ against counts a person can check, a count written another way, and what
// sacreBLEU gives for the references.
#include <QtTest>
#include <map>
#include <random>

#include "core/metrics/chrf.h"
#include "metrics/metrics_fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Row = std::vector<double>;

Row chrfRow(const std::string& hypothesis, const std::vector<std::string>& references,
            const ChrfOptions& options) {
  std::vector<std::vector<std::string>> sides;
  for (const std::string& reference : references) sides.push_back({reference});
  const ChrfMetric metric(sides, options);
  Row row(metric.width());
  metric.compare(0, hypothesis, row);
  return row;
}

double chrfScore(const std::string& hypothesis, const std::vector<std::string>& references,
                 const ChrfOptions& options) {
  const ChrfMetric metric({{""}}, options);
  return metric.sentenceScore(chrfRow(hypothesis, references, options));
}

double corpusScore(const std::vector<std::string>& hypotheses,
                   const std::vector<std::vector<std::string>>& references,
                   const ChrfOptions& options) {
  const ChrfMetric metric(references, options);
  return metric.score(compareAll(metric, hypotheses).sums());
}

// The options of a variant in scores.json: "chrF2++-eps", "chrF-char4".
std::optional<ChrfOptions> chrfNamed(const std::string& name) {
  if (!name.starts_with("chrF")) return std::nullopt;
  ChrfOptions options;
  std::size_t at = 4;
  if (at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])))
    options.beta = name[at++] - '0';
  for (; at < name.size() && name[at] == '+'; ++at) ++options.wordOrder;
  const std::string rest = name.substr(at);
  options.lowercase = rest == "-lc";
  options.whitespace = rest == "-whitespace";
  options.epsilonSmoothing = rest == "-eps";
  if (rest == "-char4") options.characterOrder = 4;
  const bool known = rest.empty() || options.lowercase || options.whitespace ||
                     options.epsilonSmoothing || options.characterOrder == 4;
  return known ? std::optional(options) : std::nullopt;
}

// Figures compared with the tool's, and how far apart the worst of them are.
struct ChrfComparison {
  int figures = 0;
  double largest = 0;

  bool operator()(double ours, double theirs) {
    ++figures;
    largest = std::max(largest, std::abs(ours - theirs));
    return std::abs(ours - theirs) <= 1e-9;
  }
  bool report(const char* what) const {
    qInfo("%d %s equal sacreBLEU's, the largest difference is %g", figures, what, largest);
    return figures > 0;
  }
};

using Symbols = std::vector<std::string>;

// How often each n-gram of `order` symbols occurs.
std::map<Symbols, int> counted(const Symbols& symbols, std::ptrdiff_t order) {
  std::map<Symbols, int> counts;
  for (auto at = symbols.begin(); symbols.end() - at >= order; ++at) ++counts[{at, at + order}];
  return counts;
}

void appendCounts(const Symbols& hypothesis, const Symbols& reference, int orders, Row& row) {
  for (int n = 1; n <= orders; ++n) {
    const auto ours = counted(hypothesis, n), theirs = counted(reference, n);
    int mine = 0, yours = 0, both = 0;
    for (const auto& [ngram, count] : theirs) yours += count;
    for (const auto& [ngram, count] : ours) {
      mine += count;
      if (theirs.contains(ngram)) both += std::min(count, theirs.at(ngram));
    }
    row.insert(row.end(), {yours > 0 ? double(mine) : 0, double(yours), double(both)});
  }
}

// A line of random characters, and what of it counts as a symbol.
struct RandomLine {
  std::string text;
  Symbols characters, words;

  RandomLine(std::mt19937& random, bool whitespace) {
    const char* const kinds[] = {"a", "b", "a", " ", "\u00fc", "\u6211", "\U0001F600", "\u0308"};
    for (auto left = random() % 60; left > 0; --left) {
      const std::string character = kinds[random() % std::size(kinds)];
      if (character != " " || whitespace) characters.push_back(character);
      text += character;
    }
    for (const QString& word : QString::fromStdString(text).split(' ', Qt::SkipEmptyParts))
      words.push_back(word.toStdString());
  }
};

}  // namespace

class TestChrf : public QObject {
  Q_OBJECT

 private slots:
  void countsByHand();
  void scoreByHand();
  void betaWeighsRecall();
  void whiteSpaceIsPythons();
  void punctuationIsSplitOnce();
  void charactersAreCodePoints();
  void lowercaseIsPythons();
  void bestReferenceWins();
  void nothingToCompare();
  void statisticsAddUp();
  void threadsAgree();
  void equalsCountingWithMaps();
  void longLineOfOneCharacter();
  void namesAndSignatures();
  void refusesWhatItCannotScore();
  void equalsSacrebleuCorpusScores();
  void equalsSacrebleuSentenceScores();
  void equalsSacrebleuEdgeCases();
};

void TestChrf::countsByHand() {
  const ChrfOptions options{.characterOrder = 3};
  // hypothesis, reference, both: a b | a b c; ab | ab bc; nothing | abc
  QCOMPARE(chrfRow("ab", {"abc"}, options), (Row{2, 3, 2, 1, 2, 1, 0, 1, 0}));
  // a is clipped to 2, aa to 1
  QCOMPARE(chrfRow("aaa", {"aa"}, options), (Row{3, 2, 2, 2, 1, 1, 0, 0, 0}));
  // Orders without n-grams in the reference do not count for the hypothesis either.
  QCOMPARE(chrfRow("abc", {"a"}, options), (Row{3, 1, 1, 0, 0, 0, 0, 0, 0}));
  QCOMPARE(chrfRow("abc", {""}, options), (Row{0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

void TestChrf::scoreByHand() {
  // P = (1 + 1) / 2, R = (2/3 + 1/2) / 2 = 7/12 over two orders; F2 = 5 P R / (4 P + R) = 35/55
  QCOMPARE(chrfScore("ab", {"abc"}, {}), 100 * 35.0 / 55);
  QCOMPARE(chrfScore("ab", {"abc"}, {.characterOrder = 1}), 100 * 5 * (2.0 / 3) / (4 + 2.0 / 3));
  // One order of characters (P = R = 3/3) and one of words (1/2).
  QCOMPARE(chrfScore("ab c", {"ab x"}, {.characterOrder = 1, .wordOrder = 1}),
           100 * (2.0 / 3 + 1.0 / 2) / 2);
  // The mean of all six orders: F2 is 5 R / (4 + R) with R = 2/3, 1/2 in two and next to 0 in four.
  const double smoothed = chrfScore("ab", {"abc"}, {.epsilonSmoothing = true});
  QVERIFY(std::abs(smoothed - 100 * (5.0 / 7 + 5.0 / 9) / 6) < 1e-9);
}

void TestChrf::betaWeighsRecall() {
  // P = 1, R = 1/2
  const auto withBeta = [](double beta) {
    return chrfScore("a", {"ab"}, {.characterOrder = 1, .beta = beta});
  };
  QCOMPARE(withBeta(0), 100.0);  // precision alone
  QCOMPARE(withBeta(1), 100 * 2 * 0.5 / 1.5);
  QCOMPARE(withBeta(2), 100 * 5 * 0.5 / 4.5);
  QVERIFY(std::abs(withBeta(kMaxChrfBeta) - 50) < 1e-9);  // recall alone
}

void TestChrf::whiteSpaceIsPythons() {
  const ChrfOptions without{.characterOrder = 2}, with{.characterOrder = 2, .whitespace = true};
  QCOMPARE(chrfRow("\u0085a\u00a0\u3000b\t\u2028\x1c\u1680\u205f", {"ab"}, without),
           (Row{2, 2, 2, 1, 1, 1}));
  QCOMPARE(chrfRow("a b ", {"a b"}, with), (Row{4, 3, 3, 3, 2, 2}));
  QCOMPARE(chrfRow("a\u200bb", {"ab"}, without), (Row{3, 2, 2, 2, 1, 0}));  // is no white space
  // NBSP parts words too; with characters of white space or without.
  const ChrfOptions words{.characterOrder = 0, .wordOrder = 1, .whitespace = true};
  QCOMPARE(chrfRow("10\u00a0000 x", {"10 000 x"}, words), (Row{3, 3, 3}));
}

void TestChrf::punctuationIsSplitOnce() {
  const ChrfOptions options{.characterOrder = 0, .wordOrder = 1};
  QCOMPARE(chrfRow("(hi)", {"(hi )"}, options), (Row{2, 3, 1}));        // "(hi" ")" | "(" "hi" ")"
  QCOMPARE(chrfRow("\"there,\"", {"there"}, options), (Row{2, 1, 0}));  // "\"there," "\""
  QCOMPARE(chrfRow("\"there", {"there"}, options), (Row{2, 1, 1}));     // "\"" "there"
  QCOMPARE(chrfRow("end.", {"end"}, options), (Row{2, 1, 1}));
  QCOMPARE(chrfRow("...", {". . ."}, options), (Row{2, 3, 1}));          // ".." "."
  QCOMPARE(chrfRow("-", {"-"}, options), (Row{1, 1, 1}));                // one mark, one word
  QCOMPARE(chrfRow("\u201ehi\u201c", {"hi"}, options), (Row{1, 1, 0}));  // ASCII marks only
  QCOMPARE(chrfRow("a b a", {"a b"}, {.characterOrder = 0, .wordOrder = 2}),
           (Row{3, 2, 2, 2, 1, 1}));
}

void TestChrf::charactersAreCodePoints() {
  const ChrfOptions options{.characterOrder = 2};
  QCOMPARE(chrfRow("\u6211\u7231", {"\u6211"}, options), (Row{2, 1, 1, 0, 0, 0}));
  QCOMPARE(chrfRow("\U0001F600", {"\U0001F600\U0001F601"}, options), (Row{1, 2, 1, 0, 1, 0}));
  // u and a combining diaeresis are two characters, the letter with it is another one.
  QCOMPARE(chrfRow("u\u0308", {"\u00fc"}, options), (Row{2, 1, 0, 0, 0, 0}));
  // U+0000 is a character and no end.
  QCOMPARE(chrfRow(std::string("a\0", 2), {"a"}, options), (Row{2, 1, 1, 0, 0, 0}));
}

void TestChrf::lowercaseIsPythons() {
  const ChrfOptions options{.characterOrder = 1, .lowercase = true};
  QCOMPARE(chrfRow("AbC", {"aBc"}, options), (Row{3, 3, 3}));
  QCOMPARE(chrfRow("AbC", {"aBc"}, {.characterOrder = 1}), (Row{3, 3, 0}));
  QCOMPARE(chrfRow("\u00c4\u0416", {"\u00e4\u0436"}, options), (Row{2, 2, 2}));
  QCOMPARE(chrfRow("\u0130", {"i"}, options), (Row{2, 1, 1}));  // becomes i and U+0307
  // A sigma at the end of a word becomes the final one, also where white space is removed later.
  QCOMPARE(chrfRow("\u039f\u03a3 \u039f\u03a3", {"\u03c2\u03c2"}, options), (Row{4, 2, 2}));
}

void TestChrf::bestReferenceWins() {
  const ChrfOptions options{.characterOrder = 1};
  QCOMPARE(chrfRow("abc", {"ax", "abcd"}, options), (Row{3, 4, 3}));
  QCOMPARE(chrfRow("abc", {"abcd", "ax"}, options), (Row{3, 4, 3}));
  QCOMPARE(chrfRow("xy", {"ab", "abc"}, options), (Row{2, 2, 0}));  // a tie: the first
  QCOMPARE(chrfRow("xy", {"abc", "ab"}, options), (Row{2, 3, 0}));
  QCOMPARE(chrfRow("ab", {"ab", ""}, options), (Row{2, 2, 2}));
  // P and R are 2/3 and 2/2 with the one, 3/3 and 3/9 with the other: beta decides.
  const ChrfOptions precision{.characterOrder = 1, .beta = 0};
  QCOMPARE(chrfRow("abx", {"ab", "abxcdefgh"}, options), (Row{3, 2, 2}));
  QCOMPARE(chrfRow("abx", {"ab", "abxcdefgh"}, precision), (Row{3, 9, 3}));
}

void TestChrf::nothingToCompare() {
  for (const char* nothing : {"", "  \u00a0 "}) {
    QCOMPARE(chrfScore(nothing, {"a b"}, {.wordOrder = 2}), 0.0);
    QCOMPARE(chrfScore("a b", {nothing}, {.wordOrder = 2}), 0.0);
    QCOMPARE(chrfScore(nothing, {nothing}, {.wordOrder = 2}), 0.0);
  }
  const ChrfMetric empty(std::vector<std::vector<std::string>>{{}}, {});
  QCOMPARE(empty.sentences(), std::size_t{0});
  QCOMPARE(empty.score(compareAll(empty, {}).sums()), 0.0);
}

void TestChrf::statisticsAddUp() {
  // Order 1 of the corpus: P = (1 + 1) / (1 + 4), R = (1 + 1) / (1 + 1); no mean of sentences.
  const ChrfMetric metric({{"a", "b"}}, {.characterOrder = 1});
  const std::vector<std::string> hypotheses{"a", "bxyz"};
  const MetricRows rows = compareAll(metric, hypotheses);
  QCOMPARE(rows.sums(), (Row{5, 2, 2}));
  QCOMPARE(metric.score(rows.sums()), 100 * 5 * (2.0 / 5) / (4 * (2.0 / 5) + 1));
  QCOMPARE(metric.sentenceScore(rows.row(0)), 100.0);
}

void TestChrf::threadsAgree() {
  std::mt19937 random(2);
  std::vector<std::string> hypotheses, references;
  for (int i = 0; i < 500; ++i) {
    hypotheses.push_back(RandomLine(random, true).text);
    references.push_back(RandomLine(random, true).text);
  }
  const ChrfMetric metric({references}, {.wordOrder = 2});
  QCOMPARE(compareAll(metric, hypotheses, 1).values, compareAll(metric, hypotheses, 4).values);
}

void TestChrf::equalsCountingWithMaps() {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const ChrfOptions options{.characterOrder = static_cast<int>(random() % 9),
                              .wordOrder = 1 + static_cast<int>(random() % 4),
                              .whitespace = random() % 2 == 0};
    const RandomLine ours(random, options.whitespace), theirs(random, options.whitespace);
    Row expected;
    appendCounts(ours.characters, theirs.characters, options.characterOrder, expected);
    appendCounts(ours.words, theirs.words, options.wordOrder, expected);
    QVERIFY2(chrfRow(ours.text, {theirs.text}, options) == expected,
             (ours.text + " | " + theirs.text).c_str());
  }
}

void TestChrf::longLineOfOneCharacter() {
  const std::size_t ours = 200000, theirs = 150000;
  const Row row = chrfRow(std::string(ours, 'a'), {std::string(theirs, 'a')}, {});
  Row expected;
  for (std::size_t n = 0; n < 6; ++n)
    expected.insert(expected.end(), {double(ours - n), double(theirs - n), double(theirs - n)});
  QCOMPARE(row, expected);
}

void TestChrf::namesAndSignatures() {
  const auto named = [](const ChrfOptions& options) { return ChrfMetric({{"a"}}, options).name(); };
  QCOMPARE(named({}), std::string("chrF2"));
  QCOMPARE(named({.wordOrder = 2}), std::string("chrF2++"));
  QCOMPARE(named({.wordOrder = 2, .beta = 3}), std::string("chrF3++"));
  QCOMPARE(named({.beta = 0.5}), std::string("chrF0.5"));
  QCOMPARE(ChrfMetric({{"a"}, {"b"}}, {}).signature(),
           std::string("nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no|version:strata-0.1.0"));
  const ChrfOptions options{4, 2, 2, true, true, true};
  QCOMPARE(ChrfMetric({{"a"}}, options).signature(),
           std::string("nrefs:1|case:lc|eff:no|nc:4|nw:2|space:yes|version:strata-0.1.0"));
}

void TestChrf::refusesWhatItCannotScore() {
  const auto built = [](const ChrfOptions& options) {
    return usageErrorOf([&] { ChrfMetric({{"a"}}, options); });
  };
  QHOLDS(built({.characterOrder = -1}), "character order");
  QHOLDS(built({.characterOrder = kMaxChrfOrder + 1}), "character order");
  QHOLDS(built({.wordOrder = -1}), "word order");
  QHOLDS(built({.wordOrder = kMaxChrfOrder + 1}), "word order");
  QHOLDS(built({.characterOrder = 0}), "both be 0");
  QHOLDS(built({.beta = -1}), "beta");
  QHOLDS(built({.beta = std::nan("")}), "beta");
  QHOLDS(built({.beta = 2 * kMaxChrfBeta}), "beta");
  QHOLDS(usageErrorOf([] { ChrfMetric({}, {}); }), "at least one reference");
  QHOLDS(errorOf([] { ChrfMetric({{"a", "b"}, {"a"}}, {}); }), "2 and 1 lines");
  const std::vector<std::vector<std::string>> broken{{"a", "b"}, {"a", "xy\xff"}};
  QHOLDS(errorOf([&] { ChrfMetric(broken, {}); }), "byte 2 of line 2 of reference 2");
  std::vector<std::string> twice(1000, "a");  // enough for several threads
  twice[300] = twice[900] = "\xff";
  QHOLDS(errorOf([&] { ChrfMetric({twice}, {}); }), "line 301 of");
  const ChrfMetric metric({{"a", "b"}}, {.lowercase = true});
  Row row(metric.width());
  QHOLDS(errorOf([&] { metric.compare(1, "a\xc3", row); }), "byte 1 of line 2");
  QHOLDS(errorOf([&] { metric.compare(2, "a", row); }), "no sentence 3");
  QHOLDS(errorOf([&] { compareAll(metric, std::vector<std::string>{"a"}); }), "1 hypotheses");
}

void TestChrf::equalsSacrebleuCorpusScores() {
  ChrfComparison equal;
  const auto compare = [&](const Json& figures, const std::vector<std::string>& hypotheses,
                           const std::vector<std::vector<std::string>>& references,
                           const std::string& where) {
    for (const auto& [variant, expected] : figures.at("chrf").items()) {
      const std::string place = where + " " + variant;
      const auto options = chrfNamed(variant);
      QVERIFY2(options, place.c_str());
      const double score = corpusScore(hypotheses, references, *options);
      QVERIFY2(equal(score, expected["score"]), place.c_str());
      const std::vector<std::vector<std::string>> asMany(references.size(), {"a"});
      QCOMPARE(ChrfMetric(asMany, *options).signature(), withOurVersion(expected["signature"]));
    }
  };
  forEachScoredSystem(compare);
  QVERIFY(equal.report("corpus scores"));
}

void TestChrf::equalsSacrebleuSentenceScores() {
  ChrfComparison equal;
  for (const fs::path& folder : metricFolders()) {
    const auto references = referencesOf(folder);
    const ChrfMetric metrics[] = {{references, {}}, {references, {.wordOrder = 2}}};
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("sentences.")) continue;
      const auto hypotheses = systemOf(folder, name.substr(10, name.size() - 14));
      const auto lines = linesOf(entry.path());
      const QStringList columns = QString::fromStdString(lines.at(0)).split('\t');
      QCOMPARE(lines.size(), hypotheses.size() + 1);
      for (const ChrfMetric& metric : metrics) {
        const auto column = columns.indexOf(QString::fromStdString(metric.name()));
        QVERIFY2(column > 0, metric.name().c_str());
        const MetricRows rows = compareAll(metric, hypotheses);
        for (std::size_t i = 0; i < hypotheses.size(); ++i) {
          const QStringList cells = QString::fromStdString(lines[i + 1]).split('\t');
          const std::string where = name + " line " + std::to_string(i + 1);
          QVERIFY2(equal(metric.sentenceScore(rows.row(i)), cells[column].toDouble()),
                   where.c_str());
        }
      }
    }
  }
  QVERIFY(equal.report("sentence scores"));
}

void TestChrf::equalsSacrebleuEdgeCases() {
  ChrfComparison equal;
  for (const Json& entry : edgeCases()) {
    const auto hypotheses = entry["hypotheses"].get<std::vector<std::string>>();
    const auto references = entry["references"].get<std::vector<std::vector<std::string>>>();
    for (const auto& [variant, expected] : entry["chrf"].items()) {
      const std::string where = entry["name"].get<std::string>() + " " + variant;
      const auto options = chrfNamed(variant);
      QVERIFY2(options, where.c_str());
      QVERIFY2(equal(corpusScore(hypotheses, references, *options), expected["score"]),
               where.c_str());
    }
  }
  QVERIFY(equal.report("edge cases"));
}

STRATA_GUILESS_TEST(TestChrf)
#include "test_chrf.moc"
