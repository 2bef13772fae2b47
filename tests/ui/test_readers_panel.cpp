#include <QtTest>
#include <cmath>

#include "core/base/text_limits.h"
#include "tests/program.h"
#include "tests/ui/exports.h"
#include "tests/ui/measured_window.h"
#include "ui/panels/readers_panel.h"
#include "ui/plots/heat_map.h"

using namespace strata;
using namespace strata::ui;

// With the real programs: what the panel measures, shows and keeps is what `strata-run readers`
// prints.
class TestReadersPanel : public QObject, MeasuredWindow {
  Q_OBJECT
 public:
  TestReadersPanel() : MeasuredWindow("readers") {}

 private slots:
  void initTestCase();
  void cleanupTestCase() { window_.reset(); }
  void aModelWithoutSuchBlocksSaysSo();
  void aButtonMeasures();
  void thePictureShowsWhatTheProgramPrints();
  void theCopiedCommandPrintsTheSame();
  void theKeyboardReadsOutValues();
  void chainsOfFastForwardConnectionsAreDrawn();
  void storedResultsAppearWhenTheRunIsChosen();
  void cancelStoresNothing();

 private:
  HeatMapView* picture() const { return child<HeatMapView>("readersPicture"); }
  // The value in the picture; NaN: none.
  double drawn(const QString& row, const QString& column) const {
    const HeatMap& map = picture()->maps().front();
    const qsizetype at =
        map.rows.indexOf(row) * picture()->columns().size() + picture()->columns().indexOf(column);
    return double(map.values[std::size_t(at)]);
  }

  ReadersPanel* panel_ = nullptr;
};

void TestReadersPanel::initTestCase() {
  auto runs = families();
  runs.removeFirst();
  runs.last().settings << "model.encoder_layers=2"
                       << "model.decoder_layers=3";
  openPanel(runs, "readers");  // DHEA, DenseNMT, Deep-Att
  panel_ = window_->panel<ReadersPanel>();
}

void TestReadersPanel::aModelWithoutSuchBlocksSaysSo() {
  show("dhea-gate.toy.s1");
  QVERIFY2(lack().startsWith("This model has no such blocks"), qPrintable(lack()));
  QVERIFY(!canStart());
  QVERIFY(!picture()->isVisible());
  QCOMPARE(remedy()->text(), QString("Show deep"));  // the newest that has
  QTest::mouseClick(remedy(), Qt::LeftButton);
  QTRY_COMPARE(lack(), QString());
  QCOMPARE(part<QComboBox>("Run")->currentText(), QString("deep"));
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(idOf("deep")));
}

void TestReadersPanel::aButtonMeasures() {
  show("dense");
  QVERIFY2(message().startsWith("Not measured yet"), qPrintable(message()));
  QVERIFY(!panel_->shown() && !picture()->isVisible());
  limit(12);
  start();
  QVERIFY(isBusy());
  QTRY_VERIFY_WITH_TIMEOUT(panel_->shown(), kPatience);
  QVERIFY(!isBusy());
  QVERIFY(picture()->isVisible());
  QCOMPARE(panel_->shown()->on.sentences, std::int64_t{12});
}

void TestReadersPanel::thePictureShowsWhatTheProgramPrints() {
  const Json report = printed({"readers", "dense@best", "--limit", "12"});
  auto* maps = child<QComboBox>("readersMap");
  QCOMPARE(maps->count(), 2);
  for (const char* side : {"encoder", "decoder"}) {
    maps->setCurrentIndex(maps->findText(side));
    for (const char* measure : {"weight", "scaled", "share"}) {
      choose("Measure", measure);
      int cells = 0;
      for (const Json& reader : report.at("readers")) {
        if (reader.at("map") != side) continue;
        for (const Json& block : reader.at("blocks")) {
          const double value = drawn(qs(reader.at("name").get<std::string>()),
                                     qs(block.at("name").get<std::string>()));
          QVERIFY(std::abs(value - block.at(measure).get<double>()) < 1e-6);
          ++cells;
        }
      }
      int values = 0;
      for (const float value : picture()->maps().front().values) values += std::isfinite(value);
      QCOMPARE(values, cells);
    }
  }
  QCOMPARE(picture()->columns().first(), QString("h0"));
  QCOMPARE(picture()->maps().front().rows.last(), QString("bottleneck"));
  QVERIFY(std::isnan(drawn("layer 1 conv", "layer 4 c")));
  picture()->exportTo(path("readers.csv"));
  QCOMPARE(recordsOf(path("readers.csv")).size(), qsizetype{1 + 3 + 5 + 7 + 9});
}

