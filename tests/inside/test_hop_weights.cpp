#include <QtTest>
#include <cmath>

#include "core/base/error.h"
#include "core/inside/hop_weights.h"
#include "tests/inside/recording_fixture.h"
#include "tests/near.h"
#include "tests/program.h"

using namespace strata;
using strata::testing::nearSingle;

using Words = std::vector<std::string>;

class TestHopWeights : public QObject {
  Q_OBJECT
 private slots:
  void columnsSayWhatIsReadAndWhatIsGenerated();
  void meansAreOverAllPositions();
  void entropyTellsOneLevelFromAll();
  void contributionsCountTheNormsOfTheLevels();
  void hopsAreAsSimilarAsTheirWeights();
  void spreadIsOfAllPositions();
  void mapsAreLevelsByPositions();
  void classesAreOfTheWordsRead();
  void classesOfTheEncoderAreOfTheSource();
  void aSideWithoutFusionHasNone();
  void theRecordingTellsItsFirstLevel();
};

void TestHopWeights::columnsSayWhatIsReadAndWhatIsGenerated() {
  const auto sentence = fixture::sentence(0, 1);
  QCOMPARE(hopColumns(sentence, "decoder"), Words({"</s> → a", "a → house", "house → </s>"}));
  QCOMPARE(hopColumns(sentence, "encoder"), Words({"ein", "Haus", "</s>"}));
  QCOMPARE(levelNames(3, 0), Words({"embedding", "layer 1", "layer 2"}));
  QCOMPARE(levelNames(2, 1), Words({"layer 1", "layer 2"}));
}

// A long sentence counts for more than a short one.
void TestHopWeights::meansAreOverAllPositions() {
  SentenceRecordings one = fixture::sentence(1, 2);
  one.recordings[0].shape[0] = 1;
  one.recordings[0].values.resize(6);
  const HopMeans means = hopMeans({fixture::sentence(0, 0), one}, "decoder");
  QCOMPARE(means.levels, 3);
  QCOMPARE(means.hops, 2);
  const double expected[]{0.75, 1 / 3.0, 0, 1 / 3.0, 0.25, 1 / 3.0};  // levels x hops
  for (std::size_t i = 0; i < 6; ++i) QVERIFY(nearSingle(double(means.weights[i]), expected[i]));
  QVERIFY(nearSingle(means.value(2, 1), 1 / 3.0));
  QVERIFY(nearSingle(means.value(2, -1), (0.25 + 1 / 3.0) / 2));
}

void TestHopWeights::entropyTellsOneLevelFromAll() {
  const HopMeans means = hopMeans({fixture::sentence(0, 1)}, "decoder");
  QVERIFY(nearSingle(double(means.entropy[0]), 0));
  QVERIFY(nearSingle(double(means.entropy[1]), 1));
}

// Weights 0.5, 0.5 and norms 3, 1 add 0.75 and 0.25; the second position 0.2 * 1 and 0.8 * 1. A
// position at which nothing is read does not count.
void TestHopWeights::contributionsCountTheNormsOfTheLevels() {
  SentenceRecordings sentence;
  sentence.target = {"a", "b", "</s>"};
  Recording weights = fixture::sentence(0, 0).recordings[0];
  weights.shape = {3, 1, 2};
  weights.values = {0.5f, 0.5f, 0.2f, 0.8f, 0.9f, 0.1f};
  sentence.recordings = {weights};
  QVERIFY(hopMeans({sentence}, "decoder").contributions.empty());
  Recording norms = weights;
  norms.info.name = "decoder.fusion.level_norms";
  norms.info.kind = "level_norms";
  norms.shape = {3, 2};
  norms.values = {3, 1, 1, 1, 0, 0};
  sentence.recordings.push_back(norms);
  const HopMeans means = hopMeans({sentence}, "decoder");
  QCOMPARE(means.contributions.size(), std::size_t(2));
  QVERIFY(nearSingle(double(means.contributions[0]), (0.75 + 0.2) / 2));
  QVERIFY(nearSingle(double(means.contributions[1]), (0.25 + 0.8) / 2));
  sentence.recordings.back().shape = {2, 3};
  QVERIFY_EXCEPTION_THROWN(hopMeans({sentence}, "decoder"), Error);
}

