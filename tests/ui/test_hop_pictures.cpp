#include <QtTest>

#include "tests/inside/recording_fixture.h"
#include "tests/program.h"
#include "ui/data/hop_pictures.h"
#include "ui/data/text.h"

using namespace strata;
using namespace strata::ui;

class TestHopPictures : public QObject {
  Q_OBJECT
 private slots:
  void theHighestLevelIsOnTop();
  void nothingIsDrawnOfNothing();
  void wordsAreShownWithoutEscapes();
};

void TestHopPictures::theHighestLevelIsOnTop() {
  const auto maps = hopPictures(fixture::sentence(0, 2), "decoder");
  QCOMPARE(maps.size(), 2);
  QCOMPARE(maps[0].title, QString("hop 1"));
  QCOMPARE(maps[0].rows, QStringList({"layer 2", "layer 1", "embedding"}));
  QCOMPARE(maps[0].values, std::vector<float>({1, 1, 1, 0, 0, 0, 0, 0, 0}));
  SentenceRecordings later = fixture::sentence(0, 2);
  later.recordings[0].info.firstLevel = 1;
  const auto mean = meanPicture(hopMeans({later}, "decoder"));
  QCOMPARE(mean[0].rows.first(), QString("layer 3"));
  QCOMPARE(mean[0].values, std::vector<float>({1, 1.f / 3, 0, 1.f / 3, 0, 1.f / 3}));
}

void TestHopPictures::nothingIsDrawnOfNothing() {
  QVERIFY(hopPictures(fixture::sentence(0, 0), "encoder").isEmpty());
  QVERIFY(meanPicture({}).isEmpty());
}

void TestHopPictures::wordsAreShownWithoutEscapes() {
  QCOMPARE(sentenceText({"he", "&apos;s", "</s>"}), QString("he 's </s>"));
  QCOMPARE(wordText("&amp;apos;"), QString("&apos;"));
  QCOMPARE(wordText("&#91;&#124;&#93;&lt;&gt;"), QString("[|]<>"));
  QCOMPARE(wordText("&other; R&D ü"), QString::fromUtf8("&other; R&D ü"));
}

STRATA_GUILESS_TEST(TestHopPictures)
#include "test_hop_pictures.moc"
