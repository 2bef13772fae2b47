// Buckets of sentences against small cases, and the scores of buckets against those of the corpus.
#include <QtTest>
#include <limits>
#include <random>
#include <set>

#include "core/metrics/bleu_metric.h"
#include "core/metrics/buckets.h"
#include "metrics/metrics_fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

using Lines = std::vector<std::string>;
using Numbers = std::vector<double>;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Lines labelsOf(const std::vector<Bucket>& buckets) {
  Lines labels;
  for (const Bucket& bucket : buckets) labels.push_back(bucket.label());
  return labels;
}

std::vector<std::vector<std::size_t>> sentencesOf(const std::vector<Bucket>& buckets) {
  std::vector<std::vector<std::size_t>> sentences;
  for (const Bucket& bucket : buckets) sentences.push_back(bucket.sentences);
  return sentences;
}

using Groups = std::vector<std::vector<std::size_t>>;

}  // namespace

class TestBuckets : public QObject {
  Q_OBJECT

 private slots:
  void edgesCutBelowThemselves();
  void labelsNameWhatIsInside();
  void sentencesWithoutNumberAreInNoBucket();
  void refusesEdgesThatDoNotAscend();
  void equalCountsAreEqualWithoutTies();
  void tiesStayTogether();
  void equalCountsOfAnyValues();
  void numbersOfLines();
  void countsOfWords();
  void splitWordsAreCountedOnce();
  void emptyBucketsHaveNoInterval();
  void aBucketOfAllIsTheCorpus();
  void bucketsAreNoMeans();
};

void TestBuckets::edgesCutBelowThemselves() {
  const Numbers values{10, 0, 19, 20, 9, 10};
  const auto buckets = bucketsByEdges(values, Numbers{10, 20, 30});
  QCOMPARE(sentencesOf(buckets), (Groups{{1, 4}, {0, 2, 5}, {3}, {}}));
  QCOMPARE(labelsOf(buckets), (Lines{"< 10", "10-19", "20-29", ">= 30"}));
  const auto all = bucketsByEdges(values, Numbers{});
  QCOMPARE(sentencesOf(all), (Groups{{0, 1, 2, 3, 4, 5}}));
  QCOMPARE(labelsOf(all), (Lines{"all"}));
  QCOMPARE(sentencesOf(bucketsByEdges(Numbers{}, Numbers{1})), (Groups{{}, {}}));
}

void TestBuckets::labelsNameWhatIsInside() {
  QCOMPARE(labelsOf(bucketsByEdges(Numbers{1}, Numbers{-5, 0, 1, 1000000})),
           (Lines{"< -5", "-5 to -1", "0", "1-999999", ">= 1000000"}));
  // 19.5 is no "10-19".
  QCOMPARE(labelsOf(bucketsByEdges(Numbers{19.5}, Numbers{10, 20})),
           (Lines{"< 10", "[10, 20)", ">= 20"}));
  QCOMPARE(labelsOf(bucketsByEdges(Numbers{1}, Numbers{0.25, 0.5})),
           (Lines{"< 0.25", "[0.25, 0.5)", ">= 0.5"}));
}

void TestBuckets::sentencesWithoutNumberAreInNoBucket() {
  const Numbers values{kNone, 3, kNone, 1};
  QCOMPARE(sentencesOf(bucketsByEdges(values, Numbers{2})), (Groups{{3}, {1}}));
  QCOMPARE(labelsOf(bucketsByEdges(values, Numbers{2, 4})), (Lines{"< 2", "2-3", ">= 4"}));
  QCOMPARE(sentencesOf(bucketsOfEqualCounts(values, 2)), (Groups{{3}, {1}}));
  QCOMPARE(bucketsOfEqualCounts(Numbers{kNone}, 2).size(), std::size_t{0});
}

void TestBuckets::refusesEdgesThatDoNotAscend() {
  const Numbers values{1, 2};
  QHOLDS(usageErrorOf([&] { bucketsByEdges(values, Numbers{2, 2}); }), "2 comes before 2");
  QHOLDS(usageErrorOf([&] { bucketsByEdges(values, Numbers{3, 2}); }), "ascend");
  QHOLDS(usageErrorOf([&] { bucketsByEdges(values, Numbers{kNone}); }), "is not a valid");
  QHOLDS(usageErrorOf([&] { bucketsOfEqualCounts(values, 0); }), "at least 1, not 0");
}

