#include <qcustomplot.h>

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QTabWidget>
#include <QtTest>

#include "core/report/table.h"
#include "tests/program.h"
#include "tests/ui/exports.h"
#include "tests/ui/window_fixture.h"
#include "ui/data/text.h"
#include "ui/panels/sweeps_panel.h"
#include "ui/plots/xy_plot.h"
#include "ui/widgets/report_table.h"

using namespace strata;
using namespace strata::ui;

// Sweeps in the real window, over runs whose means are easy to see.
class TestSweepsPanel : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init();
  void cleanup() { removeWorkspace(); }
  void pointsMeansAndBaseline();
  void aPointChoosesItsRun();
  void theFilterAndItsError();
  void newRunsArriveAndChoicesAreKept();
  void everyConfigurationOverAllKeys();
  void theCopiedCommandPrintsTheTable();
  void theExportHoldsAllValues();

 private:
  void add(const std::string& name, double dropout, std::int64_t seed, double nll) {
    Json config = fixture::config();
    config["seed"] = seed;
    config["training"]["dropout"] = dropout;
    config["training"]["lr"] = dropout < 0.2 ? 1 : 2;
    const RunSummary run = createRun(*workspace_, {name, config, "mlrf/both-fnn-sa4"});
    RunSession session(*workspace_, run.id, fixture::start());
    session.scalars({{run.id, "valid/nll", 100, nll, 1.7e9}});
    session.end({run.id, 100, RunOutcome::kFinished, ""});
  }
  SweepsPanel* panel() const { return window_->panel<SweepsPanel>(); }
  XyPlot* chart() const { return child<XyPlot>("sweepsChart"); }
  void show() {
    open();
    window_->bringUp("sweeps");
    QTRY_VERIFY(panel()->isUpToDate() && !panel()->table().values.empty());
  }
  const XySeries* seriesNamed(const QString& label) const {
    for (const XySeries& each : chart()->series()) {
      if (each.label == label) return &each;
    }
    return nullptr;
  }
};

void TestSweepsPanel::init() {
  makeWorkspace();
  add("a1", 0.1, 1, 3.0);
  add("a2", 0.1, 2, 2.0);
  add("b1", 0.3, 1, 4.0);
}

void TestSweepsPanel::pointsMeansAndBaseline() {
  show();
  QCOMPARE(child<QComboBox>("sweepsMetric")->currentText(), QString("best valid/nll"));
  QCOMPARE(child<QComboBox>("sweepsX")->currentText(), QString("training.dropout"));
  const XySeries* mean = seriesNamed("mean");
  QVERIFY(mean);
  QCOMPARE(mean->points, (QVector<QPointF>{{0.1, 2.5}, {0.3, 4.0}}));
  const double std = std::sqrt(0.5);  // of 3 and 2
  QVERIFY(std::abs(mean->band[0].x() - (2.5 - std)) < 1e-12);
  QVERIFY(std::abs(mean->band[0].y() - (2.5 + std)) < 1e-12);
  child<QComboBox>("sweepsBand")->setCurrentIndex(1);  // 12.7062 std / sqrt(2)
  QVERIFY(std::abs(seriesNamed("mean")->band[0].y() - (2.5 + 12.7062 * 0.5)) < 1e-9);
  const XySeries* seeds = seriesNamed("best valid/nll, seeds");
  QVERIFY(seeds);
  QCOMPARE(seeds->points, (QVector<QPointF>{{0.1, 3.0}, {0.1, 2.0}, {0.3, 4.0}}));
  QVERIFY(!seriesNamed("baseline a1"));
  child<QComboBox>("sweepsBaseline")->setCurrentText("a1");
  QVERIFY(seriesNamed("baseline a1") && seriesNamed("baseline a1")->level);
  QCOMPARE(seriesNamed("baseline a1")->points[0].y(), 2.5);
  QCOMPARE(textTable(child<ReportTable>("sweepsTable")->table()),
           textTable(shownTable(panel()->table())));
}

