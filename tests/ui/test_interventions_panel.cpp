#include <QSignalSpy>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QtTest>
#include <cmath>

#include "core/base/files.h"
#include "core/base/text_limits.h"
#include "tests/program.h"
#include "tests/ui/exports.h"
#include "tests/ui/measured_window.h"
#include "tests/ui/trained_window.h"
#include "ui/panels/interventions_panel.h"
#include "ui/plots/category_plot.h"
#include "ui/plots/effect_scatter.h"
#include "ui/widgets/report_table.h"

using namespace strata;
using namespace strata::ui;

// With the real programs: what the panel measures, shows and keeps is what `strata-run effects`
// prints.
class TestInterventionsPanel : public QObject, MeasuredWindow {
  Q_OBJECT
 public:
  TestInterventionsPanel() : MeasuredWindow("effects") {}

 private slots:
  void initTestCase();
  void cleanupTestCase() { window_.reset(); }
  void aModelWithoutTheUnitsSaysWhatItHas();
  void anotherModelOffersItsOwnUnits();
  void startMeasuresAndShows();
  void bleuIsMeasuredWhenAsked();
  void picturesShowOneClassOfWords();
  void theScatterDrawsTheChosenEffect();
  void theCopiedCommandPrintsTheSame();
  void storedResultsAppearWhenTheRunIsChosen();
  void anErrorIsSaidInPlace();
  void cancelStoresNothing();
  void kindsThatTheFormTellsAreThoseOfTheEngine();

 private:
  InterventionsPanel* panel_ = nullptr;
};

void TestInterventionsPanel::initTestCase() {
  openPanel(families().first(2), "interventions");
  panel_ = window_->panel<InterventionsPanel>();
}

void TestInterventionsPanel::aModelWithoutTheUnitsSaysWhatItHas() {
  show(kFused);
  choose("Kind", "gates");
  QVERIFY2(lack().startsWith("This model has no gate between source and history"),
           qPrintable(lack()));
  QVERIFY2(lack().contains("Levels of a fusion, Hops of a fusion"), qPrintable(lack()));
  QVERIFY(!canStart());
  QVERIFY(!part<QLabel>("Message")->isVisible());
  QCOMPARE(remedy()->text(), QString("Choose: Levels of a fusion"));
  QTest::mouseClick(remedy(), Qt::LeftButton);
  QCOMPARE(lack(), QString());
  QCOMPARE(part<QComboBox>("Kind")->currentData().toString(), QString("levels"));
  choose("Kind", "hops");
  choose("Mode", "mask");
  QVERIFY2(lack().contains("only levels and cells can be masked"), qPrintable(lack()));
  QCOMPARE(remedy()->text(), QString("Replace them by their mean"));
  QTest::mouseClick(remedy(), Qt::LeftButton);
  QCOMPARE(part<QComboBox>("Mode")->currentData().toString(), QString("mean"));
  QCOMPARE(lack(), QString());
  QVERIFY2(message().contains("Not measured yet"), qPrintable(message()));
  QVERIFY(canStart());
}

// A run without what was chosen shows units that it has; the others cannot be picked.
void TestInterventionsPanel::anotherModelOffersItsOwnUnits() {
  show(kFused);
  choose("Kind", "hops");
  show(kHistory);
  const auto* kinds = child<QComboBox>("effectsKind");
  QVERIFY2(message().startsWith("Not measured yet"), qPrintable(message()));
  const auto* items = qobject_cast<QStandardItemModel*>(kinds->model());
  QVERIFY(!items->item(kinds->findData("hops"))->isEnabled());
  QVERIFY(items->item(kinds->findData("gates"))->isEnabled());
}

void TestInterventionsPanel::startMeasuresAndShows() {
  show(kFused);
  choose("Kind", "cells");
  choose("Mode", "mask");
  limit(8);
  QVERIFY(!panel_->shown());
  start();
  QVERIFY(!canStart());
  QVERIFY(isBusy());
  QTRY_VERIFY_WITH_TIMEOUT(panel_->shown(), kPatience);
  QVERIFY(!isBusy());
  const auto& units = panel_->shown()->statistics.units;
  QCOMPARE(units.size(), std::size_t{4 * 3});  // hops x levels
  QCOMPARE(child<ReportTable>("effectsTable")->model()->rowCount(), 12);
  const auto* picture = child<CategoryPlot>("effectsByLayer");
  QCOMPARE(picture->categories(), (QStringList{"embedding", "layer 1", "layer 2"}));
  QCOMPARE(picture->series().size(), 5);  // the hops and the line of no effect
  QCOMPARE(picture->series()[1].values[2], units[1 * 3 + 2].effect);
  QCOMPARE(picture->series()[1].low[2], units[1 * 3 + 2].low);
  const auto* scatter = child<EffectScatter>("effectsByWeight");
  QCOMPARE(scatter->points().size(), 12);
  QCOMPARE(scatter->points()[5].x, units[5].weight);
  QVERIFY2(scatter->title().contains("Spearman"), qPrintable(scatter->title()));
  QVERIFY(child<QLabel>("effectsLists")->text().contains("Weight without effect: "));
}