void TestBuckets::equalCountsAreEqualWithoutTies() {
  const Numbers values{6, 1, 5, 2, 4, 3};
  const auto buckets = bucketsOfEqualCounts(values, 3);
  QCOMPARE(sentencesOf(buckets), (Groups{{1, 3}, {4, 5}, {0, 2}}));
  QCOMPARE(labelsOf(buckets), (Lines{"< 3", "3-4", ">= 5"}));
  QCOMPARE(sentencesOf(bucketsOfEqualCounts(values, 1)), (Groups{{0, 1, 2, 3, 4, 5}}));
  QCOMPARE(bucketsOfEqualCounts(values, 100).size(), std::size_t{6});
  QCOMPARE(bucketsOfEqualCounts(Numbers{}, 3).size(), std::size_t{0});
}

void TestBuckets::tiesStayTogether() {
  // Half of six is three: the cut moves behind the 2s (4 below) rather than before them (1 below).
  QCOMPARE(sentencesOf(bucketsOfEqualCounts(Numbers{1, 2, 2, 2, 3, 4}, 2)),
           (Groups{{0, 1, 2, 3}, {4, 5}}));
  // As near on both sides: fewer go below.
  QCOMPARE(sentencesOf(bucketsOfEqualCounts(Numbers{1, 2, 2, 3}, 2)), (Groups{{0}, {1, 2, 3}}));
  QCOMPARE(sentencesOf(bucketsOfEqualCounts(Numbers{7, 7, 7}, 3)), (Groups{{0, 1, 2}}));
}

void TestBuckets::equalCountsOfAnyValues() {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Numbers values(1 + random() % 40);
    for (double& value : values) value = random() % 12;
    const std::size_t count = 1 + random() % 8;
    const auto buckets = bucketsOfEqualCounts(values, count);
    QVERIFY(!buckets.empty() && buckets.size() <= count);
    std::set<std::size_t> seen;
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      QVERIFY(!buckets[b].sentences.empty());
      QVERIFY(b == 0 || buckets[b].low == buckets[b - 1].high);
      for (const std::size_t i : buckets[b].sentences) {
        QVERIFY(buckets[b].low <= values[i] && values[i] < buckets[b].high);
        QVERIFY(seen.insert(i).second);
      }
    }
    QCOMPARE(seen.size(), values.size());
  }
}

void TestBuckets::numbersOfLines() {
  const Lines lines{"a b  c", "", "   ", "ä ö", "a\xC2\xA0z\tb"};
  QCOMPARE(sentenceLengths(lines), (Numbers{3, 0, 0, 2, 1}));
  QCOMPARE(lengthDifferences(lines, Lines{"a", "b", "", "x y z", "q"}), (Numbers{2, -1, 0, -1, 0}));
  QHOLDS(errorOf([&] { lengthDifferences(lines, Lines{"a"}); }), "5 hypotheses and 1 references");
  Vocabulary vocabulary;
  vocabulary.add("a", 2);
  vocabulary.add("ö", 1);
  QCOMPARE(unknownWords(lines, vocabulary), (Numbers{2, 0, 0, 1, 1}));
  QCOMPARE(unknownWords(Lines{"a x x <unk> <s>"}, vocabulary), (Numbers{4}));
}

void TestBuckets::countsOfWords() {
  const WordCounts counts = wordCounts(Lines{"a b a", "", "a  c c c"});
  QCOMPARE(counts.size(), std::size_t{3});
  QCOMPARE(counts.at("a"), std::int64_t{3});
  QCOMPARE(counts.at("b"), std::int64_t{1});
  QCOMPARE(counts.at("c"), std::int64_t{3});
  const Lines lines{"a b", "c c x", "", "a"};
  const Numbers rarest = rarestWordFrequency(lines, counts),
                mean = meanWordFrequency(lines, counts);
  QCOMPARE(rarest[0], 1.0);
  QCOMPARE(rarest[1], 0.0);
  QVERIFY(std::isnan(rarest[2]) && std::isnan(mean[2]));
  QCOMPARE(rarest[3], 3.0);
  QCOMPARE(mean[0], 2.0);
  QCOMPARE(mean[1], 2.0);
  QCOMPARE(mean[3], 3.0);
}