// Hop 1 reads one level, hop 2 three alike: with m their mean,
// JSD = (1 log2(1 / (2/3)) + 1/3 log2(1/3 / (2/3)) + 2/3 log2(1/3 / (1/6))) / 2.
void TestHopWeights::hopsAreAsSimilarAsTheirWeights() {
  const HopMeans means = hopMeans({fixture::sentence(0, 1)}, "decoder");
  QCOMPARE(means.similarity.size(), std::size_t(4));
  QVERIFY(nearSingle(double(means.similarity[0]), 1));
  QVERIFY(nearSingle(double(means.similarity[3]), 1));
  const double divergence = (std::log2(1.5) + std::log2(0.5) / 3 + 2 * std::log2(2.0) / 3) / 2;
  QVERIFY(nearSingle(double(means.similarity[1]), 1 - divergence));
  QVERIFY(nearSingle(double(means.similarity[2]), 1 - divergence));
  // Levels that have nothing in common.
  SentenceRecordings apart = fixture::sentence(0, 0);
  for (std::size_t position = 0; position < 3; ++position) {
    for (std::size_t level = 0; level < 3; ++level)
      apart.recordings[0].values[position * 6 + 3 + level] = level == 2 ? 1.f : 0.f;
  }
  QVERIFY(nearSingle(double(hopMeans({apart}, "decoder").similarity[1]), 0));
}

void TestHopWeights::spreadIsOfAllPositions() {
  SentenceRecordings sentence = fixture::sentence(0, 0);
  sentence.recordings[0].shape = {5, 1, 2};
  sentence.recordings[0].values = {0.4f, 0.6f, 0, 1, 0.1f, 0.9f, 0.3f, 0.7f, 0.2f, 0.8f};
  const auto spread = hopSpread({sentence}, "decoder", 0);
  QCOMPARE(spread.size(), std::size_t(2));
  // Of 0, 0.1, 0.2, 0.3, 0.4: every 25 % a value; 5 % lies a fifth of the way to the second.
  QVERIFY(nearSingle(spread[0].median, 0.2) && nearSingle(spread[0].lowerQuartile, 0.1));
  QVERIFY(nearSingle(spread[0].upperQuartile, 0.3) && nearSingle(spread[0].low, 0.02));
  QVERIFY(nearSingle(spread[1].high, 0.98) && nearSingle(spread[1].median, 0.8));
  // The mean of hops that read one level and all alike.
  const auto mean = hopSpread({fixture::sentence(0, 1)}, "decoder", -1);
  QVERIFY(nearSingle(mean[1].median, (1 + 1 / 3.0) / 2) && nearSingle(mean[0].median, 1 / 6.0));
  QVERIFY(hopSpread({sentence}, "encoder", 0).empty());
  // What is not finite does not count: of 0.1 and 0.3; of nothing.
  sentence.recordings[0].shape = {3, 1, 2};
  sentence.recordings[0].values = {0.1f, NAN, NAN, INFINITY, 0.3f, NAN};
  const auto broken = hopSpread({sentence}, "decoder", 0);
  QVERIFY(nearSingle(broken[0].median, 0.2) && nearSingle(broken[0].high, 0.29));
  QVERIFY(broken.size() == 2 && std::isnan(broken[1].median) && std::isnan(broken[1].low));
}

void TestHopWeights::mapsAreLevelsByPositions() {
  const auto maps = hopMaps(fixture::sentence(0, 2), "decoder");
  QCOMPARE(maps.size(), std::size_t(2));
  QCOMPARE(maps[0], std::vector<float>({0, 0, 0, 0, 0, 0, 1, 1, 1}));
}

