// TER against literals a person can check, a slow exhaustive search, and sacreBLEU's scores for the
// references.
#include <QtTest>
#include <random>

#include "core/metrics/ter.h"
#include "core/metrics/ter_tokenizer.h"
#include "metrics/metrics_fixture.h"
#include "tests/near.h"
#include "tests/program.h"

using namespace strata;
using strata::testing::nearAbsolutely;

namespace {

// The options of a variant in scores.json and edge-cases.json.
std::optional<TerOptions> terNamed(const std::string& name) {
  TerOptions options;
  if (name == "default") return options;
  options.asianSupport = name.starts_with("asian-");
  const std::string rest = options.asianSupport ? name.substr(6) : name;
  options.normalized = rest == "normalized";
  options.noPunctuation = rest == "no-punct";
  options.caseSensitive = rest == "case-sensitive";
  if (options.normalized || options.noPunctuation || options.caseSensitive) return options;
  return std::nullopt;
}

// One metric is made for a variant's whole corpus, so that its sentences and sums are checked too.
bool sameTer(const std::vector<std::string>& hypotheses,
             const std::vector<std::vector<std::string>>& references, const TerOptions& options,
             const Json& expected) {
  const TerMetric metric(references, options);
  const std::vector<double> sums = compareAll(metric, hypotheses, 2).sums();
  return nearAbsolutely(metric.score(sums), expected["score"].get<double>()) &&
         nearAbsolutely(sums[0], expected["num_edits"].get<double>()) &&
         nearAbsolutely(sums[1], expected["ref_length"].get<double>());
}

// Edits and reference length.
std::vector<double> terRow(const TerMetric& metric, const std::string& hypothesis,
                           std::size_t sentence = 0) {
  std::vector<double> row(metric.width());
  metric.compare(sentence, hypothesis, row);
  return row;
}
double editsOf(const std::string& hypothesis, const std::string& reference) {
  return terRow(TerMetric({{reference}}, {}), hypothesis)[0];
}

// "w5 w6 w7" for numbered("w", 3, 5).
std::string numbered(const std::string& letter, int count, int from = 0) {
  std::string line;
  for (int i = from; i < from + count; ++i)
    line += (line.empty() ? "" : " ") + letter + std::to_string(i);
  return line;
}

// The reference search: full matrices, every shift applied and measured from scratch.
using Line = std::vector<int>;
constexpr int kFar = 1 << 28;

std::vector<std::vector<int>> distances(const Line& hypothesis, const Line& reference) {
  const int rows = static_cast<int>(hypothesis.size()),
            columns = static_cast<int>(reference.size());
  const double ratio = rows > 0 ? static_cast<double>(columns) / rows : 1;
  const int reach = ratio > 50 ? static_cast<int>(std::ceil(ratio / 2 + 25)) : 25;
  std::vector<std::vector<int>> d(rows + 1, std::vector<int>(columns + 1, kFar));
  for (int j = 0; j <= columns; ++j) d[0][j] = j;
  for (int i = 1; i <= rows; ++i) {
    const int diagonal = static_cast<int>(std::floor(i * ratio));
    for (int j = std::max(0, diagonal - reach); j <= columns; ++j) {
      if (i < rows && j >= diagonal + reach) break;
      d[i][j] = d[i - 1][j] + 1;
      if (j == 0) continue;
      d[i][j] = std::min(
          {d[i][j], d[i][j - 1] + 1, d[i - 1][j - 1] + (hypothesis[i - 1] != reference[j - 1])});
    }
  }
  return d;
}

// The gain of the best shift and what it makes of the words.
std::pair<int, Line> bestShift(const Line& words, const Line& reference, int& candidates) {
  const auto d = distances(words, reference);
  const int rows = static_cast<int>(words.size()), columns = static_cast<int>(reference.size());
  std::vector<int> aligned(columns), unmet(columns, 1), wrong(rows, 1);
  for (int i = rows, j = columns; j > 0;) {
    const int cost = i > 0 && words[i - 1] == reference[j - 1] ? 0 : 1;
    if (i > 0 && d[i][j] == d[i - 1][j - 1] + cost) {
      aligned[--j] = --i;
      unmet[j] = wrong[i] = cost;
    } else if (i > 0 && d[i][j] == d[i - 1][j] + 1) {
      --i;
    } else {
      aligned[--j] = i - 1;
    }
  }
  std::optional<std::tuple<int, int, int, int, Line>> best;
  for (int h = 0; h < rows; ++h) {
    for (int r = 0; r < columns; ++r) {
      if (std::abs(h - r) > 50) continue;
      for (int n = 1; n <= 10 && h + n <= rows && r + n <= columns; ++n) {
        if (words[h + n - 1] != reference[r + n - 1]) break;
        if (std::count(&wrong[h], &wrong[h] + n, 1) == 0) continue;
        if (std::count(&unmet[r], &unmet[r] + n, 1) == 0) continue;
        if (h <= aligned[r] && aligned[r] < h + n) continue;
        std::vector<int> targets;
        for (int k = r - 1; k < r + n; ++k) targets.push_back(k < 0 ? 0 : aligned[k] + 1);
        targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
        for (const int target : targets) {
          Line rest(words.begin(), words.begin() + h);
          rest.insert(rest.end(), words.begin() + h + n, words.end());
          const int at = target < h ? target : target > h + n ? target - n : target;
          rest.insert(rest.begin() + std::min(at, rows - n), &words[h], &words[h] + n);
          const int gain = d[rows][columns] - distances(rest, reference)[rows][columns];
          ++candidates;
          const std::tuple candidate(gain, n, -h, -target, rest);
          if (!best || candidate > *best) best = candidate;
        }
        if (candidates >= 1000) return {};  // whatever it is, it is not made
      }
    }
  }
  if (!best) return {0, words};
  return {std::get<0>(*best), std::get<4>(*best)};
}

int slowEdits(Line words, const Line& reference) {
  if (reference.empty()) return static_cast<int>(words.size());
  int candidates = 0;
  for (int shifts = 0;; ++shifts) {
    const auto [gain, shifted] = bestShift(words, reference, candidates);
    if (candidates >= 1000 || gain <= 0) return shifts + distances(words, reference).back().back();
    words = shifted;
  }
}

std::string asText(const Line& line) {
  std::string text;
  for (const int word : line) text += std::to_string(word) + " ";
  return text;
}

}  // namespace

