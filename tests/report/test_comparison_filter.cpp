// The sentences that a filter keeps, and their scores, which equal those of a comparison of only
// these sentences.
#include <QtTest>
#include <chrono>

#include "core/base/json.h"
#include "core/compare/comparison_filter.h"
#include "core/report/comparison_export.h"
#include "core/report/comparison_tables.h"
#include "fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Lines = std::vector<std::string>;
using Positions = std::vector<std::size_t>;

// Sentence 1 has a mark that is two units of UTF-16, sentence 3 an umlaut.
ComparisonInput fiveLines() {
  ComparisonInput input;
  input.testSet = "small.en";
  input.references = {{"the cat sat on the mat", "a b \U0001F600 d e", "one two", "p \u00dc r s"},
                      {"a cat sat there", "x", "one 2", "y"}};
  input.source = {"die Katze", "Quelle a", "eins zwei", "p"};
  input.systems = {{"near", {"the cat sat on a mat", "a b c d f", "one two", "p q r"}},
                   {"same", input.references[0]},
                   {"copy", {"the cat sat on a mat", "a b c d f", "one two", "p q r"}}};
  return input;
}

Positions found(const Comparison& comparison, const SentenceFilter& filter) {
  return filteredSentences(comparison, filter);
}

}  // namespace

class TestComparisonFilter : public QObject {
  Q_OBJECT

 private slots:
  void init() { small_ = compareSystems(fiveLines()); }

  void anOpenFilterKeepsAll() {
    QVERIFY(SentenceFilter{}.isOpen());
    QCOMPARE(found(small_, {}), (Positions{0, 1, 2, 3}));
    SentenceFilter filter;
    filter.difference.high = 0;
    QVERIFY(!filter.isOpen());
    QVERIFY(NumberRange{}.contains(-1e300));
    QVERIFY((NumberRange{2, 3}.contains(2) && NumberRange{2, 3}.contains(3)));
    QVERIFY((!NumberRange{2, 3}.contains(1.9) && !NumberRange{2, 3}.contains(3.1)));
  }

  void patternsAreSearchedWhereTold() {
    using Where = SentenceFilter::Where;
    QCOMPARE(found(small_, {.pattern = "katze"}), Positions{0});
    QCOMPARE(found(small_, {.pattern = "katze", .caseSensitive = true}), Positions{});
    QCOMPARE(found(small_, {.pattern = "^p$"}), Positions{3});
    QCOMPARE(found(small_, {.pattern = "^p$", .where = Where::kReferences}), Positions{});
    QCOMPARE(found(small_, {.pattern = "2$", .where = Where::kReferences}), Positions{2});
    QCOMPARE(found(small_, {.pattern = "f$", .where = Where::kSystems}), Positions{1});
    QCOMPARE(found(small_, {.pattern = "f$", .where = Where::kSource}), Positions{});
    QCOMPARE(found(small_, {.pattern = "\\ba\\b", .where = Where::kSystems}), (Positions{0, 1}));
    // Characters, not bytes or units: an umlaut without regard to case, a mark as one character.
    QCOMPARE(found(small_, {.pattern = "p \u00fc r"}), Positions{3});
    QCOMPARE(found(small_, {.pattern = "b . d e"}), Positions{1});
    QCOMPARE(found(small_, {.pattern = "\\p{So}"}), Positions{1});
  }

  void numbersBound() {
    SentenceFilter filter{.length = {4, 5}};
    QCOMPARE(found(small_, filter), (Positions{1, 3}));
    filter.pattern = "r s";
    QCOMPARE(found(small_, filter), Positions{3});
    // "same" is right everywhere; "near" in the third sentence alone.
    using Outcome = SentenceFilter::Outcome;
    const auto outcome = [&](Outcome which) {
      return found(small_, {.system = 1, .outcome = which});
    };
    QCOMPARE(outcome(Outcome::kBetter), (Positions{0, 1, 3}));
    QCOMPARE(outcome(Outcome::kDifferent), (Positions{0, 1, 3}));
    QCOMPARE(outcome(Outcome::kWorse), Positions{});
    QCOMPARE(outcome(Outcome::kEqual), Positions{2});
    QCOMPARE(found(small_, {.system = 2, .outcome = Outcome::kDifferent}), Positions{});
    QCOMPARE(found(small_, {.system = 0, .score = {99.9, {}}}), Positions{2});
    QCOMPARE(found(small_, {.system = 1, .difference = {{}, 0.001}}), Positions{2});
  }

  void lowerScoresAreBetterUnderTer() {
    ComparisonInput input = fiveLines();
    input.options.metrics = {"ter"};
    const Comparison ter = compareSystems(input);
    using Outcome = SentenceFilter::Outcome;
    QCOMPARE(found(ter, {.system = 1, .outcome = Outcome::kBetter}), (Positions{0, 1, 3}));
    QCOMPARE(found(ter, {.system = 1, .outcome = Outcome::kWorse}), Positions{});
    QVERIFY(ter.sentenceDifference(1, 0) < 0);
  }

  void unknownWordsNeedTheVocabulary() {
    SentenceFilter filter;
    filter.unknownWords = {0, 0};
    QHOLDS(usageErrorOf([&] { found(small_, filter); }), "needs the vocabulary");
    ComparisonInput input = fiveLines();
    input.vocabulary.emplace();
    for (const char* word : {"one", "two", "2", "x", "y"}) input.vocabulary->add(word, 1);
    // 6, 5, 0 and 4 words of the references that have most.
    QCOMPARE(found(compareSystems(input), filter), Positions{2});
    filter.unknownWords = {4, 5};
    QCOMPARE(found(compareSystems(input), filter), (Positions{1, 3}));
  }