void TestInterventionsPanel::bleuIsMeasuredWhenAsked() {
  auto* button = part<QPushButton>("Bleu");
  QVERIFY(button->isVisible());
  QVERIFY(!panel_->arguments().contains("--bleu"));
  QCOMPARE(part<QComboBox>("Figure")->findData("bleu"), -1);
  const double likelihood = panel_->shown()->statistics.units[5].effect;
  QTest::mouseClick(button, Qt::LeftButton);
  QVERIFY(!button->isVisible() && isBusy());
  QTRY_VERIFY_WITH_TIMEOUT(panel_->shown() && panel_->shown()->statistics.bleu, kPatience);
  QVERIFY(!button->isVisible() && !isBusy());
  const auto& units = panel_->shown()->statistics.units;
  QCOMPARE(units[5].effect, likelihood);
  QVERIFY2(message().contains(" of the model's translations (greedy search; "),
           qPrintable(message()));
  const auto* table = child<ReportTable>("effectsTable")->model();
  QStringList columns;
  for (int i = 0; i < table->columnCount(); ++i)
    columns << table->headerData(i, Qt::Horizontal).toString();
  QVERIFY2(columns.contains("change of BLEU"), qPrintable(columns.join(", ")));
  choose("Figure", "bleu");
  const auto& hop = child<CategoryPlot>("effectsByLayer")->series()[1];
  QCOMPARE(hop.values[2], units[1 * 3 + 2].bleu.change);
  QCOMPARE(hop.low[2], units[1 * 3 + 2].bleu.low);
  QVERIFY(toJson(effectsReportFrom(printedByCopied())) == toJson(*panel_->shown()));
}

void TestInterventionsPanel::picturesShowOneClassOfWords() {
  const auto& unit = panel_->shown()->statistics.units[1 * 3 + 2];
  const auto* picture = child<CategoryPlot>("effectsByLayer");
  for (const WordClass each : {WordClass::kFunction, WordClass::kContent}) {
    choose("Figure", qs(nameOf(each)));
    QCOMPARE(picture->series()[1].values[2], unit.byClass[std::size_t(each)]);
    QVERIFY2(picture->title().contains(qs(nameOf(each))), qPrintable(picture->title()));
  }
  choose("Figure", "all");
  QCOMPARE(picture->series()[1].values[2], unit.effect);
}

// Effects on all words, or the changes of BLEU, with the correlation that the program prints.
void TestInterventionsPanel::theScatterDrawsTheChosenEffect() {
  const EffectStatistics& statistics = panel_->shown()->statistics;
  const UnitEffect& unit = statistics.units[5];
  const auto* scatter = child<EffectScatter>("effectsByWeight");
  const auto titleOf = [](const std::vector<EffectCorrelation>& correlations) {
    QStringList lines;
    for (const EffectCorrelation& each : correlations) lines << qs(textOf(each));
    return lines.join('\n');
  };
  choose("Figure", "content");
  child<QTabWidget>("effectsPictures")->setCurrentIndex(1);
  auto* figure = part<QComboBox>("Figure");
  QVERIFY(figure->isVisible());
  QCOMPARE(figure->count(), 2);  // no class of words
  QCOMPARE(figure->currentData().toString(), QString("all"));
  QCOMPARE(scatter->points()[5].y, unit.effect);
  QCOMPARE(scatter->title(), titleOf(statistics.correlations));
  choose("Figure", "bleu");
  QCOMPARE(scatter->points()[5].x, unit.weight);
  QCOMPARE(scatter->points()[5].y, unit.bleu.change);
  QCOMPARE(scatter->points()[5].high, unit.bleu.high);
  QVERIFY(!statistics.bleu->correlations.empty());
  QCOMPARE(scatter->title(), titleOf(statistics.bleu->correlations));
  const QString output = QString::fromUtf8(outputOfCopied(panel_));
  for (const EffectCorrelation& each : statistics.bleu->correlations)
    QVERIFY2(output.contains("change of BLEU, " + qs(textOf(each))), qPrintable(output));
  child<QTabWidget>("effectsPictures")->setCurrentIndex(0);
  QCOMPARE(figure->currentData().toString(), QString("bleu"));  // one choice for both pictures
  choose("Figure", "all");
  QCOMPARE(scatter->points()[5].y, unit.effect);
}