class TestTer : public QObject {
  Q_OBJECT

 private slots:
  void countsByHand();
  void limitsOfAShift();
  void keepsToTheBeam();
  void stopsAfterTooManyCandidates();
  void emptySides();
  void severalReferences();
  void tokenizesByHand();
  void tokenizesReferencesTwice();
  void describesItself();
  void refusesWhatItCannotScore();
  void equalsTheSlowSearch();
  void equalsSacrebleuCorpusScores();
  void equalsSacrebleuSentenceScores();
  void equalsSacrebleuEdgeCases();
};

void TestTer::countsByHand() {
  QCOMPARE(editsOf("a b c", "a b c"), 0.0);
  QCOMPARE(editsOf("a x c", "a b c"), 1.0);          // a substitution
  QCOMPARE(editsOf("a c", "a b c d"), 2.0);          // two insertions
  QCOMPARE(editsOf("a b b b c", "a b c"), 2.0);      // two deletions
  QCOMPARE(editsOf("d e a b c", "a b c d e"), 1.0);  // one shift; without shifts it takes four
  QCOMPARE(editsOf("c d a b x g h e f", "a b c d e f g h"), 3.0);  // two shifts and a deletion
  QCOMPARE(editsOf("The CAT", "the cat"), 0.0);
  QCOMPARE(terRow(TerMetric({{"the cat"}}, {.caseSensitive = true}), "The CAT")[0], 2.0);
  QCOMPARE(terRow(TerMetric({{"a b c d e"}}, {}), "d e a b c")[1], 5.0);
}

void TestTer::limitsOfAShift() {
  // Ten words move at once, the eleventh takes another shift.
  for (const int moved : {10, 11}) {
    const std::string run = numbered("w", moved), others = numbered("y", 15);
    QCOMPARE(editsOf(others + " " + run, run + " " + others), moved == 10 ? 1.0 : 2.0);
  }
  // Two words that are 50 from their place: a shift and 118 substitutions. From 51: 120.
  for (const int distance : {50, 51}) {
    const std::string hypothesis = numbered("r", 2, distance) + " " + numbered("x", 118);
    QCOMPARE(editsOf(hypothesis, numbered("r", 120)), distance == 50 ? 119.0 : 120.0);
  }
}

void TestTer::keepsToTheBeam() {
  // A hundred words in common stand `by` words too late (too early): deleting as many and inserting
  // as many would do, but beyond the beam of 25 (24 to the right) every word is substituted.
  const auto late = [](int by) {
    return editsOf(numbered("x", by) + " " + numbered("r", 100),
                   numbered("r", 100) + " " + numbered("y", by));
  };
  const auto early = [](int by) {
    return editsOf(numbered("r", 100) + " " + numbered("x", by),
                   numbered("y", by) + " " + numbered("r", 100));
  };
  QCOMPARE(late(25), 50.0);
  QCOMPARE(late(51), 151.0);
  QCOMPARE(early(24), 48.0);
  QCOMPARE(early(25), 125.0);
  // Where lengths differ that much, the beam widens: 1 word is right, 199 are missing.
  QCOMPARE(editsOf("r199", numbered("r", 200)), 199.0);
  QCOMPARE(editsOf(numbered("r", 200), "r199"), 199.0);
  // 2 words against 200: a beam of 100 / 2 + 25 about column 100, where r24 is the first to be met.
  QCOMPARE(editsOf("r24 r150", numbered("r", 200)), 198.0);
  QCOMPARE(editsOf("r23 r150", numbered("r", 200)), 199.0);
}

