// BLEU against literals a person can check and against the output of sacreBLEU and multi-bleu.perl
// for the references.
#include <fmt/ranges.h>

#include <QtTest>
#include <map>
#include <random>
#include <regex>

#include "core/base/error.h"
#include "core/metrics/bleu.h"
#include "core/metrics/tokenizers.h"
#include "core/text/words.h"
#include "metrics/metrics_fixture.h"
#include "tests/near.h"
#include "tests/program.h"

using namespace strata;
using strata::testing::near;

namespace {

// The options of a variant in scores.json.
std::optional<BleuOptions> bleuNamed(const std::string& name) {
  BleuOptions options;
  if (name == "default" || name == "smooth-exp") return options;
  if (name == "lc") {
    options.lowercase = true;
  } else if (name == "effective-order") {
    options.effectiveOrder = true;
  } else if (name.starts_with("tok-")) {
    options.tokenizer = bleuTokenizerNamed(name.substr(4));
  } else if (name.starts_with("order-")) {
    options.order = std::stoi(name.substr(6));
  } else if (name == "smooth-floor-0.01") {
    options.smoothing = BleuSmoothing::kFloor;
    options.smoothValue = 0.01;
  } else if (name == "smooth-add-k-2") {
    options.smoothing = BleuSmoothing::kAddK;
    options.smoothValue = 2;
  } else if (name.starts_with("smooth-")) {
    options.smoothing = bleuSmoothingNamed(name.substr(7));
  } else {
    return std::nullopt;
  }
  return options;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

bool nearAll(const std::vector<double>& a, const Json& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!near(a[i], b[i].get<double>())) return false;
  }
  return true;
}

bool sameBleu(const BleuScore& score, const Json& expected) {
  return near(score.score, expected["score"]) && nearAll(score.counts, expected["counts"]) &&
         nearAll(score.totals, expected["totals"]) &&
         nearAll(score.precisions, expected["precisions"]) &&
         near(score.brevityPenalty, expected["bp"]) && score.systemLength == expected["sys_len"] &&
         score.referenceLength == expected["ref_len"];
}

}  // namespace

class TestBleu : public QObject {
  Q_OBJECT

 private slots:
  void countsByHand();
  void brevityPenaltyByHand();
  void closestReferenceWins();
  void statisticsAddUp();
  void equalsCountingWithMaps();
  void tokenizersByHand();
  void equalsItsRulesOneByOne();
  void refusesWhatItCannotScore();
  void equalsSacrebleuCorpusScores();
  void equalsSacrebleuSentenceScores();
  void equalsSacrebleuEdgeCases();
  void equalsSacrebleuTokenizers();
  void equalsMultiBleu();
};

void TestBleu::countsByHand() {
  // "the the the cat" against "the cat": the is clipped to 1, cat matches; one bigram of three
  // ("the cat") matches.
  const std::vector<std::string> hypothesis{"the the the cat"};
  const BleuOptions options{.smoothing = BleuSmoothing::kNone, .order = 2};
  const BleuScore score = corpusBleu(hypothesis, {{"the cat"}}, options);
  QCOMPARE(score.counts, (std::vector<double>{2, 1}));
  QCOMPARE(score.totals, (std::vector<double>{4, 3}));
  QCOMPARE(score.score, 100 * std::sqrt(2.0 / 4 * 1.0 / 3));
}

void TestBleu::brevityPenaltyByHand() {
  const std::vector<std::string> hypothesis{"a b c d"};
  const BleuScore score = corpusBleu(hypothesis, {{"a b c d e f"}});
  QCOMPARE(score.brevityPenalty, std::exp(1 - 6.0 / 4));
  QCOMPARE(score.score, 100 * std::exp(1 - 6.0 / 4));
}

void TestBleu::closestReferenceWins() {
  const std::vector<std::vector<std::string>> references{{"a b c d e f g"}, {"a b c"}};
  const BleuReferences prepared(references, BleuOptions{});
  QCOMPARE(prepared.compare(0, "a b c d e").referenceLength, 3);  // a tie goes to the shorter one
  QCOMPARE(prepared.compare(0, "a b c d e f").referenceLength, 7);
}

void TestBleu::statisticsAddUp() {
  const std::vector<std::string> hypotheses{"a b c d e", "the cat sat", "x"};
  const std::vector<std::vector<std::string>> references{{"a b c d f", "the cat sat down", "y"}};
  const auto stats = BleuReferences(references, BleuOptions{}).compare(hypotheses);
  QCOMPARE(bleu(sum(stats), {}).score, corpusBleu(hypotheses, references).score);
  QCOMPARE(sum(stats).correct[0], 7);
  QCOMPARE(sum(stats).total[3], 2);
}