void TestBuckets::splitWordsAreCountedOnce() {
  const Lines lines{"un@@ believ@@ able", "a b", "x@@ y x@@ y", "", "cut@@", "a@@b c"};
  QCOMPARE(splitWords(lines), (Numbers{1, 0, 2, 0, 1, 0}));
  QCOMPARE(splitWords(Lines{"un~ do it@@"}, "~"), (Numbers{1}));
  QHOLDS(usageErrorOf([&] { splitWords(lines, ""); }), "separator");
}

void TestBuckets::emptyBucketsHaveNoInterval() {
  const BleuMetric metric({{"a b c d", "a b c d", "e f g h"}}, BleuOptions{});
  const MetricRows rows = compareAll(metric, Lines{"a b c d", "x", "e f g h"});
  const auto buckets = bucketsByEdges(Numbers{1, 2, 1}, Numbers{2, 3});
  const auto scores = scoreBuckets(metric, rows, buckets, BootstrapOptions{.samples = 50});
  QCOMPARE(scores.size(), std::size_t{3});
  QCOMPARE(scores[0].count, std::size_t{2});
  QVERIFY(std::abs(scores[0].score - 100) < 1e-9);
  QCOMPARE(scores[0].share, 2.0 / 3);
  QVERIFY(scores[0].interval.has_value());
  QVERIFY(scores[0].interval->halfWidth < 1e-9);  // both sentences are right
  QCOMPARE(scores[1].count, std::size_t{1});
  QCOMPARE(scores[1].score, 0.0);
  QVERIFY(!scores[1].interval);  // a resample of one sentence is that sentence
  QCOMPARE(scores[2].count, std::size_t{0});
  QCOMPARE(scores[2].score, 0.0);
  QCOMPARE(scores[2].share, 0.0);
  QVERIFY(!scores[2].interval);
  for (const BucketScore& score : scoreBuckets(metric, rows, buckets, std::nullopt))
    QVERIFY(!score.interval);
  const std::vector<Bucket> wrong{{.low = 0, .high = 1, .sentences = {3}}};
  QHOLDS(errorOf([&] { scoreBuckets(metric, rows, wrong, {}); }), "contains sentence 4");
  const MetricRows none{metric.width(), {}};
  const auto nothing = scoreBuckets(metric, none, std::vector<Bucket>(1), BootstrapOptions{});
  QCOMPARE(nothing[0].share, 0.0);
}

void TestBuckets::aBucketOfAllIsTheCorpus() {
  const fs::path folder = metricFolders("de-en").front();
  const auto reference = linesOf(folder / "ref.txt");
  const BleuMetric metric({reference}, BleuOptions{});
  const MetricRows rows = compareAll(metric, systemOf(folder, "near1"));
  const BootstrapOptions options{.samples = 200};
  const auto all =
      scoreBuckets(metric, rows, bucketsByEdges(sentenceLengths(reference), Numbers{}), options);
  QCOMPARE(all.size(), std::size_t{1});
  QCOMPARE(all[0].score, metric.score(rows.sums()));
  QCOMPARE(all[0].share, 1.0);
  const auto expected =
      intervalOf(resampleScores(metric, rows, Resamples(rows.sentences(), options)));
  QCOMPARE(all[0].interval->mean, expected.mean);
  QCOMPARE(all[0].interval->halfWidth, expected.halfWidth);
}

// A bucket's score is that of a corpus that holds nothing else.
void TestBuckets::bucketsAreNoMeans() {
  const fs::path folder = metricFolders("de-en").front();
  const auto reference = linesOf(folder / "ref.txt"), system = systemOf(folder, "near1");
  const BleuMetric metric({reference}, BleuOptions{});
  const auto buckets = bucketsOfEqualCounts(sentenceLengths(reference), 4);
  const auto scores = scoreBuckets(metric, compareAll(metric, system), buckets, std::nullopt);
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    Lines ours, theirs;
    for (const std::size_t i : buckets[b].sentences) {
      ours.push_back(system[i]);
      theirs.push_back(reference[i]);
    }
    QCOMPARE(scores[b].score, corpusBleu(ours, {theirs}).score);
  }
  qInfo("%zu buckets have the score of their sentences alone", buckets.size());
}

STRATA_GUILESS_TEST(TestBuckets)
#include "test_buckets.moc"
