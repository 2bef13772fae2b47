// The script of a comparison's page, run by node, against the core: what a filter leaves, every
// figure of that, and the marks in the translations.
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/compare/comparison_filter.h"
#include "core/metrics/word_diff.h"
#include "core/report/comparison_page.h"
#include "core/text/casing.h"
#include "core/text/words.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t kSentences = 260;  // three pages of the table
constexpr std::size_t kBleu = 1;         // of the metrics; single sentences have the first one

// Marks that the tokenizer splits, entities that it rewrites, an umlaut, a letter of four bytes, a
// tab.
const Lines kWords{"the", "The",   "cat",       "sat",       "on",         "mat",  "a",
                   "not", "House", "it's",      "3.5",       "42",         "end.", "x<y",
                   ",",   "&amp;", "\u00dcber", "\u00fcber", "\U0001F600", "a\tb"};

std::string randomLine(RandomStream& random) {
  std::string line;
  for (auto words = random.below(24); words-- > 0;)
    line += (line.empty()            ? ""
             : random.below(20) == 0 ? "  "
                                     : " ") +
            kWords[random.below(kWords.size())];
  return line;
}

// The line with some words replaced, left out or doubled.
std::string changedLine(const std::string& line, RandomStream& random) {
  std::string changed;
  for (const std::string& word : wordsOf(line)) {
    const auto choice = random.below(12);
    if (choice == 0) continue;
    for (std::size_t copies = choice == 1 ? 2 : 1; copies-- > 0;)
      changed +=
          (changed.empty() ? "" : " ") + (choice == 2 ? kWords[random.below(kWords.size())] : word);
  }
  return changed;
}

ComparisonInput randomInput() {
  RandomStream random(5, 5);
  ComparisonInput input;
  input.testSet = "random";
  input.references.resize(2);
  input.systems = {{"one", {}}, {"two", {}}, {"three", {}}};
  for (std::size_t i = 0; i < kSentences; ++i) {
    input.source.push_back(randomLine(random));
    input.references[0].push_back(randomLine(random));
    input.references[1].push_back(changedLine(input.references[0][i], random));
    for (ComparedSystem& system : input.systems)
      system.lines.push_back(changedLine(input.references[0][i], random));
  }
  input.vocabulary.emplace();
  for (const char* word : {"the", "cat", "sat", "on", "mat", "a", "not", "House"})
    input.vocabulary->add(word, 1);
  input.options.baseline = "two";
  input.options.metrics = {"chrf", "bleu"};
  input.options.bootstrap.samples = 40;
  return input;
}

// Twenty filters; some leave everything, some nothing. Bounds of scores are scores that occur.
std::vector<SentenceFilter> filtersOf(const Comparison& comparison) {
  using Where = SentenceFilter::Where;
  const auto score = [&](std::size_t system, std::size_t i) {
    return comparison.sentenceScores[system][i];
  };
  return {{},
          {.length = {3, 8}},
          {.length = {9, {}}},
          {.length = {{}, 2}},
          {.length = {500, {}}},
          {.pattern = "\\bthe\\b"},
          {.pattern = "The", .caseSensitive = true},
          {.pattern = "the", .where = Where::kSource},
          {.pattern = "cat (sat|on)", .where = Where::kReferences},
          {.pattern = "&amp;", .where = Where::kSystems},
          {.pattern = "\u00fcber .", .where = Where::kReferences},
          {.pattern = "^a.b|end\\.$", .where = Where::kReferences, .caseSensitive = true},
          {.score = {score(0, 3), score(0, 50)}},
          {.system = 1, .score = {{}, score(1, 17)}},
          {.system = 2, .score = {60, {}}},
          {.system = 0, .difference = {0, {}}},
          {.system = 2, .difference = {comparison.sentenceDifference(2, 9), 0}},
          {.unknownWords = {{}, 2}},
          {.pattern = "mat", .length = {4, 20}, .unknownWords = {{}, 6}},
          {.pattern = "not",
           .where = Where::kSystems,
           .length = {5, {}},
           .system = 2,
           .difference = {-10, 10}}};
}

// What a reader enters to have that filter. Both a score and a difference cannot be asked for.
Json entered(const SentenceFilter& filter) {
  const auto bound = [](const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
  };
  constexpr std::array<const char*, 4> kWhere{"any", "source", "references", "texts"};
  const bool difference = !filter.difference.isOpen();
  const NumberRange& range = difference ? filter.difference : filter.score;
  return {{"pattern", filter.pattern},
          {"case", filter.caseSensitive},
          {"where", kWhere[static_cast<std::size_t>(filter.where)]},
          {"shortest", bound(filter.length.low)},
          {"longest", bound(filter.length.high)},
          {"unknown", bound(filter.unknownWords.high)},
          {"lowest", bound(range.low)},
          {"highest", bound(range.high)},
          {"column", {{"kind", difference ? "difference" : "score"}, {"system", filter.system}}}};
}