void TestInterventionsPanel::theCopiedCommandPrintsTheSame() {
  QVERIFY(panel_->shown());
  const QString line = copied();
  QVERIFY2(line.contains("--kind cells --mode mask"), qPrintable(line));
  const EffectsReport report = effectsReportFrom(printedByCopied("--again --threads 1"));
  QCOMPARE(report.statistics.units.size(), panel_->shown()->statistics.units.size());
  QVERIFY(report.key == panel_->shown()->key);
  for (std::size_t i = 0; i < report.statistics.units.size(); ++i)  // threads add up differently
    QVERIFY(std::abs(report.statistics.units[i].effect -
                     panel_->shown()->statistics.units[i].effect) < 1e-5);
}

void TestInterventionsPanel::storedResultsAppearWhenTheRunIsChosen() {
  show(kHistory);
  QVERIFY(!panel_->shown());
  choose("Kind", "gates");
  choose("Mode", "mean");
  limit(5000);  // more than the set has: all
  start();
  QTRY_VERIFY_WITH_TIMEOUT(panel_->shown(), kPatience);
  QVERIFY(panel_->shown()->key.on.isWhole());
  QCOMPARE(panel_->shown()->statistics.units.size(), std::size_t{2 * 3});
  QVERIFY(child<QLabel>("effectsLists")->isHidden());  // a fixed gate has no weight
  show(kFused);  // which has no gates: what was measured of it appears
  QTRY_VERIFY(panel_->shown() && panel_->shown()->key.kind == EffectKind::kCells);
  QCOMPARE(child<QComboBox>("effectsKind")->currentData().toString(), QString("cells"));
  child<EffectScatter>("effectsByWeight")->exportTo(path("cells.csv"));
  const auto records = recordsOf(path("cells.csv"));
  QCOMPARE(records.size(), qsizetype{12});
  QCOMPARE(records[0]["unit"], QString("hop 1, embedding"));
}

void TestInterventionsPanel::anErrorIsSaidInPlace() {
  show(kHistory);
  choose("Kind", "contexts");
  choose("Mode", "zero");
  const QString folder = folder_.path() + "/datasets/toy", away = folder + "-away";
  QVERIFY(QDir().rename(folder, away));
  start();
  QTRY_VERIFY_WITH_TIMEOUT(message().contains("effects.log"), kPatience);
  QVERIFY2(message().contains("toy"), qPrintable(message()));
  QVERIFY(QDir().rename(away, folder));
  QTRY_VERIFY(canStart());
  start();  // and once more, with the dataset back
  QTRY_VERIFY_WITH_TIMEOUT(panel_->shown(), kPatience);
  QVERIFY(!message().contains("effects.log"));
}

void TestInterventionsPanel::cancelStoresNothing() {
  show(kFused);
  choose("Kind", "heads");
  choose("Mode", "zero");
  limit(0);
  startAndCancel();
  QVERIFY(!panel_->shown());
  show(kHistory);  // whose gates have been measured, and stay so
  choose("Kind", "gates");
  QVERIFY(panel_->shown());
  auto* bleu = part<QPushButton>("Bleu");
  QTest::mouseClick(bleu, Qt::LeftButton);
  QTest::mouseClick(part<QPushButton>("Cancel"), Qt::LeftButton);
  QTRY_VERIFY_WITH_TIMEOUT(message().contains("Cancelled"), kPatience);
  QVERIFY(panel_->shown() && !panel_->shown()->statistics.bleu);
  QVERIFY(bleu->isVisible() && canStart());
}

// The engine refuses what a model does not have and lists what it has.
void TestInterventionsPanel::kindsThatTheFormTellsAreThoseOfTheEngine() {
  for (const QString& run : {kFused, kHistory}) {
    const Json model = printed({"runs", "show", run}).at("config").at("model");
    QStringList told;
    QString lacking;
    for (const EffectKind each : kEffectKinds) {
      const QString name = qs(strata::nameOf(each));
      if (lackOf(model, each).empty()) {
        told << name;
      } else {
        lacking = name;
      }
    }
    QProcess process;
    process.start(runner_, {"--workspace", folder_.path(), "effects", run, "--kind", lacking});
    QVERIFY(process.waitForFinished(kPatience));
    const QString refusal = QString::fromUtf8(process.readAllStandardError()).trimmed();
    QVERIFY2(refusal.endsWith("it has " + told.join(", ")), qPrintable(refusal));
  }
}

STRATA_TEST(TestInterventionsPanel)
#include "test_interventions_panel.moc"
