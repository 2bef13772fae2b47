#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeView>
#include <QtTest>
#include <map>

#include "tests/program.h"
#include "tests/ui/exports.h"
#include "tests/ui/trained_window.h"
#include "ui/data/text.h"
#include "ui/panels/config_model.h"
#include "ui/panels/histograms_panel.h"
#include "ui/panels/launch_panel.h"
#include "ui/plots/histogram_map.h"

using namespace strata;
using namespace strata::ui;

// Every figure of the panel Histograms is the one that the program prints, for runs of all families
// that the real program has trained.
class TestHistogramsAndRunner : public QObject, TrainedWindow {
  Q_OBJECT
 private slots:
  void initTestCase() {
    QVector<Trained> runs = families();
    for (Trained& run : runs) run.settings << "recording.histogram_every=15";
    runs << Trained{"without", "dhea/gate-cpu", {"model.hidden=16"}};
    open(runs);
  }
  void cleanupTestCase() { window_.reset(); }
  void binsAndFigures_data();
  void binsAndFigures();
  void aRunWithoutLeadsToTheSetting();

 private:
  HistogramsPanel* panel(const QString& run);  // in front, with this run
};

HistogramsPanel* TestHistogramsAndRunner::panel(const QString& run) {
  window_->showPerspective("watch");
  raise("histograms");
  auto* panel = window_->panel<HistogramsPanel>();
  panel->select({.run = idOf(run)});
  [&] { QTRY_VERIFY_WITH_TIMEOUT(panel->isVisible() && panel->isUpToDate(), kPatience); }();
  return panel;
}

void TestHistogramsAndRunner::binsAndFigures_data() {
  QTest::addColumn<QString>("run");
  QTest::addColumn<int>("kind");
  for (const Trained& run : families()) {
    for (int kind = 0; kind < 3; ++kind)
      QTest::addRow("%s, %d", run.name, kind) << QString(run.name) << kind;
  }
}

void TestHistogramsAndRunner::binsAndFigures() {
  QFETCH(QString, run);
  QFETCH(int, kind);
  HistogramsPanel* shown = panel(run);
  child<QComboBox>("histogramKind")->setCurrentIndex(kind);
  QTRY_VERIFY_WITH_TIMEOUT(shown->isUpToDate(), kPatience);
  auto* layers = child<QComboBox>("histogramLayer");
  const int count = layers->count();
  QVERIFY(count >= 4);
  for (int layer = 0; layer < count; ++layer) {
    layers->setCurrentIndex(layer);
    QTRY_VERIFY_WITH_TIMEOUT(shown->isUpToDate(), kPatience);
    QCOMPARE(layers->currentIndex(), layer);
    QSignalSpy copied(shown, &Panel::commandCopied);
    shown->findChild<QAction*>("copyCommand")->trigger();
    const Json printedLayer = printed(copied[0][0].toStringList()).at("histograms");
    QCOMPARE(printedLayer.size(), std::size_t{4});  // steps 15, 30, 45, 60
    shown->exportTo(path("histograms.csv"));
    const Records records = recordsOf(path("histograms.csv"));
    qsizetype next = 0;
    const HistogramMap& map = shown->map()->map();
    for (std::size_t step = 0; step < printedLayer.size(); ++step) {
      const Json& each = printedLayer.at(step);
      for (const Json& bin : each.at("bins")) {
        const auto& record = records.at(next++);
        QCOMPARE(record["step"].toLongLong(), each.at("step").get<qint64>());
        QVERIFY(record["lower"].toDouble() == bin.at(0).get<double>());
        QVERIFY(record["upper"].toDouble() == bin.at(1).get<double>());
        QCOMPARE(record["count"].toLongLong(), bin.at(2).get<qint64>());
      }
      QVERIFY(toJson(map.columns.at(step).figures).at("quantiles") == each.at("quantiles"));
      QVERIFY(each.at("non_finite") == 0 && each.at("values").get<qint64>() > 0);
    }
    QCOMPARE(records.size(), next);
  }
}

void TestHistogramsAndRunner::aRunWithoutLeadsToTheSetting() {
  HistogramsPanel* shown = panel("without");
  QVERIFY(shown->map()->steps().empty());
  shown->findChild<QPushButton*>("lackRemedy")->click();
  QCOMPARE(window_->perspective(), QString("train"));
  auto* form = window_->panel<LaunchPanel>()->findChild<QTreeView*>("configTree");
  QVERIFY(form);
  QTRY_COMPARE_WITH_TIMEOUT(form->currentIndex().data(ConfigModel::kPathRole).toString(),
                            QString("recording.histogram_every"), kPatience);
}

STRATA_TEST(TestHistogramsAndRunner)
#include "test_histograms_and_runner.moc"