void TestSweepsPanel::aPointChoosesItsRun() {
  show();
  qsizetype at = 0;
  while (chart()->series()[at].label != "best valid/nll, seeds") ++at;
  QTest::mouseClick(chart()->plot(), Qt::LeftButton, {}, chart()->pointOf(int(at), 1));
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(2));
  // By keyboard: from the leftmost point on.
  chart()->setFocus();
  QTest::keyClick(chart(), Qt::Key_Right);
  QVERIFY(chart()->accessibleDescription().contains("training.dropout: 0.1"));
  for (int i = 0; i < 9; ++i) QTest::keyClick(chart(), Qt::Key_Right);
  QTest::keyClick(chart(), Qt::Key_Return);
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(3));
}

void TestSweepsPanel::theFilterAndItsError() {
  show();
  auto* filter = child<QLineEdit>("sweepsFilter");
  filter->setText("(");
  QTRY_VERIFY(child<QLabel>("sweepsProblem")->text().contains("not a regular expression"));
  filter->setText("^A");
  QTRY_VERIFY(child<QLabel>("sweepsProblem")->text().contains("a1: no parameters"));
  filter->setText("1$");
  QTRY_COMPARE(panel()->table().values.size(), std::size_t(2));
  QCOMPARE(panel()->table().values[0].mean, 3.0);
}

void TestSweepsPanel::newRunsArriveAndChoicesAreKept() {
  show();
  child<QComboBox>("sweepsMetric")->setCurrentText("last valid/nll");
  child<QComboBox>("sweepsX")->setCurrentText("training.lr");
  add("b2", 0.3, 2, 6.0);
  QTRY_COMPARE(panel()->table().values.back().points.size(), std::size_t(2));
  QCOMPARE(panel()->table().values.back().mean, 5.0);
  reopen();
  window_->bringUp("sweeps");
  QTRY_VERIFY(!panel()->table().values.empty());
  QCOMPARE(panel()->table().query.metric, std::string("last valid/nll"));
  QCOMPARE(panel()->table().query.x, std::string("training.lr"));
}

void TestSweepsPanel::everyConfigurationOverAllKeys() {
  show();
  child<QTabWidget>("sweepsTabs")->setCurrentIndex(1);
  const auto* axes = child<XyPlot>("sweepsAxes");
  QCOMPARE(axes->names(), (QStringList{"training.dropout: 0.1 – 0.3", "training.lr: 1 – 2",
                                       "best valid/nll: 2.5 – 4"}));
  QCOMPARE(axes->series().size(), 2);  // two configurations
  const XySeries& best = axes->series().back();
  QCOMPARE(best.label, QString("a1"));
  QCOMPARE(best.points, (QVector<QPointF>{{0, 0}, {1, 0}, {2, 0}}));
  QCOMPARE(axes->series()[0].points, (QVector<QPointF>{{0, 1}, {1, 1}, {2, 1}}));
}

void TestSweepsPanel::theCopiedCommandPrintsTheTable() {
  show();
  child<QComboBox>("sweepsBaseline")->setCurrentText("b1");
  qputenv("STRATA_RUN", QFileInfo(STRATA_BIN_DIR "/strata-run").absoluteFilePath().toUtf8());
  panel()->findChild<QAction*>("copyCommand")->trigger();
  QProcess process;
  process.start("sh", {"-c", QGuiApplication::clipboard()->text()});
  QVERIFY(process.waitForFinished(30000));
  const QByteArray printed = process.readAllStandardOutput();
  QVERIFY2(printed.startsWith(textTable(shownTable(panel()->table())).c_str()),
           printed.constData());
}

void TestSweepsPanel::theExportHoldsAllValues() {
  show();
  const QString path = folder_->filePath("sweep.csv");
  chart()->exportTo(path);
  const Records records = recordsOf(path);
  QCOMPARE(records.size(), 5);  // two means, three seeds
  QCOMPARE(records[0]["best valid/nll"], QString("2.5"));
  QCOMPARE(records[3]["point"], QString("a2, seed 2"));
  chart()->exportTo(folder_->filePath("sweep.svg"));
  QVERIFY(QFileInfo(folder_->filePath("sweep.svg")).size() > 1000);
}

STRATA_TEST(TestSweepsPanel)
#include "test_sweeps_panel.moc"
