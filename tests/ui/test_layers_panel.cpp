#include <QTabWidget>
#include <QtTest>
#include <cmath>

#include "core/base/files.h"
#include "tests/program.h"
#include "tests/ui/exports.h"
#include "tests/ui/measured_window.h"
#include "ui/panels/layers_panel.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/heat_map.h"
#include "ui/widgets/report_table.h"

using namespace strata;
using namespace strata::ui;

static const QString kFusedRun = "mlrf-dec-sa4-zhen.toy.s1", kOtherRun = "dhea-gate.toy.s1";

// With the real programs: what the panel measures, shows and keeps is what `strata-run layers`
// prints.
class TestLayersPanel : public QObject, MeasuredWindow {
  Q_OBJECT
 public:
  TestLayersPanel() : MeasuredWindow("layers") {}

 private slots:
  void initTestCase();
  void cleanupTestCase() { window_.reset(); }
  void nothingIsMeasuredWithoutBeingAsked();
  void startMeasuresAndShows();
  void theMapsAreThePrintedNumbers();
  void theLensIsThePrintedSentence();
  void theKeyboardSpeaksTheValue();
  void theCopiedCommandPrintsTheSame();
  void aSentenceChosenElsewhereIsShown();
  void picturesAreExported();
  void storedResultsAppearWhenTheRunIsChosen();
  void cancelStoresNothing();

 private:
  void chooseMeasure(LensMeasure measure) { choose("Measure", qs(strata::nameOf(measure))); }
  const HeatMapView* similarity() const { return child<HeatMapView>("layersSimilarity"); }
  HeatMapView* lens() const { return child<HeatMapView>("layersLens"); }

  LayersPanel* panel_ = nullptr;
  Json printed_;  // what the verb says of the run with a fusion
};

void TestLayersPanel::initTestCase() {
  openPanel(families().first(2), "layers");
  panel_ = window_->panel<LayersPanel>();
}

void TestLayersPanel::nothingIsMeasuredWithoutBeingAsked() {
  show(kFusedRun);
  QVERIFY2(message().startsWith("Not measured yet"), qPrintable(message()));
  QVERIFY(!child<QTabWidget>("layersPictures")->isVisible());
  QVERIFY(!panel_->shown());
}

void TestLayersPanel::startMeasuresAndShows() {
  limit(12);
  start();
  QVERIFY(!child<QPushButton>("layersStart")->isVisible());
  QVERIFY(isBusy());
  QTRY_VERIFY_WITH_TIMEOUT(panel_->shown(), kPatience);
  QVERIFY(!isBusy());
  QVERIFY(child<QTabWidget>("layersPictures")->isVisible());
  QVERIFY2(message().contains("12 sentences"), qPrintable(message()));
  QVERIFY2(message().contains("CKA is too high"), qPrintable(message()));
  printed_ = printed({"layers", kFusedRun + "@best", "--limit", "12"});
}

// Rows are the levels of a side; the encoder has no fusion, so that its column stays empty.
void TestLayersPanel::theMapsAreThePrintedNumbers() {
  const QStringList levels{"embedding", "layer 1", "layer 2", "fused"};
  QCOMPARE(similarity()->columns(), levels);
  QCOMPARE(similarity()->maps().size(), 2);
  for (int side = 0; side < 2; ++side) {
    const HeatMap& map = similarity()->maps()[side];
    const Json& expected = printed_["similarity"][std::size_t(side)];
    QCOMPARE(toStd(map.title), expected["side"].get<std::string>());
    QCOMPARE(map.rows, levels.first(side == 0 ? 3 : 4));
    for (int row = 0; row < map.rows.size(); ++row) {
      for (int column = 0; column < 4; ++column) {
        const float shown = map.values[std::size_t(row * 4 + column)];
        if (column >= map.rows.size()) {
          QVERIFY(std::isnan(shown));
          continue;
        }
        const auto at = std::size_t(row * map.rows.size() + column);
        QCOMPARE(shown, expected["cka"][at].get<float>());
        if (row == column) QVERIFY(std::abs(shown - 1) < 1e-6);
      }
    }
  }
}