bool same(double expected, const Json& actual) {
  return std::abs(expected - actual.get<double>()) <= 1e-9 * std::max(1.0, std::abs(expected));
}

// A figure in a cell of the page, which has so many digits after the point.
bool isShown(double expected, const Json& text, int digits = 2) {
  const QString cell = QString::fromStdString(text.get<std::string>());
  bool number = false;
  const double value = cell.toDouble(&number);
  return number && cell.section('.', 1).size() == digits &&
         std::abs(expected - value) <= 0.5000001 * std::pow(10, -digits);
}

std::string without(std::string text, char character) {
  std::erase(text, character);
  return text;
}

}  // namespace

class TestComparisonScript : public QObject {
  Q_OBJECT

 private slots:
  void figures_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"exp", "floor", "add-k", "none", "effective order", "two orders",
                             "characters", "lower case", "multi-bleu"})
      QTest::newRow(name) << QString(name);
  }

  void figures() {
    QFETCH(const QString, name);
    ComparisonInput input = randomInput();
    BleuOptions& bleu = input.options.of.bleu;
    if (name == "multi-bleu") {
      input.options.metrics[kBleu] = "multi-bleu";
    } else if (name == "effective order") {
      bleu.effectiveOrder = true;
      bleu.order = 10;
    } else if (name == "two orders") {
      bleu.order = 2;
    } else if (name == "characters") {
      bleu.tokenizer = BleuTokenizer::kCharacter;
    } else if (name == "lower case") {
      bleu.lowercase = true;
    } else {
      bleu.smoothing = bleuSmoothingNamed(name.toStdString());
    }
    const Comparison comparison = compareSystems(input);
    const auto filters = filtersOf(comparison);
    QCOMPARE(filters.size(), std::size_t{20});
    const Json read = runScript(comparison, filters);
    std::set<std::size_t> sizes;
    for (std::size_t f = 0; f < filters.size(); ++f) {
      const FilteredScores expected =
          scoreSentences(comparison, kBleu, filteredSentences(comparison, filters[f]));
      sizes.insert(expected.sentences.size());
      checkComputed(comparison, expected, read["filters"][f]["computed"]);
      if (!QTest::currentTestFailed())
        checkShown(comparison, expected, read["filters"][f]["shown"]);
      if (QTest::currentTestFailed()) return qWarning("with filter %zu", f);
    }
    QVERIFY(sizes.size() > 12 && sizes.contains(0) && sizes.contains(kSentences));
    checkMarks(comparison, read);
  }

 private:
  static Json runScript(const Comparison& comparison, const std::vector<SentenceFilter>& filters) {
    const QTemporaryDir folder;
    const fs::path at = folder.path().toStdString();
    Json all = Json::array();
    for (const SentenceFilter& filter : filters) all.push_back(entered(filter));
    put(at / "page.html", comparisonPage(comparison));
    put(at / "filters.json", all.dump());
    QProcess node;
    node.start("node", {STRATA_SOURCE_DIR "/tests/report/comparison_script.js",
                        folder.filePath("page.html"), folder.filePath("filters.json")});
    if (!node.waitForFinished(60000) || node.exitCode() != 0)
      throw Error("node: {}", node.readAllStandardError().toStdString());
    return parseJson(node.readAllStandardOutput().toStdString(), "what node wrote");
  }

  static void checkComputed(const Comparison& comparison, const FilteredScores& expected,
                            const Json& computed) {
    QCOMPARE(computed["sentences"], Json(expected.sentences));
    QVERIFY(same(expected.share, computed["share"]));
    const auto lengths = sentenceLengths(comparison.references.front());
    for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
      QVERIFY(same(expected.systems[s].score, computed["scores"][s]));
      QVERIFY(same(expected.systems[s].difference, computed["differences"][s]));
      for (std::size_t row = 0; row < expected.sentences.size(); ++row) {
        const std::size_t i = expected.sentences[row];
        QVERIFY(same(lengths[i], computed["lengths"][row]));
        QVERIFY(same(comparison.sentenceScores[s][i], computed["sentenceScores"][row][s]));
        QVERIFY(same(comparison.sentenceDifference(s, i), computed["sentenceDifferences"][row][s]));
      }
    }
    auto best = expected.sentences;
    std::ranges::stable_sort(best, std::greater(),
                             [&](std::size_t i) { return comparison.sentenceScores[0][i]; });
    QCOMPARE(computed["best"], Json(best));
  }

  static void checkShown(const Comparison& comparison, const FilteredScores& expected,
                         const Json& shown) {
    const std::size_t count = expected.sentences.size(), systems = comparison.systems.size();
    QCOMPARE(shown["wrong"], Json(""));
    const std::string remain = shown["remain"];
    const std::string counted = fmt::format("{} of {} sentences (", count, kSentences);
    QVERIFY(remain.starts_with(counted) && remain.ends_with(" %)"));
    QVERIFY(isShown(100 * expected.share,
                    Json(remain.substr(counted.size(), remain.size() - counted.size() - 3)), 1));
    QCOMPARE(shown["scores"].size(), systems);
    for (std::size_t s = 0; s < systems; ++s) {
      const Json& row = shown["scores"][s];
      QCOMPARE(row[0], Json(comparison.systems[s].name));
      QVERIFY(count == 0 ? row[1] == "\u2013" : isShown(expected.systems[s].score, row[1]));
      QVERIFY(count == 0 || s == comparison.baseline
                  ? row[2] == ""
                  : isShown(expected.systems[s].difference, row[2]));
    }
    const auto lengths = sentenceLengths(comparison.references.front());
    QCOMPARE(shown["rows"].size(), count);
    for (std::size_t r = 0; r < count; ++r) {
      const Json& row = shown["rows"][r];
      const std::size_t i = expected.sentences[r];
      QCOMPARE(row[0], Json(std::to_string(comparison.sentences[i] + 1)));
      QVERIFY(isShown(lengths[i], row[1], 0));
      QCOMPARE(row[2], Json(comparison.references.front()[i]));
      std::size_t column = 3;
      for (std::size_t s = 0; s < systems; ++s)
        QVERIFY(isShown(comparison.sentenceScores[s][i], row[column++]));
      for (std::size_t s = 0; s < systems; ++s) {
        if (s != comparison.baseline)
          QVERIFY(isShown(comparison.sentenceDifference(s, i), row[column++]));
      }
      QCOMPARE(row.size(), column);
    }
  }

  // Words that stay and come are those of the translation, those that go the core's; each with the
  // order that the core confirms.
  static void checkMarks(const Comparison& comparison, const Json& read) {
    const auto key = [&](const std::string& line) {
      return comparison.lowercase ? lowercased(line) : line;
    };
    for (const char* against : {"baseline", "reference"}) {
      const bool ofBaseline = std::string_view(against) == "baseline";
      const Lines& bases = ofBaseline ? comparison.tokenizedSystems[comparison.baseline]
                                      : comparison.tokenizedReferences.front();
      QCOMPARE(read[against].size(), std::size_t{40});
      for (std::size_t i = 0; i < read[against].size(); ++i) {
        for (std::size_t s = 0; s < comparison.systems.size(); ++s) {
          const std::string& line = comparison.tokenizedSystems[s][i];
          const Lines references{comparison.tokenizedReferences[0][i],
                                 comparison.tokenizedReferences[1][i]};
          const auto orders =
              confirmedTokens(line, references, {.lowercase = comparison.lowercase});
          std::string kept, keptOrders, gone, expectedKept, expectedOrders, expectedGone;
          const Lines words = wordsOf(line), left = wordsOf(bases[i]);
          for (std::size_t w = 0; w < words.size(); ++w) {
            expectedKept += words[w];
            expectedOrders.append(words[w].size(), static_cast<char>('0' + orders[w]));
          }
          for (const DiffRun& run : wordDiff(key(bases[i]), key(line))) {
            for (std::size_t w = run.leftBegin; w < run.leftEnd; ++w)
              expectedGone += run.kind == DiffKind::kLeft ? left[w] : "";
          }
          for (const Json& part : read[against][i][s]) {
            const std::string text = without(part[2], ' ');
            if (part[0] == "del") {
              gone += text;
            } else {
              kept += text;
              keptOrders.append(text.size(), part[1].get<std::string>().back());
            }
          }
          QCOMPARE(kept, expectedKept);
          QCOMPARE(keptOrders, expectedOrders);
          QCOMPARE(gone, expectedGone);
        }
      }
    }
  }
};

static int runWithNode(int argc, char** argv) {
  if (QStandardPaths::findExecutable("node").isEmpty()) {
    std::puts("node is not here (Debian 12: apt install nodejs): the page's script was not run");
    return qEnvironmentVariableIsEmpty("CI") ? 77 : 1;
  }
  QCoreApplication application(argc, argv);
  TestComparisonScript test;
  return QTest::qExec(&test, argc, argv) == 0 ? 0 : 1;
}

STRATA_TEST_RUN(runWithNode)
#include "test_comparison_script.moc"
