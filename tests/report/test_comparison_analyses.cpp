// Runs of one system, likelihoods, n-best lists and systems' own scores, against facts that a
// person can check and loops that are written another way.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/base/json.h"
#include "core/report/comparison_export.h"
#include "core/report/comparison_page.h"
#include "core/report/comparison_tables.h"
#include "fixture.h"
#include "metrics/drawn_sentences.h"
#include "tests/near.h"
#include "tests/program.h"

using namespace strata;
using strata::testing::near;

namespace {

using Lines = std::vector<std::string>;

const Lines kRight{"the cat sat on the mat", "a b c d e", "one two six ten", "p q r s"};
const Lines kNear{"the cat sat on a mat", "a b c d f", "one two six ten", "p q r"};
const Lines kFar{"the dog sat on a mat", "a b c d f", "one two six", "p q r"};

// Three runs of "base" and three of "ours", the second of which is right everywhere.
ComparisonInput runsInput() {
  ComparisonInput input;
  input.testSet = "small.en";
  input.references = {kRight};
  input.systems = {{"base#1", kNear, "base"},  {"ours#1", kNear, "ours"}, {"base#2", kFar, "base"},
                   {"ours#2", kRight, "ours"}, {"base#3", kNear, "base"}, {"ours#3", kNear, "ours"},
                   {"alone", kRight}};
  return input;
}

// Baseline and another system.
ComparisonInput pairInput() {
  ComparisonInput input;
  input.testSet = "small.en";
  input.references = {kRight};
  input.systems = {{"near", kNear}, {"far", kFar}};
  return input;
}

double bleuOf(const Lines& lines) {
  return corpusBleu(lines, {kRight}).score;
}

}  // namespace

class TestComparisonAnalyses : public QObject {
  Q_OBJECT

 private slots:
  void runsHaveMeansAndDeviations() {
    ComparisonInput input = runsInput();
    input.options.metrics = {"bleu", "ter"};
    const Comparison found = compareSystems(input);
    QCOMPARE(found.groups.size(), std::size_t{3});
    const SystemGroup& base = found.groups[0];
    QCOMPARE(base.name, std::string("base"));
    QCOMPARE(base.systems, (std::vector<std::size_t>{0, 2, 4}));
    const double a = bleuOf(kNear), b = bleuOf(kFar);
    QVERIFY(near(base.scores[0].mean, (2 * a + b) / 3));
    // Of x, x and y: |x - y| / sqrt(3).
    QVERIFY(near(*base.scores[0].deviation, std::abs(a - b) / std::sqrt(3)));
    QCOMPARE(found.groups[2].name, std::string("alone"));
    QVERIFY(near(found.groups[2].scores[0].mean, 100));
    QVERIFY(!found.groups[2].scores[0].deviation);
    QVERIFY(!base.scores[0].test);
    QVERIFY(near(found.groups[1].scores[1].test->difference,
                 found.groups[1].scores[1].mean - base.scores[1].mean));
  }

  void groupsAreTestedOverRunsAndSentences() {
    const Comparison found = compareSystems(runsInput());
    const MetricComparison& bleu = found.first();
    const Resamples resamples(4, found.options.bootstrap);
    std::vector<ResampledScores> scores;
    for (const MetricRows& rows : bleu.rows)
      scores.push_back(resampleScores(*bleu.metric, rows, resamples));
    const std::vector base{scores[0], scores[2], scores[4]}, ours{scores[1], scores[3], scores[5]};
    const RunsComparison expected = compareRuns(base, ours);
    const GroupScore& tested = found.groups[1].scores[0];
    QCOMPARE(tested.test->pValue, expected.pValue);
    QCOMPARE(tested.test->low, expected.low);
    const std::vector alone{scores[6]};
    const std::vector pValues{expected.pValue, compareRuns(base, alone).pValue};
    QCOMPARE(tested.pHolm, holmCorrected(pValues)[0]);
    QCOMPARE(found.groups[2].scores[0].direction, Direction::kTooFewRuns);
  }