void TestReadersPanel::theCopiedCommandPrintsTheSame() {
  const QString line = copied();
  QVERIFY2(line.contains("readers dense@best --set "), qPrintable(line));
  QVERIFY2(line.contains(" --limit 12 --measure share"), qPrintable(line));
  const ReadersReport again = readersReportFrom(printedByCopied("--again --threads 1"));
  const ReadersReport& shown = *panel_->shown();
  QVERIFY(again.on == shown.on);
  QCOMPARE(again.readers.size(), shown.readers.size());
  for (std::size_t r = 0; r < again.readers.size(); ++r) {
    for (std::size_t b = 0; b < again.readers[r].blocks.size(); ++b)  // threads add up differently
      QVERIFY(std::abs(again.readers[r].value(b, ReadMeasure::kShare) -
                       shown.readers[r].value(b, ReadMeasure::kShare)) < 1e-5);
  }
}

void TestReadersPanel::theKeyboardReadsOutValues() {
  picture()->setFocus();
  QTest::keyClick(picture(), Qt::Key_Home, Qt::ControlModifier);
  const QString text = child<QLabel>("readersReadout")->text();
  QVERIFY2(text.startsWith("layer 1 conv reads h0: read share 1.0000"), qPrintable(text));
  QTest::keyClick(picture(), Qt::Key_Right);
  QCOMPARE(child<QLabel>("readersReadout")->text(),
           QString("layer 1 conv does not read layer 1 a."));
}

void TestReadersPanel::chainsOfFastForwardConnectionsAreDrawn() {
  show("deep");
  start();
  QTRY_VERIFY_WITH_TIMEOUT(panel_->shown(), kPatience);
  auto* maps = child<QComboBox>("readersMap");
  QCOMPARE(maps->count(), 7);  // two columns and the decoder, direct and chained; the interface
  maps->setCurrentIndex(maps->findText("decoder, chained"));
  QCOMPARE(picture()->columns(), (QStringList{"context", "word", "layer 1", "layer 2"}));
  double sum = 0;
  for (const QString& column : picture()->columns()) sum += drawn("layer 3", column);
  QVERIFY(std::abs(sum - 1) < 1e-6);
  maps->setCurrentIndex(maps->findText("decoder"));
  QCOMPARE(picture()->columns(), (QStringList{"context", "word", "h below", "f below"}));
}

void TestReadersPanel::storedResultsAppearWhenTheRunIsChosen() {
  show("dense");
  QTRY_VERIFY(panel_->shown());
  QCOMPARE(child<QSpinBox>("readersLimit")->value(), 12);
  QVERIFY(picture()->isVisible());
  limit(5);
  QVERIFY(!panel_->shown());
  QVERIFY2(message().startsWith("Not measured yet"), qPrintable(message()));
  start();
  QTRY_VERIFY_WITH_TIMEOUT(panel_->shown(), kPatience);
  show("deep");
  limit(7);  // of neither run
  show("dense");
  QTRY_VERIFY(panel_->shown());
  QCOMPARE(child<QSpinBox>("readersLimit")->value(), 12);  // most sentences
}

void TestReadersPanel::cancelStoresNothing() {
  limit(0);
  startAndCancel();
  QVERIFY(!panel_->shown());
}

STRATA_TEST(TestReadersPanel)
#include "test_readers_panel.moc"