void TestLayersPanel::theLensIsThePrintedSentence() {
  child<QTabWidget>("layersPictures")->setCurrentIndex(1);
  auto* sentences = child<QComboBox>("layersSentence");
  QCOMPARE(sentences->count(), 12);
  sentences->setCurrentIndex(4);
  const Json one = printed({"layers", kFusedRun + "@best", "--sentence", "5"});
  const Json& sentence = one["sentence"];
  QVERIFY(sentences->currentText().endsWith(qs(sentence["text"].get<std::string>())));
  const std::size_t words = sentence["target"].size();
  for (const LensMeasure measure : kLensMeasures) {
    chooseMeasure(measure);
    QCOMPARE(lens()->columns().size(), qsizetype(words));
    const HeatMap& map = lens()->maps()[0];
    QCOMPARE(map.rows, (QStringList{"embedding", "layer 1", "layer 2", "fused"}));
    for (std::size_t level = 0; level < 4; ++level) {
      for (std::size_t t = 0; t < words; ++t) {
        const double score = sentence["log_probability"][level][t];
        const double expected =
            measure == LensMeasure::kRank          ? sentence["rank"][level][t].get<double>()
            : measure == LensMeasure::kProbability ? std::exp(score)
                                                   : sentence["divergence"][level][t].get<double>();
        const double shown = map.values[level * words + t];
        QVERIFY2(std::abs(shown - expected) <= 1e-4 * std::max(1.0, expected),
                 qPrintable(QString("%1 instead of %2").arg(shown).arg(expected)));
        QCOMPARE(map.texts[qsizetype(level * words + t)],
                 wordText(sentence["top"][level][t].get<std::string>()));
      }
    }
  }
  // The curve and the table are the means over all sentences.
  chooseMeasure(LensMeasure::kRank);
  const auto* curve = child<CategoryPlot>("layersMeans");
  QCOMPARE(curve->categories().last(), QString("fused"));
  for (std::size_t level = 0; level < 4; ++level)
    QCOMPARE(curve->series()[0].values[level],
             printed_["lens"]["means"][level]["rank"].get<double>());
  QCOMPARE(child<ReportTable>("layersTable")->model()->rowCount(), 4);
}

void TestLayersPanel::theKeyboardSpeaksTheValue() {
  lens()->setFocus();
  QTest::keyClick(lens(), Qt::Key_Home, Qt::ControlModifier);
  QTest::keyClick(lens(), Qt::Key_Down);
  QCOMPARE(lens()->cursor(), (HeatMapCell{0, 1, 0}));
  const HeatMap& map = lens()->maps()[0];
  const auto words = std::size_t(lens()->columns().size());
  const QString expected = QString("layer 1 · %1: %2 (“%3”)")
                               .arg(lens()->columns()[0])
                               .arg(double(map.values[words]), 0, 'f', 0)
                               .arg(map.texts[qsizetype(words)]);
  QCOMPARE(child<QLabel>("layersLensReadout")->text(), expected);
  QCOMPARE(lens()->accessibleDescription(), expected);
}

void TestLayersPanel::theCopiedCommandPrintsTheSame() {
  const QString line = copied();
  QVERIFY2(line.contains("--limit 12"), qPrintable(line));
  QVERIFY(toJson(layersReportFrom(printedByCopied())) == toJson(*panel_->shown()));
}

void TestLayersPanel::aSentenceChosenElsewhereIsShown() {
  const auto& sentences = panel_->shown()->lens.sentences;
  panel_->select({.sentence = qs(sentences[7].text)});
  auto* box = child<QComboBox>("layersSentence");
  QVERIFY(box->currentText().endsWith(qs(sentences[7].text)));
  QCOMPARE(lens()->columns().size(), qsizetype(sentences[7].target.size()));
  panel_->select({.sentence = QString("a sentence of no set")});
  QVERIFY(box->currentText().endsWith(qs(sentences[7].text)));
}

void TestLayersPanel::picturesAreExported() {
  const QString keep = qEnvironmentVariable("STRATA_TEST_PICTURES");  // to look at them
  for (const int page : {0, 1}) {
    child<QTabWidget>("layersPictures")->setCurrentIndex(page);
    if (keep.isEmpty()) continue;
    QTest::qWait(100);  // for the layouts
    window_->grab().save(QString("%1/layers-%2.png").arg(keep).arg(page));
  }
  lens()->exportTo(path("lens.csv"));
  const auto records = recordsOf(path("lens.csv"));
  QCOMPARE(records.size(), lens()->columns().size() * 4);
  QCOMPARE(records[0]["row"], QString("embedding"));
  QCOMPARE(records[0]["text"], lens()->maps()[0].texts[0]);
  child<HeatMapView>("layersSimilarity")->exportTo(path("similarity.png"));
  QVERIFY(QImage(path("similarity.png")).width() > 200);
}

void TestLayersPanel::storedResultsAppearWhenTheRunIsChosen() {
  show(kOtherRun);
  QVERIFY(!panel_->shown());
  limit(5000);  // more than the set has: all
  start();
  QTRY_VERIFY_WITH_TIMEOUT(panel_->shown(), kPatience);
  QVERIFY(panel_->shown()->on.isWhole());
  QCOMPARE(similarity()->columns(), (QStringList{"embedding", "layer 1", "layer 2"}));
  show(kFusedRun);
  QTRY_VERIFY(panel_->shown() && panel_->shown()->on.sentences == 12);
  QVERIFY(child<QTabWidget>("layersPictures")->isVisible());
}

void TestLayersPanel::cancelStoresNothing() {
  limit(20);
  QVERIFY(!panel_->shown());
  startAndCancel();
  QVERIFY(!panel_->shown());
}

STRATA_TEST(TestLayersPanel)
#include "test_layers_panel.moc"