void TestBleu::equalsCountingWithMaps() {
  using Words = std::vector<std::string>;
  using Counts = std::map<Words, std::int64_t>;
  std::mt19937 random(1);
  const auto countsOf = [](const Words& words, std::size_t n) {
    Counts counts;
    for (auto at = words.begin(); words.end() - at >= static_cast<std::ptrdiff_t>(n); ++at)
      ++counts[Words(at, at + static_cast<std::ptrdiff_t>(n))];
    return counts;
  };
  for (int round = 0; round < 300; ++round) {
    // Few kinds of words: much is repeated, within a line and among references.
    const auto madeUp = [&] {
      Words words(random() % 25);
      for (std::string& word : words) word = std::string(1, static_cast<char>('a' + random() % 4));
      return words;
    };
    std::vector<std::vector<std::string>> references(1 + random() % 3);
    std::vector<Words> lines;
    for (auto& reference : references) {
      lines.push_back(madeUp());
      reference = {joined(lines.back())};
    }
    const Words hypothesis = madeUp();
    const BleuStats stats =
        BleuReferences(references, BleuOptions{}).compare(0, joined(hypothesis));
    for (std::size_t n = 1; n <= 4; ++n) {
      std::int64_t correct = 0;
      for (const auto& [ngram, times] : countsOf(hypothesis, n)) {
        std::int64_t most = 0;
        for (const Words& line : lines) most = std::max(most, countsOf(line, n)[ngram]);
        correct += std::min(times, most);
      }
      QCOMPARE(stats.correct[n - 1], correct);
    }
  }
}

void TestBleu::tokenizersByHand() {
  const auto tokenized = [](std::string_view line, BleuTokenizer tokenizer) {
    return joined(bleuWords(line, tokenizer, false));
  };
  QCOMPARE(tokenized("Hello, world!", BleuTokenizer::k13a), std::string("Hello , world !"));
  QCOMPARE(tokenized("3.14 and 1,000.", BleuTokenizer::k13a), std::string("3.14 and 1,000 ."));
  QCOMPARE(tokenized("2-3 a-b &quot;q&quot;", BleuTokenizer::k13a),
           std::string("2 - 3 a-b \" q \""));
  QCOMPARE(tokenized("don\u2019t \u20ac5", BleuTokenizer::kInternational),
           std::string("don \u2019 t \u20ac 5"));
  QCOMPARE(tokenized("\u6211\u7231.5", BleuTokenizer::kChinese), std::string("\u6211 \u7231 . 5"));
  QCOMPARE(tokenized(".5", BleuTokenizer::kChinese), std::string(".5"));
  QCOMPARE(tokenized("-5", BleuTokenizer::kChinese), std::string("-5"));
  QCOMPARE(tokenized("ab ", BleuTokenizer::kCharacter), std::string("a b"));
}

// 13a as it is written down: four replacements, one after the other.
void TestBleu::equalsItsRulesOneByOne() {
  const std::pair<std::regex, const char*> rules[] = {
      {std::regex(R"(([{-~[-` -&(-+:-@/]))"), " $1 "},
      {std::regex(R"(([^0-9])([.,]))"), "$1 $2 "},
      {std::regex(R"(([.,])([^0-9]))"), " $1 $2"},
      {std::regex(R"(([0-9])(-))"), "$1 $2 "}};
  std::mt19937 random(1);
  constexpr std::string_view characters = "a15.,-' !$";
  for (int round = 0; round < 3000; ++round) {
    std::string line(random() % 9, ' ');
    for (char& c : line) c = characters[random() % characters.size()];
    std::string expected = " " + line + " ";
    for (const auto& [pattern, put] : rules) expected = std::regex_replace(expected, pattern, put);
    QVERIFY2(bleuWords(line, BleuTokenizer::k13a, false) == wordsOf(expected), line.c_str());
  }
}

void TestBleu::refusesWhatItCannotScore() {
  const std::vector<std::string> two{"a", "b"}, none{"", ""};
  QVERIFY_EXCEPTION_THROWN(corpusBleu(two, {{"a"}}), Error);
  QVERIFY_EXCEPTION_THROWN(corpusBleu(two, {{"a", "b"}, {"a"}}), Error);
  QVERIFY_EXCEPTION_THROWN(corpusBleu(two, {}), Error);
  QVERIFY_EXCEPTION_THROWN(corpusBleu(two, {{"a", "b"}}, {.order = kMaxBleuOrder + 1}), Error);
  QVERIFY_EXCEPTION_THROWN(corpusMultiBleu(none, {{"a", "b"}}), Error);
  QVERIFY_EXCEPTION_THROWN(bleuTokenizerNamed("14a"), Error);
}

void TestBleu::equalsSacrebleuCorpusScores() {
  int compared = 0;
  const auto compare = [&](const Json& figures, const std::vector<std::string>& hypotheses,
                           const std::vector<std::vector<std::string>>& references,
                           const std::string& where) {
    for (const auto& [variant, expected] : figures["bleu"].items()) {
      const std::string place = where + " " + variant;
      const auto options = bleuNamed(variant);
      QVERIFY2(options, place.c_str());
      QVERIFY2(sameBleu(corpusBleu(hypotheses, references, *options), expected), place.c_str());
      QCOMPARE(bleuSignature(*options, references.size()), withOurVersion(expected["signature"]));
      ++compared;
    }
  };
  forEachScoredSystem(compare);
  qInfo("%d corpus scores equal sacreBLEU's", compared);
  QVERIFY(compared > 0);
}

