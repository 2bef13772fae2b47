#include <QtTest>
#include <cmath>

#include "tests/ui/store_fixture.h"
#include "ui/data/hop_weights.h"

using namespace strata::ui;

class TestHopWeights : public QObject {
  Q_OBJECT
 private slots:
  void columnsSayWhatIsReadAndWhatIsGenerated();
  void meansAreOverPositionsThenSentences();
  void entropyTellsOneLevelFromAll();
  void mapsHaveTheHighestLevelOnTop();
  void aSideWithoutFusionHasNone();
};

void TestHopWeights::columnsSayWhatIsReadAndWhatIsGenerated() {
  const auto sentence = fixture::sentence(0, 1);
  QCOMPARE(hopColumns(sentence, "decoder"), QStringList({"</s> → a", "a → house", "house → </s>"}));
  QCOMPARE(hopColumns(sentence, "encoder"), QStringList({"ein", "Haus", "</s>"}));
  QCOMPARE(levelNames(3, true), QStringList({"embedding", "layer 1", "layer 2"}));
  QCOMPARE(levelNames(2, false), QStringList({"layer 1", "layer 2"}));
}

void TestHopWeights::meansAreOverPositionsThenSentences() {
  StepRecordings recordings{1, 50, {fixture::sentence(0, 0), fixture::sentence(1, 2)}, true, true};
  const HopMeans means = hopMeans(recordings, "decoder");
  QCOMPARE(means.step, 50);
  QCOMPARE(means.levels, 3);
  QCOMPARE(means.hops, 2);
  const std::vector<float> expected{0.5f, 1.f / 3, 0.f, 1.f / 3, 0.5f, 1.f / 3};  // levels x hops
  for (std::size_t i = 0; i < expected.size(); ++i)
    QVERIFY(std::abs(means.weights[i] - expected[i]) < 1e-6f);
}

void TestHopWeights::entropyTellsOneLevelFromAll() {
  const HopMeans means = hopMeans({1, 50, {fixture::sentence(0, 1)}, true, true}, "decoder");
  QVERIFY(std::abs(means.entropy[0]) < 1e-6f);
  QVERIFY(std::abs(means.entropy[1] - 1) < 1e-6f);
}

void TestHopWeights::mapsHaveTheHighestLevelOnTop() {
  const auto maps = hopMaps(fixture::sentence(0, 2), "decoder", true);
  QCOMPARE(maps.size(), 2);
  QCOMPARE(maps[0].title, QString("hop 1"));
  QCOMPARE(maps[0].rows.first(), QString("layer 2"));
  QCOMPARE(maps[0].values, std::vector<float>({1, 1, 1, 0, 0, 0, 0, 0, 0}));
}

void TestHopWeights::aSideWithoutFusionHasNone() {
  StepRecordings recordings{1, 50, {fixture::sentence(0, 0)}, true, true};
  QCOMPARE(hopMeans(recordings, "encoder").levels, 0);
  QVERIFY(hopMaps(recordings.sentences[0], "encoder", true).isEmpty());
  QVERIFY(!hopWeightsOf(recordings.sentences[0], "encoder"));
}

QTEST_GUILESS_MAIN(TestHopWeights)
#include "test_hop_weights.moc"
