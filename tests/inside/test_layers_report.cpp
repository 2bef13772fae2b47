// Figures of layers as they are stored and printed.
#include <QtTest>
#include <cmath>

#include "core/base/files.h"
#include "core/inside/layers.h"
#include "tests/fixture.h"
#include "tests/program.h"

using namespace strata;

class TestLayersReport : public QObject {
  Q_OBJECT
 private slots:
  void reportsComeBackFromTheirFile();
  void aLimitAboveTheSetIsAllOfIt();
  void fewPositionsAreSaid();
  void levelsHaveTitles();
  void tablesHoldTheFigures();
  void measuresAreOfOneToken();
};

namespace {

const double kNone = std::numeric_limits<double>::quiet_NaN();

LayersReport example() {
  return {.on = {"step-00000012", "valid", 2, 40, "m", "d"},
          .run = "first",
          .similarity = {{.side = "decoder",
                          .levels = {"embedding", "layer 1"},
                          .widths = {4, 8},
                          .positions = 80,
                          .cka = {1, 0.25, 0.25, kNone},
                          .cosine = {kNone}}},
          .lens = {.levels = {"layer 1", "fused"},
                   .unread = {"embedding"},
                   .tokens = 3,
                   .means = {{4, 0.5, -2, 1.5}, {1.5, 0.75, -1, 0}},
                   .sentences = {{.sentence = 0,
                                  .text = "ein Hund",
                                  .target = {"a", "</s>"},
                                  .cells = {{{7, -3, 2, "the"}, {1, -1, 1, "</s>"}},
                                            {{2, -0.5, 0, "the"}, {1, -0.25, 0, "</s>"}}}}}}};
}

}  // namespace

void TestLayersReport::reportsComeBackFromTheirFile() {
  const TemporaryFolder run;
  const LayersReport report = example();
  storeLayers(run.path(), report);
  QVERIFY(std::filesystem::exists(run / "layers/step-00000012.valid.2.json"));
  writeFileAtomic(run / "layers/damaged.json", "{\"format\": 1");
  const auto stored = storedLayers(run.path());
  QCOMPARE(stored.size(), std::size_t{1});
  QVERIFY(stored[0].on == report.on);
  QVERIFY(toJson(stored[0]) == toJson(report));
  QVERIFY(std::isnan(stored[0].similarity[0].at(1, 1)));
  QCOMPARE(stored[0].lens.sentences[0].cells[0][1].top, std::string("</s>"));
}

void TestLayersReport::aLimitAboveTheSetIsAllOfIt() {
  const MeasuredOn some{.sentences = 2, .setSentences = 40};
  QVERIFY(some.hasLimit(2));
  QVERIFY(!some.hasLimit(0) && !some.hasLimit(1) && !some.hasLimit(3) && !some.hasLimit(40));
  const MeasuredOn all{.sentences = 40, .setSentences = 40};
  QVERIFY(all.hasLimit(0) && all.hasLimit(40) && all.hasLimit(41));
  QVERIFY(!all.hasLimit(39));
}

void TestLayersReport::fewPositionsAreSaid() {
  LevelSimilarity similarity = example().similarity[0];
  QCOMPARE(fewPositions(similarity), std::string());  // 10 for each of the 8 features
  similarity.positions = 79;
  QVERIFY(fewPositions(similarity).starts_with("decoder: 79 positions are fewer than 10"));
}

void TestLayersReport::levelsHaveTitles() {
  QCOMPARE(levelTitle("encoder.levels.0"), std::string("embedding"));
  QCOMPARE(levelTitle("decoder.levels.12"), std::string("layer 12"));
  QCOMPARE(levelTitle("decoder.levels.fused"), std::string("fused"));
}

void TestLayersReport::tablesHoldTheFigures() {
  const LayersReport report = example();
  const auto similarity = similarityTable(report.similarity[0]).lines(&Cell::text);
  QCOMPARE(similarity[0],
           (std::vector<std::string>{"decoder", "embedding", "layer 1", "cosine to next"}));
  QCOMPARE(similarity[2][1], std::string("0.250"));
  QCOMPARE(similarity[2][2], std::string(kNoValue));
  const auto lens = lensTable(report).lines(&Cell::text);
  QCOMPARE(lens[1], (std::vector<std::string>{"layer 1", "4.0", "50.0 %", "-2.000", "1.500"}));
  const auto sentence = lensTable(report.lens.sentences[0], report.lens.levels).lines(&Cell::text);
  QCOMPARE(sentence[1], (std::vector<std::string>{"a", "the 7", "the 2"}));
}

void TestLayersReport::measuresAreOfOneToken() {
  const LayersReport report = example();
  const LensCell& cell = report.lens.sentences[0].cells[0][0];
  QCOMPARE(cell.of(LensMeasure::kRank), 7.0);
  QCOMPARE(cell.of(LensMeasure::kProbability), std::exp(-3.0));
  QCOMPARE(cell.of(LensMeasure::kDivergence), 2.0);
  QCOMPARE(report.lens.means[0].of(LensMeasure::kProbability), std::exp(-2.0));
}

STRATA_GUILESS_TEST(TestLayersReport)
#include "test_layers_report.moc"