  // A lower error rate is the better one, whatever the sign of the difference.
  void directionsSayWhatIsBetter() {
    ComparisonInput input;
    input.testSet = "t";
    input.references.resize(1);
    Lines bad;
    for (int i = 0; i < 40; ++i) {
      input.references[0].push_back("a b c d e" + std::to_string(i));
      bad.push_back(i % 2 == 0 ? "a b x y z" : "a b c y z");
    }
    for (const char* run : {"1", "2", "3"}) {
      input.systems.push_back({std::string("bad") + run, bad, "bad"});
      input.systems.push_back({std::string("good") + run, input.references[0], "good"});
    }
    input.options.metrics = {"bleu", "ter"};
    Comparison found = compareSystems(input);
    for (const GroupScore& score : found.groups[1].scores)
      QCOMPARE(score.direction, Direction::kConfirmed);
    QVERIFY(found.groups[1].scores[1].test->difference < 0);
    QHOLDS(textTable(groupTable(found, 1)), "better \u25b2");
    input.options.baseline = "good";
    found = compareSystems(input);
    QCOMPARE(found.baseline, std::size_t{1});
    for (const GroupScore& score : found.groups[0].scores)
      QCOMPARE(score.direction, Direction::kOpposite);
    QHOLDS(textTable(groupTable(found, 1)), "worse \u25bc");
    QHOLDS(latexOf(found), "bad (3 runs)");
  }

  void equalGroupsAreNotToldApart() {
    ComparisonInput input = runsInput();
    for (ComparedSystem& system : input.systems) system.lines = kNear;
    for (const SystemGroup& group : compareSystems(input).groups) {
      if (group.name == "base") continue;
      QCOMPARE(group.scores[0].test->pValue, 1.0);
      QVERIFY(group.scores[0].direction != Direction::kConfirmed);
    }
  }

  void withoutRunsThereAreNoGroups() {
    ComparisonInput input = pairInput();
    QVERIFY(compareSystems(input).groups.empty());
    input.systems[0].group = "a";
    input.systems[1].group = "b";
    const Comparison found = compareSystems(input);
    QVERIFY(found.groups.empty() && analysisTables(found).empty());
    QVERIFY(!toJson(found).contains("groups"));
    QVERIFY(latexOf(found).find("run") == std::string::npos);
    QVERIFY(comparisonPage(found).find("id=\"analyses\"") == std::string::npos);
    input.systems[1].group = "near";
    QHOLDS(usageErrorOf([&] { compareSystems(input); }), "both called 'near'");
  }

  void oneSentenceHasNoTestOfRuns() {
    ComparisonInput input = runsInput();
    input.references = {{kRight[0]}};
    for (ComparedSystem& system : input.systems) system.lines.resize(1);
    const Comparison found = compareSystems(input);
    QVERIFY(!found.groups[1].scores[0].test && found.groups[1].scores[0].deviation);
    QCOMPARE(groupTable(found, 0).columns.size(), std::size_t{4});
    QVERIFY(!toJson(found)["groups"][1]["scores"]["BLEU"].contains("p_value"));
  }