// "ho@@ use ." is read at positions 1 to 3; position 0 reads the start symbol.
void TestHopWeights::classesAreOfTheWordsRead() {
  SentenceRecordings sentence;
  sentence.target = {"ho@@", "use", ".", "</s>"};
  sentence.recordings = {fixture::sentence(0, 0).recordings[0]};
  sentence.recordings[0].shape = {4, 1, 2};
  sentence.recordings[0].values = {1, 0, 0.5f, 0.5f, 0.1f, 0.9f, 0.7f, 0.3f};
  RecordedStep step;
  step.sentences = {sentence, sentence};
  step.targetLanguage = "en";
  HopClassMeans classes;
  addHopClasses(step, "decoder", classes);
  QCOMPARE(classes.hops, 1);
  QCOMPARE(classes.levels, 2);
  const auto mean = [&](WordClass wordClass, std::size_t level) {
    return classes.means[0][std::size_t(wordClass)][level];
  };
  QCOMPARE(mean(WordClass::kContent, 0).count, 2);
  QVERIFY(nearSingle(mean(WordClass::kContent, 0).mean(), 0.3));
  QVERIFY(nearSingle(mean(WordClass::kContent, 1).mean(), 0.7));
  QVERIFY(nearSingle(mean(WordClass::kPunctuation, 0).mean(), 0.7));
  QCOMPARE(mean(WordClass::kFunction, 0).count, 0);
  // Of a run with more levels: in no mean with these.
  step.sentences = {fixture::sentence(0, 1)};
  addHopClasses(step, "decoder", classes);
  QCOMPARE(classes.levels, 2);
  QCOMPARE(mean(WordClass::kContent, 0).count, 2);
}

// Position i of the encoder reads source token i.
void TestHopWeights::classesOfTheEncoderAreOfTheSource() {
  SentenceRecordings sentence;
  sentence.source = {"das", "Ha@@", "us", "</s>"};
  sentence.recordings = {fixture::sentence(0, 0).recordings[0]};
  Recording& weights = sentence.recordings[0];
  weights.info.side = "encoder";
  weights.shape = {4, 1, 2};
  weights.values = {1, 0, 0.5f, 0.5f, 0.1f, 0.9f, 0.7f, 0.3f};
  RecordedStep step;
  step.sentences = {sentence};
  step.sourceLanguage = "de";
  step.targetLanguage = "en";
  HopClassMeans classes;
  addHopClasses(step, "encoder", classes);
  const auto mean = [&](WordClass wordClass) {
    return classes.means[0][std::size_t(wordClass)][0].mean();
  };
  QVERIFY(nearSingle(mean(WordClass::kFunction), 1));  // "das" of the German list
  QVERIFY(nearSingle(mean(WordClass::kContent), 0.3));
  HopClassMeans none;
  addHopClasses(step, "decoder", none);
  QCOMPARE(none.hops, 0);
}

void TestHopWeights::aSideWithoutFusionHasNone() {
  const std::vector<SentenceRecordings> sentences{fixture::sentence(0, 0)};
  QCOMPARE(hopMeans(sentences, "encoder").levels, 0);
  QVERIFY(hopMaps(sentences[0], "encoder").empty());
  QVERIFY(hopWeightsOf(sentences[0], "encoder") == nullptr);
}

void TestHopWeights::theRecordingTellsItsFirstLevel() {
  SentenceRecordings sentence = fixture::sentence(0, 0);
  QCOMPARE(levelNames(sentence.recordings[0]), Words({"embedding", "layer 1", "layer 2"}));
  sentence.recordings[0].info.firstLevel = 1;
  QCOMPARE(levelNames(sentence.recordings[0]), Words({"layer 1", "layer 2", "layer 3"}));
  QCOMPARE(hopMeans({sentence}, "decoder").firstLevel, 1);
  RecordedStep step;
  step.sentences = {sentence};
  HopClassMeans classes;
  addHopClasses(step, "decoder", classes);
  QCOMPARE(classes.firstLevel, 1);
}

STRATA_GUILESS_TEST(TestHopWeights)
#include "test_hop_weights.moc"