void TestTer::stopsAfterTooManyCandidates() {
  // Every word fits in twelve places. Without the limit of 1,000 the shifts would bring it to 9.
  const std::string four = "a a a a ", others = "b b b b ", both = others + four;
  QCOMPARE(editsOf(both + both + both, four + four + four + others + others + others), 16.0);
}

void TestTer::emptySides() {
  const TerMetric metric({{"", "", "a b c"}}, {});
  const std::vector<std::string> hypotheses{"x y", " \u00a0 ", ""};
  const MetricRows rows = compareAll(metric, hypotheses);
  QCOMPARE(rows.values, (std::vector<double>{2, 0, 0, 0, 3, 3}));
  QCOMPARE(metric.sentenceScore(rows.row(0)), 100.0);
  QCOMPARE(metric.sentenceScore(rows.row(1)), 0.0);
  QCOMPARE(metric.sentenceScore(rows.row(2)), 100.0);
  QCOMPARE(metric.score(rows.sums()), 100 * 5.0 / 3);
}

void TestTer::severalReferences() {
  const TerMetric metric({{"a b c d"}, {"a b"}, {""}}, {});
  QCOMPARE(terRow(metric, "a b c"), (std::vector<double>{1, 2}));  // 1, 1 and 3 edits
}

void TestTer::tokenizesByHand() {
  const TerOptions normalized{.normalized = true}, bare{.noPunctuation = true};
  const TerOptions asian{.normalized = true, .asianSupport = true};
  const TerOptions asianBare{.noPunctuation = true, .asianSupport = true};
  QCOMPARE(terTokenized(" Don't  &amp; STOP.\u3000Now ", {}), std::string("don't &amp; stop. now"));
  QCOMPARE(terTokenized("\u03a3\u0391\u03a3 A\u03a3. \u0130", {}),  // the final sigma; i and a dot
           std::string("\u03c3\u03b1\u03c2 a\u03c2. i\u0307"));
  QCOMPARE(terTokenized("It's 5-year, he said: \"1,000.5!\" a-b &lt;", normalized),
           std::string("it 's 5 - year , he said : \" 1,000.5 ! \" a-b <"));
  QCOMPARE(terTokenized("x-\n-y\nz", normalized), std::string("x-y z"));
  QCOMPARE(terTokenized("(a) b?! c.d 'e' f-g", bare), std::string("a b cd 'e' f-g"));
  QCOMPARE(terTokenized("\u6211\u7231\u3002\u3042\u3042\uff01", asian),
           std::string("\u6211 \u7231 \u3002 \u3042\u3042 \uff01"));
  QCOMPARE(terTokenized("\u6211\u7231\u3002\uff01", normalized),
           std::string("\u6211\u7231\u3002\uff01"));
  // Both ends of each range of punctuation; then what stands beside them and stays.
  const std::string removed =
      "\u3001\u3002\u3008\u3011\u3014\u301f\u30fb\uff01\uff02\uff08\uff09\uff0c\uff0e"
      "\uff1a\uff1b\uff1f\uff61\uff65";
  const std::string kept = "\u3012\u3020\u30fc\uff03\uff07\uff0a\uff0d\uff0f\uff1c\uff20\uff66";
  QCOMPARE(terTokenized(removed + "?" + kept, asianBare), kept);
  QCOMPARE(terTokenized(removed + "?" + kept, bare), removed + kept);
}

void TestTer::tokenizesReferencesTwice() {
  // Once: that is john's . -- twice: that is john 's . -- a substitution and an insertion.
  const TerMetric metric({{"That is John's."}}, {.normalized = true});
  QCOMPARE(terRow(metric, "That is John's."), (std::vector<double>{2, 5}));
}

void TestTer::describesItself() {
  const TerMetric metric({{"a"}, {"b"}},
                         {.normalized = true, .noPunctuation = true, .asianSupport = true});
  QCOMPARE(metric.name(), std::string("TER"));
  QVERIFY(!metric.higherIsBetter());
  QCOMPARE(
      metric.signature(),
      std::string("nrefs:2|case:lc|tok:tercom|norm:yes|punct:no|asian:yes|version:strata-0.1.0"));
}

void TestTer::refusesWhatItCannotScore() {
  QHOLDS(usageErrorOf([] { TerMetric({}, {}); }), "at least one reference");
  QHOLDS(errorOf([] { TerMetric({{"a", "b"}, {"a"}}, {}); }), "2 and 1 lines");
  QHOLDS(errorOf([] { TerMetric({{"a\xff"}}, {}); }), "byte 1 of the line is not UTF-8");
  QHOLDS(errorOf([] { terRow(TerMetric({{"a"}}, {}), "\xc3"); }), "byte 0 of the line");
  QHOLDS(errorOf([] { terRow(TerMetric({{"a"}}, {}), "a", 1); }), "no sentence 2");
}