  void likelihoodsAreComparedByToken() {
    ComparisonInput input = pairInput();
    input.systems[0].likelihoods = {-6, -10, -4, -5};
    input.systems[0].likelihoodTokens = {7, 6, 5, 5};
    input.systems[1].likelihoods = {-9, -8, -5, -5};
    input.systems[1].likelihoodTokens = {7, 6, 5, 5};
    const Comparison found = compareSystems(input);
    QCOMPARE(found.likelihoods.size(), std::size_t{2});
    QVERIFY(!found.likelihoodsAWord);
    const SystemLikelihood& far = found.likelihoods[1];
    QCOMPARE(far.tokens, 23.0);
    QVERIFY(near(found.likelihoods[0].nats.score, 25 / 23.0));
    QVERIFY(near(far.nats.score, 27 / 23.0));
    QVERIFY(near(far.perplexity, std::exp(27 / 23.0)));
    QVERIFY(near(far.nats.difference, 2 / 23.0));
    QCOMPARE(far.likelier, 0.25);  // the second sentence; the last one is as likely
    // The differences of every resample, sorted: the 26th from either end of 1,000.
    const auto drawn = drawnSentences(4, found.options.bootstrap);
    std::vector<double> differences;
    for (std::size_t sample = 0; sample < 1000; ++sample) {
      double ours = 0, theirs = 0, tokens = 0;
      for (std::size_t i = 4 * sample; i < 4 * sample + 4; ++i) {
        ours += input.systems[1].likelihoods[drawn[i]];
        theirs += input.systems[0].likelihoods[drawn[i]];
        tokens += input.systems[0].likelihoodTokens[drawn[i]];
      }
      differences.push_back((theirs - ours) / tokens);
    }
    std::sort(differences.begin(), differences.end());
    QVERIFY(near(far.nats.test->low, differences[25]));
    QVERIFY(near(far.nats.test->high, differences[974]));
    // -3, 2, -1 and 0 against the differences of sentence scores, which are 0 but for "dog" and
    // "ten": ranks 0, 3, 1, 2 and, where the first loses more, 0, 2.5, 1, 2.5 or 1, 2.5, 0, 2.5.
    const double first = found.sentenceDifference(1, 0), third = found.sentenceDifference(1, 2);
    QVERIFY(first < 0 && third < 0 && first != third);
    const double products =
        first < third ? 0 * 0 + 3 * 2.5 + 1 * 1 + 2 * 2.5 : 0 * 1 + 3 * 2.5 + 1 * 0 + 2 * 2.5;
    // Means are 1.5; sums of squares 5 and 4.5.
    QVERIFY(near(*far.agreement.spearman, (products - 9) / std::sqrt(5 * 4.5)));
    QVERIFY(far.agreement.pearson.has_value());
    QHOLDS(textTable(likelihoodTable(found)), "25.0 %");
    QHOLDS(textTable(likelihoodTable(found)), "+0.0870");
    const Json json = toJson(found)["likelihoods"];
    QCOMPARE(json["unit"], Json("token"));
    QVERIFY(near(json["systems"][1]["nats"], 27 / 23.0));
  }

  void likelihoodsWithoutTokensAreByWord() {
    ComparisonInput input = pairInput();
    input.systems[0].likelihoods = input.systems[1].likelihoods = {-6, -10, -4, -5};
    input.systems[1].likelihoodTokens = {7, 6, 5, 5};
    const Comparison found = compareSystems(input);
    QVERIFY(found.likelihoodsAWord);
    // 6, 5, 4 and 4 words, and four ends.
    QVERIFY(near(found.likelihoods[0].nats.score, 25 / 23.0));
    QCOMPARE(found.likelihoods[1].nats.test->pValue, 1.0);
    QVERIFY(!found.likelihoods[1].agreement.pearson);
    QCOMPARE(likelihoodTable(found).columns[2].title, std::string("nats / word"));
  }

  void wrongLikelihoodsAreRefused() {
    ComparisonInput input = pairInput();
    input.systems[1].likelihoods = {-1, -2, -3, -4};
    QHOLDS(usageErrorOf([&] { compareSystems(input); }), "none under the baseline near");
    input.systems[0].likelihoods = {-1, -2, -3};
    QHOLDS(errorOf([&] { compareSystems(input); }), "the list of likelihoods of near has 3 lines");
    input.systems[0].likelihoods = {-1, -2, std::nan(""), -4};
    QHOLDS(errorOf([&] { compareSystems(input); }), "sentence 3 of near");
    input.systems[0].likelihoods = {-1, -2, -3, -4};
    input.systems[0].likelihoodTokens = {1, 0, 1, 1};
    input.systems[1].likelihoodTokens = {1, 1, 1, 1};
    QHOLDS(errorOf([&] { compareSystems(input); }), "sentence 2 of near");
  }