void TestBleu::equalsSacrebleuSentenceScores() {
  const BleuSmoothing smoothings[] = {BleuSmoothing::kExponential, BleuSmoothing::kFloor,
                                      BleuSmoothing::kAddK, BleuSmoothing::kNone};
  int compared = 0;
  for (const fs::path& folder : metricFolders()) {
    const auto references = referencesOf(folder);
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("sentences.")) continue;
      const std::string system = name.substr(10, name.size() - 14);
      const auto hypotheses = systemOf(folder, system);
      const auto rows = linesOf(entry.path());
      for (std::size_t i = 0; i < hypotheses.size(); ++i) {
        const QStringList cells = QString::fromStdString(rows.at(i + 1)).split('\t');
        for (int s = 0; s < 4; ++s) {
          BleuOptions options{.smoothing = smoothings[s], .effectiveOrder = true};
          const BleuReferences prepared({{references[0][i]}, {references.back()[i]}}, options);
          const BleuScore score = bleu(prepared.compare(0, hypotheses[i]), options);
          const std::string where = name + " line " + std::to_string(i + 1);
          QVERIFY2(near(score.score, cells[s + 1].toDouble()), where.c_str());
          QCOMPARE(score.systemLength, cells[5].toLongLong());
          QCOMPARE(score.referenceLength, cells[6].toLongLong());
          ++compared;
        }
      }
    }
  }
  qInfo("%d sentence scores equal sacreBLEU's", compared);
  QVERIFY(compared > 0);
}

void TestBleu::equalsSacrebleuEdgeCases() {
  int compared = 0;
  for (const Json& entry : edgeCases()) {
    const auto hypotheses = entry["hypotheses"].get<std::vector<std::string>>();
    const auto references = entry["references"].get<std::vector<std::vector<std::string>>>();
    for (const auto& [variant, expected] : entry["bleu"].items()) {
      const std::string where = entry["name"].get<std::string>() + " " + variant;
      const auto options = bleuNamed(variant);
      QVERIFY2(options, where.c_str());
      QVERIFY2(sameBleu(corpusBleu(hypotheses, references, *options), expected), where.c_str());
      ++compared;
    }
    for (const auto& [variant, expected] : entry["multi_bleu"].items()) {
      const std::string where = entry["name"].get<std::string>() + " multi-bleu " + variant;
      const MultiBleuOptions options{.lowercase = variant == "lc"};
      if (expected.is_string()) {
        QCOMPARE(multiBleuLine(corpusMultiBleu(hypotheses, references, options)),
                 expected.get<std::string>());
      } else {
        QVERIFY_EXCEPTION_THROWN(corpusMultiBleu(hypotheses, references, options), Error);
      }
      ++compared;
    }
  }
  qInfo("%d edge cases equal the tools", compared);
  QVERIFY(compared > 0);
}

void TestBleu::equalsSacrebleuTokenizers() {
  int compared = 0;
  for (const fs::path& set : referenceFolders("tokenize")) {
    for (const auto& entry : fs::recursive_directory_iterator(set)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("sacrebleu.") || !name.ends_with(".txt")) continue;
      const BleuTokenizer tokenizer = bleuTokenizerNamed(name.substr(10, name.size() - 14));
      const auto raw = linesOf(entry.path().parent_path() / "raw.txt");
      const auto expected = linesOf(entry.path());
      QCOMPARE(raw.size(), expected.size());
      for (std::size_t i = 0; i < raw.size(); ++i) {
        const std::string where = entry.path().string() + " line " + std::to_string(i + 1);
        // The tool's words are split at white space after its tokenizer has run.
        QVERIFY2(bleuWords(raw[i], tokenizer, false) ==
                     bleuWords(expected[i], BleuTokenizer::kNone, false),
                 where.c_str());
        ++compared;
      }
    }
  }
  qInfo("%d lines tokenised as sacreBLEU does", compared);
  QVERIFY(compared > 0);
}

void TestBleu::equalsMultiBleu() {
  int compared = 0;
  for (const fs::path& folder : metricFolders()) {
    const auto references = referencesOf(folder / "tok");
    const Json lines = parseJson(readFile(folder / "multi-bleu.json"), "multi-bleu.json");
    for (const auto& [system, variants] : lines.items()) {
      const auto hypotheses = linesOf(folder / "tok" / ("sys." + system + ".txt"));
      for (const auto& [variant, line] : variants.items()) {
        const BleuScore score =
            corpusMultiBleu(hypotheses, references, {.lowercase = variant == "lc"});
        QCOMPARE(multiBleuLine(score), line.get<std::string>());
        ++compared;
      }
    }
  }
  qInfo("%d lines equal multi-bleu.perl's", compared);
  QVERIFY(compared > 0);
}

STRATA_GUILESS_TEST(TestBleu)
#include "test_bleu.moc"
