// The comparison of systems against facts that a person can check, its page and exports, and the
// figures that sacreBLEU prints for the shared fixtures.
#include <QtTest>
#include <numeric>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/compare/comparison.h"
#include "core/report/comparison_charts.h"
#include "core/report/comparison_export.h"
#include "core/report/comparison_page.h"
#include "core/report/comparison_page_parts.h"
#include "core/report/comparison_tables.h"
#include "tests/near.h"
#include "tests/program.h"
#include "tests/reference_rows.h"

using namespace strata;
using strata::testing::near;

namespace {

using Lines = std::vector<std::string>;

const Lines kReference{"the cat sat on the mat", "a b c d e", "one two", "p q r s"};

ComparisonInput smallInput() {
  ComparisonInput input;
  input.testSet = "small.en";
  input.references = {kReference};
  input.systems = {{"near", {"the cat sat on a mat", "a b c d f", "one two", "p q r"}},
                   {"same", kReference},
                   {"copy", {"the cat sat on a mat", "a b c d f", "one two", "p q r"}}};
  return input;
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

class TestComparison : public QObject {
  Q_OBJECT

 private slots:
  // The text of a system that was trained on lower-cased text, imported or not.
  void lowerCasedTextIsNoted() {
    ComparisonInput input = smallInput();
    input.options.metrics = {"bleu"};
    const auto last = [&] { return comparisonNotes(compareSystems(input)).back(); };
    QVERIFY(last().find("No capital letter") == std::string::npos);  // nor have the references
    input.references[0][1] = "A b c d e";
    input.systems[1].lines[1] = "A b c d e";
    QVERIFY(last().starts_with("No capital letter is in the text of near, copy, but the ref"));
    input.options.of.setLowercase(true);
    QVERIFY(last().find("No capital letter") == std::string::npos);
    input.options.of.setLowercase(false);
    input.options.metrics = {"ter"};  // ignores case
    QVERIFY(last().find("No capital letter") == std::string::npos);
  }

  void scoresDifferencesAndTests() {
    ComparisonInput input = smallInput();
    input.options.metrics = {"bleu", "ter"};
    const Comparison found = compareSystems(input);
    QCOMPARE(found.baseline, std::size_t{0});
    const auto& bleu = found.first().systems;
    // Of 16 words 14 are right, of 12 bigrams 9, of 8 trigrams 5, of 5 of order 4 two; 16 words
    // against 17.
    const double score =
        100 * std::exp(1 - 17 / 16.0) * std::pow(14.0 / 16 * 9 / 12 * 5 / 8 * 2 / 5, 0.25);
    QVERIFY(near(bleu[0].score, score));
    QVERIFY(near(bleu[1].score, 100));
    QVERIFY(near(bleu[1].difference, 100 - score));
    QVERIFY(!bleu[0].test && bleu[0].interval && bleu[1].test && bleu[2].test);
    // TER: three words are wrong or missing; lower is better.
    const auto& ter = found.metrics[1];
    QVERIFY(near(ter.systems[0].score, 100 * 3 / 17.0));
    QVERIFY(near(ter.systems[1].difference, -100 * 3 / 17.0));
    QVERIFY(ter.improves(ter.systems[1].difference));
    QVERIFY(!found.first().improves(-1));
    QCOMPARE(found.first().signature,
             std::string("nrefs:1|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|"
                         "version:strata-0.1.0"));
  }

  void identicalSystemsAreNotTold() {
    for (const auto test : {SignificanceTest::kBootstrap, SignificanceTest::kRandomization}) {
      ComparisonInput input = smallInput();
      input.options.test = test;
      const SystemScore copy = compareSystems(input).first().systems[2];
      QCOMPARE(copy.difference, 0.0);
      QCOMPARE(copy.test->pValue, 1.0);
      QCOMPARE(copy.test->pHolm, 1.0);
      QVERIFY(copy.test->low == 0 && copy.test->high == 0);
    }
  }

  void theBaselineIsNamed() {
    ComparisonInput input = smallInput();
    input.options.baseline = "same";
    const Comparison found = compareSystems(input);
    QCOMPARE(found.baseline, std::size_t{1});
    QVERIFY(found.first().systems[0].difference < 0);
    QVERIFY(!found.first().systems[1].test);
    QVERIFY(found.ngrams[1].against.first.empty());
    input.options.baseline = "none";
    const auto error = usageErrorOf([&] { compareSystems(input); });
    QHOLDS(error, "'none' is not a system; the systems are near, same, copy");
  }

  void wrongInputIsRefused() {
    ComparisonInput input = smallInput();
    input.systems[2].name = "near";
    QHOLDS(usageErrorOf([&] { compareSystems(input); }), "two systems are called 'near'");
    input.systems.clear();
    QHOLDS(usageErrorOf([&] { compareSystems(input); }), "needs a system");
    input = smallInput();
    input.systems[1].lines.pop_back();
    QHOLDS(errorOf([&] { compareSystems(input); }),
           "system same has 3 lines and the first reference has 4");
    QHOLDS(errorOf([&] { compareSystems(input); }), "line 4 of the longer one has no counterpart");
    input = smallInput();
    input.source = {"x"};
    QHOLDS(errorOf([&] { compareSystems(input); }), "the source has 1 lines");
    input = smallInput();
    input.references = {{}};
    QHOLDS(errorOf([&] { compareSystems(input); }), "small.en is empty");
    input = smallInput();
    input.options.metrics = {"bleu", "bleu"};
    QHOLDS(usageErrorOf([&] { compareSystems(input); }), "twice");
    input.options.metrics = {"bleu"};
    input.options.lengthEdges = {0, 10};
    QHOLDS(usageErrorOf([&] { compareSystems(input); }), "length edge 0: must be above 0");
  }

  void oneSentenceHasNoInterval() {
    ComparisonInput input;
    input.testSet = "one";
    input.references = {{"a b c d"}};
    input.systems = {{"x", {"a b c d"}}, {"y", {"a b c e"}}};
    const Comparison found = compareSystems(input);
    QVERIFY(near(found.first().systems[0].score, 100));
    for (const SystemScore& system : found.first().systems)
      QVERIFY(!system.interval && !system.test);
    QHOLDS(comparisonNotes(found).front(), "One sentence");
    QCOMPARE(scoreTable(found, 0).columns.size(), std::size_t{3});
    QVERIFY(toJson(found)["significance"][0]["p_value"].is_null());
    QHOLDS(comparisonPage(found), "One sentence");
    QHOLDS(latexOf(found), "y & 59.46 \\\\");  // the fourth root of 3/4, 2/3, 1/2 and 1/2
  }

  void aSystemOfEmptyLinesHasScores() {
    ComparisonInput input = smallInput();
    input.systems[2] = {"silent", Lines(4)};
    input.source = {"w", "x", "y", "z"};
    input.options.metrics = {"bleu", "chrf", "ter", "multi-bleu"};
    const Comparison found = compareSystems(input);
    const std::vector<double> expected{0, 0, 100, 0};
    for (std::size_t m = 0; m < expected.size(); ++m)
      QCOMPARE(found.metrics[m].systems[2].score, expected[m]);
    QCOMPARE(found.statistics[2].emptyLines, std::size_t{4});
    QCOMPARE(*found.statistics[2].lengthRatio(), 0.0);
    QVERIFY(comparisonPage(found).find("nan") == std::string::npos);
    input.systems = {{"silent", Lines(4)}, {"mute", Lines(4)}};
    const Comparison nothing = compareSystems(input);
    QCOMPARE(nothing.first().systems[1].difference, 0.0);
    QVERIFY(comparisonPage(nothing).find("nan") == std::string::npos);
  }

  void bucketsAreCorpusScores() {
    ComparisonInput input = smallInput();
    input.options.lengthEdges = {3, 5};
    const Comparison found = compareSystems(input);
    const BucketTable& lengths = found.buckets[0];
    QCOMPARE(lengths.labels, (Lines{"0-2", "3-4", ">= 5"}));
    QVERIFY(lengths.common);
    const BucketScore& longest = lengths.scores[0][2];
    QCOMPARE(longest.count, std::size_t{2});
    QCOMPARE(longest.share, 0.5);
    const Lines lines{"the cat sat on a mat", "a b c d f"};
    QVERIFY(near(longest.score, corpusBleu(lines, {{kReference[0], kReference[1]}}).score));
    QVERIFY(longest.interval);
    QVERIFY(!lengths.scores[0][0].interval);  // one sentence
    // "near" lacks a word in one sentence, "same" in none.
    const BucketTable& differences = found.buckets[1];
    QVERIFY(!differences.common);
    const auto at = std::find(differences.labels.begin(), differences.labels.end(), "-2 to -1");
    const auto bucket = static_cast<std::size_t>(at - differences.labels.begin());
    QCOMPARE(differences.buckets[0][bucket].sentences, std::vector<std::size_t>{3});
    QCOMPARE(differences.scores[1][bucket].count, std::size_t{0});
    // All sentences of the baseline, ordered by their score.
    std::size_t all = 0;
    for (const BucketScore& score : found.buckets[2].scores[1]) all += score.count;
    QCOMPARE(all, std::size_t{4});
  }

  void countsAndSubwordsAddTables() {
    ComparisonInput input = smallInput();
    QCOMPARE(compareSystems(input).buckets.size(), std::size_t{3});
    QVERIFY(compareSystems(input).wordAccuracy.empty());
    input.counts = wordCounts(Lines{"the the cat", "a b c d e"});
    input.source = {"a b@@ c", "d", "e@@ f@@ g", "h"};
    const Comparison found = compareSystems(input);
    QCOMPARE(found.buckets.size(), std::size_t{6});
    QHOLDS(found.buckets[3].title, "Training frequency");
    // sat, on, mat, one, two, p, q, r and s.
    QHOLDS(found.buckets[3].note, "9 of 17 words");
    QCOMPARE(found.buckets[3].labels[0], std::string("0"));
    QCOMPARE(found.buckets[3].scores[0][0].count, std::size_t{3});
    // Means of 5 / 6, 1, 0 and 0: "one two" and "p q r s" stay together.
    QHOLDS(found.buckets[4].title, "Mean training frequency");
    QCOMPARE(found.buckets[4].scores[0][0].count, std::size_t{2});
    QCOMPARE(found.buckets[4].scores[0].size(), std::size_t{3});
    QCOMPARE(found.buckets[5].title, std::string("Words of the source split into subwords"));
    QCOMPARE(found.buckets[5].scores[0][1].count, std::size_t{2});
    // Words that the training text lacks: "near" has f and lacks s.
    const WordAccuracy& absent = found.wordAccuracy[0][0];
    QCOMPARE(absent.label, std::string("0"));
    QCOMPARE(absent.reference, std::int64_t{9});
    QCOMPARE(absent.matched, std::int64_t{8});
    QHOLDS(textTable(wordAccuracyTable(found)), "88.9 (88.9 / 88.9)");
  }

  void aVocabularyMakesASubset() {
    ComparisonInput input = smallInput();
    input.options.referencesInVocabulary = true;
    QHOLDS(usageErrorOf([&] { compareSystems(input); }), "needs the vocabulary");
    input.vocabulary.emplace();
    QHOLDS(errorOf([&] { compareSystems(input); }), "no sentence is left");
    for (const char* word : {"a", "b", "c", "d", "e", "p", "q", "r", "s", "one"})
      input.vocabulary->add(word, 1);
    const Comparison found = compareSystems(input);
    QCOMPARE(found.sentences, (std::vector<std::size_t>{1, 3}));
    QCOMPARE(found.allSentences, std::size_t{4});
    QCOMPARE(found.systems[1].lines, (Lines{"a b c d e", "p q r s"}));
    QHOLDS(comparisonNotes(found).front(), "2 of 4 sentences");
    QHOLDS(sentencesTsv(found), "\n2\t5\ta b c d e");
    input.options.referencesInVocabulary = false;
    const Comparison all = compareSystems(input);
    QCOMPARE(all.unknownWords, (std::vector<double>{6, 0, 1, 0}));
    QHOLDS(all.buckets[3].title, "outside the vocabulary");
    QCOMPARE(all.buckets[3].scores[0][0].count, std::size_t{2});
  }

  void sentencesAndTheirDifferences() {
    const Comparison found = compareSystems(smallInput());
    QVERIFY(near(found.sentenceScores[1][0], 100));
    QVERIFY(near(found.sentenceScores[0][2], 100));  // two words: no higher order counts
    const DifferenceHistogram histogram = found.differenceHistogram(1);
    QCOMPARE(histogram.better, std::size_t{3});
    QCOMPARE(histogram.equal, std::size_t{1});
    QCOMPARE(histogram.worse, std::size_t{0});
    QCOMPARE(std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::size_t{0}),
             std::size_t{4});
    QVERIFY(histogram.counts[histogram.counts.size() / 2] >= 1);
    // The third sentence is as good in all systems: the first of them has it.
    QCOMPARE(found.first().oracle.chosen, (std::vector<std::size_t>{1, 1, 0, 1}));
    QVERIFY(near(found.first().oracle.score, 100));
    QCOMPARE(oracleTable(found).rows[1][1].text(), std::string("3"));
    QCOMPARE(found.differenceHistogram(2).equal, std::size_t{4});
  }

  void ngramsTellSystemsApart() {
    const Comparison found = compareSystems(smallInput());
    const auto tables = ngramListTables(found, 1);
    QCOMPARE(tables.size(), std::size_t{4});
    Lines confirmed;
    for (const auto& row : tables[0].rows) confirmed.push_back(row[0].text());
    QVERIFY(std::find(confirmed.begin(), confirmed.end(), "on the") != confirmed.end());
    QVERIFY(tables[1].rows.empty());
    QCOMPARE(ngramListTables(found, 0).size(), std::size_t{2});
    QHOLDS(textTable(ngramTotalsTable(found)), "14 of 16");
  }

  void ngramsAreOfTheMetricsWords() {
    ComparisonInput input;
    input.testSet = "t";
    input.references = {{"A mat.", "x"}};
    input.systems = {{"one", {"A mat .", "x"}}, {"two", {"a mat.", "x"}}};
    const Comparison bleu = compareSystems(input);
    QCOMPARE(bleu.tokenizedReferences[0][0], std::string("A mat ."));
    QCOMPARE(bleu.ngrams[0].produced.totals[0].unconfirmed, std::int64_t{0});
    QCOMPARE(bleu.ngrams[1].produced.totals[0].unconfirmed, std::int64_t{1});
    input.options.of.bleu.lowercase = true;
    QCOMPARE(compareSystems(input).ngrams[1].produced.totals[0].unconfirmed, std::int64_t{0});
    input.options.metrics = {"multi-bleu"};
    QCOMPARE(compareSystems(input).ngrams[0].produced.totals[0].unconfirmed, std::int64_t{2});
  }

  void jointsKeepTheLine() {
    QCOMPARE(withJoints("A mat.", "A mat ."), std::optional<std::string>("A mat\n."));
    QCOMPARE(withJoints(" a  b ", "a b"), std::optional<std::string>(" a  b"));
    QVERIFY(!withJoints("x&quot;", "x \""));  // more than spaces
    QCOMPARE(withJoints("", ""), std::optional<std::string>(""));
  }

  void thePageHoldsWhatItNeeds() {
    ComparisonInput input = smallInput();
    input.systems[1].name = "<b>&\"same\"";
    input.systems[0].lines[1] = "</script><script>alert('x')</script> <!-- \\ \t";
    input.options.metrics = {"ter", "bleu"};
    const Comparison found = compareSystems(input);
    const std::string page = comparisonPage(found);
    QCOMPARE(count(page, "<script"), 2);
    QCOMPARE(count(page, "</script"), 2);
    QCOMPARE(count(page, "<!--"), 0);
    QVERIFY(page.find("<b>") == std::string::npos);
    QHOLDS(page, "&lt;b&gt;&amp;&quot;same&quot;");
    for (const char* outside : {" src=", "href=\"http", "url(", "@import", "fetch("})
      QVERIFY2(page.find(outside) == std::string::npos, outside);
    QCOMPARE(count(page, "http"), count(page, "http://www.w3.org/2000/svg") + 1);  // http-equiv
    QCOMPARE(count(page, "<svg"), count(page, "</svg>"));
    QCOMPARE(count(page, "<svg"), 2 + static_cast<int>(found.buckets.size()) + 2);
    QHOLDS(page, "Corpus BLEU of these sentences");
    input.options.metrics = {"ter"};
    QVERIFY(comparisonPage(compareSystems(input)).find("Corpus BLEU of these") ==
            std::string::npos);
  }

  void pageDataIsWhatTheScriptReads() {
    ComparisonInput input = smallInput();
    input.systems[0].lines[1] = "</script> \\ \"\t\u2028";
    const Comparison found = compareSystems(input);
    const std::string text = pageData(found);
    QVERIFY(text.find('<') == std::string::npos);
    const Json data = parseJson(text, "page");
    // The tokenizer makes a space of the tab: its words, and the line itself.
    QCOMPARE(data["texts"][0][1][0].get<std::string>(), found.tokenizedSystems[0][1]);
    QCOMPARE(data["texts"][0][1][1].get<std::string>(), input.systems[0].lines[1]);
    QCOMPARE(data["texts"][0][0].get<std::string>(), input.systems[0].lines[0]);
    QCOMPARE(data["systems"].size(), std::size_t{3});
    QCOMPARE(data["scores"][1][0].get<double>(), found.sentenceScores[1][0]);
    QCOMPARE(data["lengths"], Json({6, 5, 2, 4}));
    QCOMPARE(data["lines"], Json({1, 2, 3, 4}));
    // Per sentence: words, reference words, right n-grams and all n-grams of orders 1 to 4.
    const Json& rows = data["bleu"]["rows"][0];
    QCOMPARE(rows.size(), std::size_t{4 * 10});
    QCOMPARE(Json(std::vector<Json>(rows.begin(), rows.begin() + 10)),
             Json({6, 6, 5, 3, 2, 1, 6, 5, 4, 3}));
    // "the cat sat on" and "mat" are confirmed; "same" has "the" for "a".
    QCOMPARE(data["marks"][0]["confirmed"][0], Json("444401"));
    QCOMPARE(data["marks"][0]["baseline"], Json::array());
    QCOMPARE(data["marks"][1]["baseline"][0], Json("=4-1+1=1"));
    QCOMPARE(data["marks"][1]["reference"][0], Json("=6"));
    QCOMPARE(data["unknown"].size(), std::size_t{0});
  }

  void exportsHoldTheFigures() {
    ComparisonInput input = smallInput();
    input.systems[1].name = "50 %_a";
    input.systems[0].lines[0] = "the\tcat";
    input.source = {"w", "x", "y", "z"};
    input.options.metrics = {"bleu", "ter"};
    const Comparison found = compareSystems(input);
    const std::string tsv = sentencesTsv(found);
    QCOMPARE(count(tsv, "\n"), 5);
    // line, words, source, reference; score and text of the baseline; the same and the difference
    // of two others.
    for (std::size_t start = 0; start < tsv.size(); start = tsv.find('\n', start) + 1)
      QCOMPARE(count(tsv.substr(start, tsv.find('\n', start) - start), "\t"), 4 + 2 + 2 * 3 - 1);
    QHOLDS(tsv, "\tthe cat\t");
    const std::string latex = latexOf(found);
    QHOLDS(latex, "\\begin{tabular}{lrr}");
    QHOLDS(latex, "50 \\%\\_a & \\textbf{100.00}");
    QHOLDS(latex, "& \\textbf{0.00} $\\pm$ 0.00");
    const Json json = toJson(found);
    QCOMPARE(json["baseline"], Json("near"));
    QVERIFY(near(json["systems"][1]["scores"]["BLEU"]["score"], 100));
    QCOMPARE(json["significance"].size(), std::size_t{4});
    QCOMPARE(json["significance"][0]["system"], Json("50 %_a"));
    QCOMPARE(json["oracle"]["chosen"]["50 %_a"], Json(3));
    QVERIFY(!json.dump().empty());
  }

  void figuresAreSacreBleus_data() { rowPerReference("metrics/de-en"); }

  void figuresAreSacreBleus() {
    const fs::path folder = referenceOfRow();
    const Json expected = parseJson(readFile(folder / "paired-bs.json"), "paired-bs.json")["cli"];
    ComparisonInput input;
    input.testSet = "ref.txt";
    input.references = {linesOf(folder / "ref.txt")};
    for (const Json& system : expected) {
      std::string name = system["system"];
      name = name.substr(name.find("sys."));
      input.systems.push_back({name, linesOf(folder / name)});
    }
    const Comparison found = compareSystems(input);
    std::vector<double> pValues;
    for (std::size_t s = 0; s < expected.size(); ++s) {
      const SystemScore& system = found.first().systems[s];
      const Json& bleu = expected[s]["BLEU"];
      QVERIFY(near(system.score, bleu["score"]));
      QVERIFY(near(system.interval->mean, bleu["mean"], 1e-4));
      QVERIFY(std::abs(system.interval->halfWidth - bleu["ci"].get<double>()) < 1e-4);
      if (s == 0) continue;
      QVERIFY(near(system.test->pValue, bleu["p_value"]));
      pValues.push_back(system.test->pValue);
    }
    // Four systems: the least p-value times 4, and so on.
    QVERIFY(near(found.first().systems[1].test->pHolm, 4 * pValues[0]));
    QVERIFY(near(found.first().systems[2].test->pHolm, pValues[1]));
  }
};

STRATA_GUILESS_TEST(TestComparison)
#include "test_comparison.moc"