void TestTer::equalsTheSlowSearch() {
  std::mt19937 random(7);
  const auto upTo = [&](int most) { return static_cast<int>(random() % (most + 1)); };
  int shifted = 0;
  for (int round = 0; round < 400; ++round) {
    const int kinds = 1 + upTo(round % 4 == 0 ? 3 : 40);
    Line reference(upTo(round % 20 == 0 ? 70 : 18));
    for (int& word : reference) word = upTo(kinds);
    Line hypothesis = reference;
    for (int change = upTo(5); change > 0 && hypothesis.size() > 2; --change) {
      const auto begin = hypothesis.begin();
      const int size = static_cast<int>(hypothesis.size()), middle = upTo(size);
      const int first = upTo(middle), last = middle + upTo(size - middle);
      std::rotate(begin + first, begin + middle, begin + last);
      hypothesis[upTo(size - 1)] = upTo(kinds);
      if (upTo(2) == 0) hypothesis.erase(begin + upTo(size - 1));
    }
    const int expected = slowEdits(hypothesis, reference);
    const std::string where = asText(hypothesis) + "against " + asText(reference);
    QVERIFY2(editsOf(asText(hypothesis), asText(reference)) == expected, where.c_str());
    if (!reference.empty() && expected < distances(hypothesis, reference).back().back()) ++shifted;
  }
  QVERIFY2(shifted > 100, std::to_string(shifted).c_str());
}

void TestTer::equalsSacrebleuCorpusScores() {
  int compared = 0;
  const auto compare = [&](const Json& figures, const std::vector<std::string>& hypotheses,
                           const std::vector<std::vector<std::string>>& references,
                           const std::string& where) {
    for (const auto& [variant, expected] : figures["ter"].items()) {
      const std::string place = where + " " + variant;
      const auto options = terNamed(variant);
      QVERIFY2(options, place.c_str());
      QVERIFY2(sameTer(hypotheses, references, *options, expected), place.c_str());
      const std::vector<std::vector<std::string>> asMany(references.size(), {"a"});
      QCOMPARE(TerMetric(asMany, *options).signature(), withOurVersion(expected["signature"]));
      ++compared;
    }
  };
  forEachScoredSystem(compare);
  qInfo("%d corpus scores equal sacreBLEU's", compared);
  QVERIFY(compared > 0);
}

void TestTer::equalsSacrebleuSentenceScores() {
  int compared = 0;
  for (const fs::path& folder : metricFolders()) {
    const TerMetric metric(referencesOf(folder), {});
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("sentences.")) continue;
      const auto hypotheses = systemOf(folder, name.substr(10, name.size() - 14));
      const auto lines = linesOf(entry.path());
      QVERIFY(lines.front().ends_with("\tter\tter_edits\tter_ref_len"));
      const MetricRows rows = compareAll(metric, hypotheses, 1);
      for (std::size_t i = 0; i < hypotheses.size(); ++i) {
        const QStringList cells = QString::fromStdString(lines.at(i + 1)).split('\t');
        const auto cell = [&](int fromEnd) { return cells[cells.size() - fromEnd].toDouble(); };
        const std::string where = name + " line " + std::to_string(i + 1);
        QVERIFY2(nearAbsolutely(metric.sentenceScore(rows.row(i)), cell(3)), where.c_str());
        QVERIFY2(nearAbsolutely(rows.row(i)[0], cell(2)), where.c_str());
        QVERIFY2(nearAbsolutely(rows.row(i)[1], cell(1)), where.c_str());
        ++compared;
      }
    }
  }
  qInfo("%d sentence scores equal sacreBLEU's", compared);
  QVERIFY(compared > 0);
}

void TestTer::equalsSacrebleuEdgeCases() {
  int compared = 0;
  for (const Json& entry : edgeCases()) {
    const auto hypotheses = entry["hypotheses"].get<std::vector<std::string>>();
    const auto references = entry["references"].get<std::vector<std::vector<std::string>>>();
    for (const auto& [variant, expected] : entry["ter"].items()) {
      const std::string where = entry["name"].get<std::string>() + " " + variant;
      const auto options = terNamed(variant);
      QVERIFY2(options, where.c_str());
      QVERIFY2(sameTer(hypotheses, references, *options, expected), where.c_str());
      ++compared;
    }
  }
  qInfo("%d edge cases equal sacreBLEU's", compared);
  QVERIFY(compared > 0);
}

STRATA_GUILESS_TEST(TestTer)
#include "test_ter.moc"
