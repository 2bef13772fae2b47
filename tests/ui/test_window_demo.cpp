#include <signal.h>

#include <QAction>
#include <QComboBox>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

#include "core/store/runs.h"
#include "core/store/workspace.h"
#include "tests/program.h"
#include "tests/ui/patience.h"
#include "ui/data/text.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/runs_panel.h"
#include "ui/widgets/messages.h"
#include "ui/window/main_window.h"

using namespace strata;
using namespace strata::ui;

// End to end with the real programs: start the demo from the window, watch it, stop it, resume it,
// kill it.
class TestWindowDemo : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void cleanupTestCase();
  void theDemoStartsAndItsCurveGrows();
  void stopIsAcknowledged();
  void resumeGoesOnWhereItStopped();
  void aKilledRunIsNamed();
  void whatTheLaunchPanelStartsTrains();

 private:
  const RunRow* run() const;
  QString status() const { return run() ? qs(nameOf(run()->status)) : QString(); }
  std::size_t points() const;
  void press(const char* button);

  QTemporaryDir folder_;
  std::unique_ptr<MainWindow> window_;
  qint64 demo_ = 0, stoppedAt_ = 0;
};

void TestWindowDemo::initTestCase() {
  if (!qEnvironmentVariableIsSet("STRATA_RUN")) {
    const QFileInfo runner(QStringLiteral(STRATA_BIN_DIR "/strata-run"));
    qputenv("STRATA_RUN", runner.absoluteFilePath().toUtf8());
  }
  QVERIFY2(QProcess::execute(qEnvironmentVariable("STRATA_RUN"), {"demo", "--help"}) == 0,
           "bin/strata-run is not built");
  MainWindow::Options options;
  options.workspace = folder_.path();
  window_ = std::make_unique<MainWindow>(options);
  window_->show();
  QTRY_VERIFY(window_->isOpened());
}

// Ends every process that the test has started, by its id.
void TestWindowDemo::cleanupTestCase() {
  if (!window_) return;
  window_->close();
  window_.reset();
  if (demo_ > 0) ::kill(pid_t(demo_), SIGTERM);  // it forwards the signal to its runs
  Workspace workspace(folder_.path().toStdString());
  for (const RunSummary& summary : listRuns(workspace)) {
    if (summary.status != RunStatus::kRunning) continue;
    const auto starts = runStarts(workspace, summary.id);
    if (!starts.empty()) ::kill(pid_t(starts.back().pid), SIGKILL);
  }
  QTest::qWait(500);
}

const RunRow* TestWindowDemo::run() const {
  for (const RunRow& row : window_->rows()) {
    if (row.preset == QLatin1String("demo/mlrf")) return &row;
  }
  return nullptr;
}

std::size_t TestWindowDemo::points() const {
  const auto series =
      run() ? window_->panel<CurvesPanel>()->series({run()->id, "train/nll"}) : nullptr;
  return series ? series->size() : 0;
}

void TestWindowDemo::press(const char* button) {
  QVERIFY(run());
  window_->panel<RunsPanel>()->table()->clearSelection();
  window_->panel<RunsPanel>()->selectRun(run()->id);
  auto* tool = window_->findChild<QToolButton*>(QLatin1String(button));
  QTRY_VERIFY(tool->isEnabled());
  QTest::mouseClick(tool, Qt::LeftButton);
}

void TestWindowDemo::theDemoStartsAndItsCurveGrows() {
  QTest::mouseClick(window_->panel<RunsPanel>()->findChild<QPushButton*>("runDemoButton"),
                    Qt::LeftButton);
  demo_ = window_->demoProcess();
  QVERIFY(demo_ > 0);
  QVERIFY(!window_->findChild<QAction*>("runDemo")->isEnabled());
  const auto ended = [this] { return window_->demoProcess() == 0; };
  QTRY_VERIFY_WITH_TIMEOUT(status() == "running" || ended(), kPatience);
  QVERIFY2(!ended(), qPrintable(window_->messages()->text()));
  QTRY_VERIFY_WITH_TIMEOUT(points() >= 1, kPatience);
  const std::size_t before = points();
  QTRY_VERIFY_WITH_TIMEOUT(points() > before, kPatience);
}

void TestWindowDemo::stopIsAcknowledged() {
  press("stopRunButton");
  QTRY_COMPARE_WITH_TIMEOUT(status(), QString("stopped"), kPatience);
  stoppedAt_ = run()->step;
  QVERIFY(stoppedAt_ > 0);
  QTRY_VERIFY(run()->hasCheckpoint);
}

void TestWindowDemo::resumeGoesOnWhereItStopped() {
  press("resumeRunButton");
  QTRY_COMPARE_WITH_TIMEOUT(status(), QString("running"), kPatience);
  QTRY_VERIFY_WITH_TIMEOUT(run()->step > stoppedAt_, kPatience);
  const auto series = window_->panel<CurvesPanel>()->series({run()->id, "train/nll"});
  QVERIFY(series);
  const auto steps = series->steps();
  QVERIFY(steps.size() > 1 &&
          steps.front() < double(stoppedAt_));  // the curve before is still there
}

void TestWindowDemo::aKilledRunIsNamed() {
  Workspace workspace(folder_.path().toStdString(), {.access = Access::kRead});
  const auto starts = runStarts(workspace, run()->id);
  QCOMPARE(starts.size(), std::size_t(2));
  QVERIFY(starts.back().pid > 0);
  ::kill(pid_t(starts.back().pid), SIGKILL);
  QTRY_COMPARE_WITH_TIMEOUT(status(), QString("interrupted"), kPatience);
  QTRY_VERIFY2(window_->messages()->text().contains("interrupted"),
               qPrintable(window_->messages()->text()));
}

// Preset, dataset and name by hand; then the queue, a worker and a trainer, all of them real.
void TestWindowDemo::whatTheLaunchPanelStartsTrains() {
  window_->showPerspective("train");
  LaunchPanel* launch = window_->panel<LaunchPanel>();
  auto* preset = launch->findChild<QComboBox*>("launchPreset");
  QTRY_VERIFY_WITH_TIMEOUT(preset->findText("demo/base") >= 0, kPatience);
  preset->setCurrentText("demo/base");
  launch->findChild<QLineEdit*>("launchName")->setText("by hand");
  auto* start = launch->findChild<QPushButton*>("launchStart");
  QTRY_VERIFY_WITH_TIMEOUT(launch->isUpToDate() && start->isEnabled(), kPatience);
  QTest::mouseClick(start, Qt::LeftButton);
  const auto mine = [this]() -> const RunRow* {
    const auto& rows = window_->rows();
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [](const RunRow& row) { return row.name == "by hand"; });
    return found == rows.end() ? nullptr : &*found;
  };
  QTRY_VERIFY_WITH_TIMEOUT(mine() && mine()->isRunning() && mine()->step > 0, kPatience);
  QCOMPARE(mine()->preset, QString("demo/base"));
  QCOMPARE(mine()->dataset, QString("demo"));
}

STRATA_TEST(TestWindowDemo)
#include "test_window_demo.moc"
