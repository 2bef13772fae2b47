// Who reads whom: shares, pictures, and what is stored and found again.
#include <QtTest>
#include <cmath>

#include "core/base/files.h"
#include "core/inside/readers.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

class TestReadersReport : public QObject {
  Q_OBJECT
 private slots:
  void sharesAreOfTheReadersBlocks();
  void picturesHaveABlockPerColumn();
  void storedReportsAreFoundAgain();
  void configurationsTellWhatTheyLack();
};

static ReadersReport report() {
  return {.on = {"step-1", "valid", 20, 40, "m", "d"},
          .run = "first",
          .sourcePositions = 200,
          .targetPositions = 180,
          .readers = {{"encoder", "layer 1 conv", "encoder.layers.0.conv", {{"h0", 0.5, 2, 3}}},
                      {"encoder",
                       "layer 2 conv",
                       "encoder.layers.1.conv",
                       {{"h0", 0.25, 2, 3}, {"layer 1", 0.5, 4, 1}}},
                      {"decoder", "layer 1", "", {{"context", 1, 0, 0}, {"word", 1, 0, 0}}}}};
}

void TestReadersReport::sharesAreOfTheReadersBlocks() {
  const auto readers = report().readers;
  QCOMPARE(readers[0].value(0, ReadMeasure::kShare), 1.0);
  QCOMPARE(readers[1].value(0, ReadMeasure::kShare), 0.75);
  QCOMPARE(readers[1].value(1, ReadMeasure::kShare), 0.25);
  QCOMPARE(readers[1].value(1, ReadMeasure::kWeight), 0.5);
  QCOMPARE(readers[1].value(1, ReadMeasure::kScaled), 2.0);
  QVERIFY(std::isnan(readers[2].value(0, ReadMeasure::kShare)));  // it reads nothing of any block
}

void TestReadersReport::picturesHaveABlockPerColumn() {
  QCOMPARE(report().maps(), (std::vector<std::string>{"encoder", "decoder"}));
  const ReadMap map = readMap(report(), "encoder", ReadMeasure::kShare);
  QCOMPARE(map.rows, (std::vector<std::string>{"layer 1 conv", "layer 2 conv"}));
  QCOMPARE(map.columns, (std::vector<std::string>{"h0", "layer 1"}));
  QCOMPARE(map.values[0], 1.0);
  QVERIFY(std::isnan(map.values[1]));
  QCOMPARE(map.values[3], 0.25);
  QVERIFY(textTable(readTable(report(), "encoder", ReadMeasure::kShare))
              .ends_with("\nlayer 2 conv  0.750    0.250\n"));
  QVERIFY(captionOf(report(), ReadMeasure::kWeight)
              .ends_with("on 20 sentences (200 source and 180 target positions)"));
}

void TestReadersReport::storedReportsAreFoundAgain() {
  const TemporaryFolder folder;
  QVERIFY(storedReaders(folder.path()).empty());
  storeReaders(folder.path(), report());
  ReadersReport other = report();
  other.on.sentences = 40;
  storeReaders(folder.path(), other);
  put(folder / "readers/damaged.json", "{");
  const auto stored = storedReaders(folder.path());
  QCOMPARE(stored.size(), std::size_t{2});
  QVERIFY(stored[0].on == report().on);
  QCOMPARE(toJson(stored[0]).dump(), toJson(report()).dump());
  QVERIFY(toJson(report()).at("readers").at(2).at("blocks").at(0).at("share").is_null());
}

void TestReadersReport::configurationsTellWhatTheyLack() {
  const auto lacks = [](const char* model) {
    return !readersLackOf(parseJson(model, "model")).empty();
  };
  QVERIFY(!lacks(R"({"dense_attention": 2, "dense_encoder": true, "dense_decoder": false})"));
  QVERIFY(lacks(R"({"dense_attention": 2, "dense_encoder": false, "dense_decoder": false})"));
  QVERIFY(!lacks(R"({"fast_forward": false})"));  // context and word, at least
  QVERIFY(lacks(R"({"history": "gate"})"));
  QVERIFY(lacks(R"({"heads": 4, "encoder_fusion": {"type": "avg"}})"));
  QVERIFY(!lacks(R"({"heads": 4, "encoder_fusion": {"type": "fnn"}})"));
  QVERIFY(lacks(R"({"heads": 4, "decoder_fusion": {"type": "sa", "hops": 1}})"));
  QVERIFY(!lacks(R"({"wide": 4})"));  // another paper's: the engine knows
}

STRATA_APPLESS_TEST(TestReadersReport)
#include "test_readers_report.moc"