  void bestCandidatesMakeTheOracle() {
    ComparisonInput input = pairInput();
    // The right translation is second, absent, first and third.
    input.systems[0].nbest = {{kNear[0], kRight[0]},
                              {kNear[1]},
                              {kRight[2], "one two six"},
                              {kNear[3], "p q", kRight[3]}};
    const Comparison found = compareSystems(input);
    QCOMPARE(found.nbest.size(), std::size_t{1});
    const NBestLists& lists = found.nbest[0];
    QCOMPARE(lists.candidates, 2.0);
    QCOMPARE(lists.firstIsBest, 0.5);
    QVERIFY(near(lists.scores[0].first, found.first().systems[0].score));
    QVERIFY(near(lists.scores[0].oracle, bleuOf({kRight[0], kNear[1], kRight[2], kRight[3]})));
    QHOLDS(textTable(nbestTable(found)), "50.0 %");
    QCOMPARE(toJson(found)["nbest"][0]["mean_candidates"], Json(2.0));
    input.systems[0].nbest[1].clear();
    QHOLDS(errorOf([&] { compareSystems(input); }), "n-best list of sentence 2 of near is empty");
  }

  void ownScoresAreCorrelated() {
    ComparisonInput input = pairInput();
    const Comparison without = compareSystems(input);
    QCOMPARE(without.buckets.size(), std::size_t{3});
    // As sure as it is right, but for a sentence without a score.
    input.systems[0].confidence = without.sentenceScores[0];
    input.systems[1].confidence = {-1, -2, std::nan(""), -3};
    input.options.scoreBuckets = 2;
    const Comparison found = compareSystems(input);
    QCOMPARE(found.confidence.size(), std::size_t{2});
    QVERIFY(near(*found.confidence[0].asIs.pearson, 1));
    QVERIFY(near(*found.confidence[0].asIs.spearman, 1));
    QCOMPARE(found.confidence[0].sentences, std::size_t{4});
    const SystemConfidence& far = found.confidence[1];
    QCOMPARE(far.sentences, std::size_t{3});
    const auto& scores = found.sentenceScores[1];
    const std::vector<double> own{-1, -2, -3}, perWord{-1 / 6.0, -2 / 5.0, -3 / 3.0};
    const std::vector<double> kept{scores[0], scores[1], scores[3]};
    QCOMPARE(far.asIs.pearson, pearson(own, kept));
    QCOMPARE(far.perWord.pearson, pearson(perWord, kept));
    QVERIFY(far.perWord.pearson != far.asIs.pearson);
    // Two buckets of two sentences each, and the baseline's sentences sorted by their score.
    QCOMPARE(found.buckets.size(), std::size_t{5});
    QHOLDS(found.buckets[3].title, "Score that near gives");
    QCOMPARE(found.buckets[3].scores[0].size(), std::size_t{2});
    QCOMPARE(found.buckets[3].scores[0][1].count, std::size_t{2});
    std::size_t scored = 0;
    for (const BucketScore& bucket : found.buckets[4].scores[0]) scored += bucket.count;
    QCOMPARE(scored, std::size_t{3});
    QVERIFY(toJson(found)["confidence"][0]["pearson"].get<double>() > 0.99);
    // All as sure: no correlation is defined.
    input.systems[0].confidence = {-1, -1, -1, -1};
    const Comparison flat = compareSystems(input);
    QVERIFY(!flat.confidence[0].asIs.pearson);
    QHOLDS(textTable(confidenceTable(flat)), "\u2013");
    QVERIFY(toJson(flat)["confidence"][0]["pearson"].is_null());
  }

  void subsetsKeepWhatBelongsToTheirSentences() {
    ComparisonInput input = pairInput();
    input.vocabulary.emplace();
    for (const char* word : {"a", "b", "c", "d", "e", "p", "q", "r", "s"})
      input.vocabulary->add(word, 1);
    input.options.referencesInVocabulary = true;
    for (ComparedSystem& system : input.systems) {
      system.likelihoods = {-1, -2, -4, -8};
      system.likelihoodTokens = {1, 1, 1, 1};
      system.confidence = {-1, -2, -4, -8};
      system.nbest = {{"w"}, {"a b c d e", "x"}, {"y"}, {"p q r s", "z"}};
    }
    input.subwordReference = {"x@@ y", "a b c d e", "x", "p@@ p q r s"};
    const Comparison found = compareSystems(input);
    QCOMPARE(found.systems[1].confidence, (std::vector<double>{-2, -8}));
    QCOMPARE(found.likelihoods[0].nats.score, 5.0);
    QVERIFY(near(found.nbest[0].scores[0].first, 100));
    const BucketTable& split = found.buckets.back();
    QCOMPARE(split.title, std::string("Words of the reference split into subwords"));
    QCOMPARE(split.scores[0][0].count, std::size_t{1});
    QCOMPARE(split.scores[0][1].count, std::size_t{1});
    input.subwordReference.pop_back();
    QHOLDS(errorOf([&] { compareSystems(input); }), "the reference in subwords has 3 lines");
  }