  void wrongFiltersAreRefused() {
    QHOLDS(usageErrorOf([&] { found(small_, {.pattern = "ab(c"}); }), "'ab(c' is not a regular");
    QHOLDS(usageErrorOf([&] { found(small_, {.pattern = "ab(c"}); }), "at character 4 of line 1");
    QHOLDS(usageErrorOf([&] { found(small_, {.pattern = "a**"}); }), "at character 3 of line 1");
    QHOLDS(usageErrorOf([&] { found(small_, {.pattern = "[a"}); }), "is not a regular");
    QHOLDS(usageErrorOf([&] { found(small_, {.system = 3}); }),
           "for system 4, but there are only 3");
    ComparisonInput input = fiveLines();
    input.source.clear();
    const Comparison unsourced = compareSystems(input);
    QHOLDS(usageErrorOf([&] {
             found(unsourced, {.pattern = "a", .where = SentenceFilter::Where::kSource});
           }),
           "needs the source");
    QCOMPARE(found(unsourced, {.pattern = "katze"}), Positions{});
  }

  void aPatternThatBacktracksWithoutEndIsAnError() {
    ComparisonInput input = fiveLines();
    input.systems[0].lines[1] = std::string(60, 'a') + "b";
    const Comparison comparison = compareSystems(input);
    const auto start = std::chrono::steady_clock::now();
    const std::string message = errorOf([&] {
      found(comparison, {.pattern = "(a+)+$", .where = SentenceFilter::Where::kSystems});
    });
    QHOLDS(message, "'(a+)+$' takes too long on the line 'aaa");
    QVERIFY(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
  }

  // The same figures as of files that hold these sentences only.
  void scoresAreThoseOfTheSentencesAlone() {
    for (const auto test : {SignificanceTest::kBootstrap, SignificanceTest::kRandomization}) {
      ComparisonInput input = fiveLines();
      input.options.metrics = {"bleu", "ter"};
      input.options.test = test;
      const Comparison all = compareSystems(input);
      const Positions kept{0, 1, 3};
      for (auto& lines : input.references) lines = {lines[0], lines[1], lines[3]};
      for (auto& system : input.systems)
        system.lines = {system.lines[0], system.lines[1], system.lines[3]};
      input.source.clear();
      const Comparison alone = compareSystems(input);
      for (std::size_t m = 0; m < 2; ++m) {
        const FilteredScores scores = scoreSentences(all, m, kept);
        QCOMPARE(scores.share, 0.75);
        QCOMPARE(scores.sentences, kept);
        for (std::size_t s = 0; s < 3; ++s) {
          const SystemScore& ours = scores.systems[s];
          const SystemScore& theirs = alone.metrics[m].systems[s];
          QCOMPARE(ours.score, theirs.score);
          QCOMPARE(ours.difference, theirs.difference);
          QCOMPARE(ours.interval->halfWidth, theirs.interval->halfWidth);
          QCOMPARE(ours.test.has_value(), s > 0);
          if (s == 0) continue;
          QCOMPARE(ours.test->low, theirs.test->low);
          QCOMPARE(ours.test->pValue, theirs.test->pValue);
          QCOMPARE(ours.test->pHolm, theirs.test->pHolm);
        }
        QCOMPARE(scores.systems[2].test->pValue, 1.0);  // lines of the baseline
      }
    }
  }

  void fewSentencesHaveNoIntervals() {
    const FilteredScores one = scoreSentences(small_, 0, {0});
    QCOMPARE(one.share, 0.25);
    QVERIFY(!one.systems[0].interval && !one.systems[1].test);
    QVERIFY(one.systems[0].score > 0);
    const FilteredScores none = scoreSentences(small_, 0, {});
    QCOMPARE(none.share, 0.0);
    QCOMPARE(none.systems.size(), std::size_t{3});
    QCOMPARE(none.systems[1].score, 0.0);
    QVERIFY(!none.systems[0].interval && !none.systems[1].test);
  }

  void filteredScoresStandBesideAll() {
    const FilteredScores two = scoreSentences(small_, 0, {0, 2});
    const Table table = filteredTable(small_, 0, two);
    QCOMPARE(table.caption, std::string("BLEU of 2 of 4 sentences (50.0 %)"));
    QCOMPARE(table.columns[1].title, std::string("all sentences"));
    QCOMPARE(table.columns.size(), table.rows[1].size());
    QCOMPARE(table.rows[0][1].text(), fmt::format("{:.2f}", small_.first().systems[0].score));
    QCOMPARE(table.rows[1][2].text(), fmt::format("{:.2f}", two.systems[1].score));
    const std::vector metrics{two};
    const Json json = filteredJson(small_, metrics);
    QCOMPARE(json["sentences"], Json(2));
    QCOMPARE(json["scores"]["BLEU"][1]["system"], Json("same"));
    QVERIFY(json["scores"]["BLEU"][1]["p_value"].is_number());
    QVERIFY(!json["scores"]["BLEU"][0].contains("p_value"));
    const std::vector none{scoreSentences(small_, 0, {})};
    QVERIFY(filteredJson(small_, none)["scores"]["BLEU"][0]["score"].is_null());
    QCOMPARE(filteredTable(small_, 0, none[0]).rows[0][2].text(), std::string("\u2013"));
  }

 private:
  Comparison small_;
};

STRATA_GUILESS_TEST(TestComparisonFilter)
#include "test_comparison_filter.moc"