  void lengthsMakeEqualCounts() {
    ComparisonInput input = pairInput();
    input.options.lengthBuckets = 2;
    const Comparison found = compareSystems(input);
    QCOMPARE(found.buckets[1].title, std::string("Words of the reference, equal counts"));
    QCOMPARE(found.buckets[1].labels, (Lines{"0-4", ">= 5"}));
    QCOMPARE(found.buckets[1].scores[0][0].count, std::size_t{2});
  }

  void keptRowsAreUsed() {
    ComparisonInput input = pairInput();
    int asked = 0;
    std::string digest;
    input.rowsOf = [&](const Metric& metric, std::span<const std::string> lines,
                       const std::string& references) {
      ++asked;
      digest = references;
      return compareAll(metric, lines);
    };
    input.options.metrics = {"bleu", "ter"};
    const Comparison found = compareSystems(input);
    QCOMPARE(asked, 4);
    QCOMPARE(digest, referencesDigest({kRight}));
    QVERIFY(near(found.first().systems[0].score, bleuOf(kNear)));
    input.rowsOf = [](const Metric& metric, auto lines, const auto&) {
      return compareAll(metric, lines).only(std::vector<std::size_t>{0});
    };
    QHOLDS(errorOf([&] { compareSystems(input); }), "the cached rows of near have 1 sentences");
  }

  void digestsTellTextsApart() {
    const std::vector<std::vector<Lines>> texts{{{"a", "b"}},   {{"ab", ""}},  {{"", "ab"}},
                                                {{"a"}, {"b"}}, {{"a", "b2"}}, {{"b", "a"}},
                                                {{"1:a1:b"}},   {{}},          {{}, {}}};
    std::set<std::string> digests;
    for (const auto& text : texts) digests.insert(referencesDigest(text));
    QCOMPARE(digests.size(), texts.size());
    QCOMPARE(referencesDigest({{"a", "b"}}), referencesDigest({{"a", "b"}}));
  }

  void analysesAreOnThePage() {
    ComparisonInput input = runsInput();
    input.systems[0].name = "<i>#1";
    input.systems[0].group = "<i>";
    for (ComparedSystem& system : input.systems) {
      system.likelihoods = {-1, -2, -3, -4};
      system.likelihoodTokens = std::vector<double>(4, system.lines == kFar ? 5 : 6);
      system.confidence = {-1, -2, -3, -4};
      system.nbest = {{"a"}, {"b"}, {"c"}, {"d"}};
    }
    const Comparison found = compareSystems(input);
    QCOMPARE(analysisTables(found).size(), std::size_t{4});
    QHOLDS(analysisTables(found)[1].note, "different numbers of tokens");
    const std::string page = comparisonPage(found);
    QHOLDS(page, "href=\"#analyses\"");
    for (const char* part :
         {"<h3>Runs", "<h3>Likelihood", "<h3>N-best", "<h3>Systems", "&lt;i&gt;"})
      QHOLDS(page, part);
    QVERIFY(page.find("<i>") == std::string::npos && page.find("nan") == std::string::npos);
    const Json json = toJson(found);
    for (const char* part : {"groups", "likelihoods", "nbest", "confidence"})
      QVERIFY2(json.contains(part), part);
  }
};

STRATA_GUILESS_TEST(TestComparisonAnalyses)
#include "test_comparison_analyses.moc"
