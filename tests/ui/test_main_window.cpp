#include <sys/wait.h>
#include <unistd.h>

#include <QComboBox>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QUndoStack>
#include <QtTest>

#include "tests/inside/recording_fixture.h"
#include "tests/program.h"
#include "tests/ui/window_fixture.h"
#include "ui/panels/curves_panel.h"
#include "ui/panels/gradient_flow_panel.h"
#include "ui/panels/history_sentence_view.h"
#include "ui/panels/hop_weights_panel.h"
#include "ui/panels/log_panel.h"
#include "ui/panels/runs_model.h"
#include "ui/panels/runs_panel.h"
#include "ui/panels/target_attention_panel.h"
#include "ui/plots/arc_view.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/gradient_map.h"
#include "ui/plots/heat_map.h"
#include "ui/widgets/command_palette.h"
#include "ui/widgets/messages.h"
#include "ui/window/perspective_page.h"
#include "ui/window/session.h"
#include "ui/window/stage.h"
#include "ui/window/view_tabs.h"

using namespace strata;
using namespace strata::ui;

// Drives the real window on a workspace that the test fills through core/store as a trainer
// would.
class TestMainWindow : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void aNewWorkspaceSaysWhatToDoNext();
  void runsAreListedAndFiltered();
  void curvesGrowWhileARunTrains();
  void aStopIsShownWhenTheProcessHasAcknowledgedIt();
  void aRunWhoseProcessDiedIsNamedInterrupted();
  void aQueueGoesOnUnlessThereAreOnlyPictures();
  void renamingCanBeUndone();
  void hopWeightsFollowTheSliderAndTheSentence();
  void targetSideAttentionIsReadFromTheWorkspace();
  void gradientsGrowWhileARunTrains();
  void theLogIsFollowed();
  void thePaletteRunsCommands();
  void perspectivesThemesAndSessionSurviveAReopening();
  void crashesDoNotRestoreTheLayoutUnasked();
  void aStartIsCountedBeforeItsLayoutIsRestored();
  void aLayoutWhoseRestoreWasNotSurvivedStartsFresh();

 private:
  QString textAt(int row, int column) const;
};

QString TestMainWindow::textAt(int row, int column) const {
  const auto* model = window_->panel<RunsPanel>()->table()->model();
  return model->index(row, column).data().toString();
}

void TestMainWindow::aNewWorkspaceSaysWhatToDoNext() {
  open();
  QVERIFY(window_->panel<RunsPanel>()->isEmpty());
  QVERIFY(window_->panel<CurvesPanel>()->isEmpty());
  QVERIFY(window_->panel<HopWeightsPanel>()->isEmpty());
  auto* demo = window_->panel<RunsPanel>()->findChild<QPushButton*>("runDemoButton");
  QVERIFY(demo && demo->isVisible());
  QTest::mouseClick(demo,
                    Qt::LeftButton);  // there is no runner here: the bar says so and what to do
  QTRY_VERIFY2(window_->messages()->text().contains("/nowhere/strata-run"),
               qPrintable(window_->messages()->text()));
}

void TestMainWindow::runsAreListedAndFiltered() {
  for (const char* name : {"base", "fused one", "fused two"}) fixture::makeRun(*workspace_, name);
  open();
  QTRY_COMPARE(window_->panel<RunsPanel>()->table()->model()->rowCount(), 3);
  QCOMPARE(textAt(0, RunsModel::kName), QString("fused two"));  // the newest first
  QCOMPARE(textAt(0, RunsModel::kPreset), QString("mlrf/both-fnn-sa4"));
  QCOMPARE(textAt(0, RunsModel::kDataset), QString("toy"));
  auto* filter = child<QLineEdit>("runsFilter");
  filter->setText("fused (one|two)");
  QCOMPARE(window_->panel<RunsPanel>()->table()->model()->rowCount(), 2);
  filter->setText("fused (");  // not an expression yet: the filter before stays
  QCOMPARE(window_->panel<RunsPanel>()->table()->model()->rowCount(), 2);
  filter->setText("^base$");
  QCOMPARE(window_->panel<RunsPanel>()->table()->model()->rowCount(), 1);
  QCOMPARE(child<QLabel>("runsCount")->text(), QString("1 of 3 runs"));
}

void TestMainWindow::curvesGrowWhileARunTrains() {
  const RunSummary run = fixture::makeRun(*workspace_, "grows");
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::train(session, 10, 500);
  open();
  const SeriesKey key{run.id, "train/nll"};
  QTRY_VERIFY(window_->panel<CurvesPanel>()->series(key) &&
              window_->panel<CurvesPanel>()->series(key)->size() == 50);
  QTRY_VERIFY(window_->panel<CurvesPanel>()->isUpToDate());
  QCOMPARE(window_->panel<CurvesPanel>()->series(key)->values().back(), 4.5);
  CurvePlot* chart = window_->panel<CurvesPanel>()->chart("train/nll");
  QVERIFY(chart && chart->isVisible());
  fixture::train(session, 510, 1000);
  QTRY_COMPARE(window_->panel<CurvesPanel>()->series(key)->size(), std::size_t(100));
  QTRY_VERIFY(chart->isUpToDate());
  QCOMPARE(window_->panel<CurvesPanel>()->series({run.id, "valid/nll"})->size(), std::size_t(10));
  QTRY_COMPARE(textAt(0, RunsModel::kBest), QString("3.500 at 1,000"));
  QCOMPARE(textAt(0, RunsModel::kStatus), QString("running"));
  child<QSlider>("curveSmoothing")->setValue(60);
  QVERIFY(window_->panel<CurvesPanel>()->series(key)->smoothing() > 0.5);
  child<QComboBox>("curveXAxis")->setCurrentIndex(1);
  QTRY_VERIFY(chart->isUpToDate());
}

void TestMainWindow::aStopIsShownWhenTheProcessHasAcknowledgedIt() {
  const RunSummary run = fixture::makeRun(*workspace_, "stops");
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::train(session, 10, 100);
  open();
  QTRY_COMPARE(textAt(0, RunsModel::kStatus), QString("running"));
  auto* stop = child<QToolButton>("stopRunButton");
  QTRY_VERIFY(stop->isEnabled());  // for the current run
  window_->panel<RunsPanel>()->table()->clearSelection();
  QVERIFY(!stop->isEnabled());
  window_->panel<RunsPanel>()->selectRun(run.id);
  QTRY_VERIFY(stop->isEnabled());
  QTest::mouseClick(stop, Qt::LeftButton);
  QTRY_COMPARE(textAt(0, RunsModel::kStatus), QString("running (stop requested)"));
  QVERIFY(!stop->isEnabled());  // it has been asked
  std::optional<PendingCommand> command;
  QTRY_VERIFY(command || (command = session.poll()));  // each command comes once
  QVERIFY(command->command == Command::kStop);
  session.acknowledge(command->id, "saved at step 100");
  session.end({run.id, 100, RunOutcome::kStopped, ""});
  QTRY_COMPARE(textAt(0, RunsModel::kStatus), QString("stopped"));
  QTRY_VERIFY2(window_->messages()->text().contains("saved at step 100"),
               qPrintable(window_->messages()->text()));
}

// There is no program here, which the window says when it starts one.
void TestMainWindow::aQueueGoesOnUnlessThereAreOnlyPictures() {
  enqueueRun(*workspace_, {"waits", fixture::config("toy"), "mlrf/base"});
  open();
  QTRY_VERIFY(window_->messages()->text().contains("/nowhere/strata-run"));
  MainWindow::Options options;
  options.workspace = folder_->path();
  options.keepSession = false;  // for --screenshot
  window_ = std::make_unique<MainWindow>(options);
  window_->show();
  QTRY_VERIFY(window_->isOpened() && window_->rows().size() == 1);
  QTest::qWait(300);
  QCOMPARE(window_->messages()->text(), QString());
}

void TestMainWindow::aRunWhoseProcessDiedIsNamedInterrupted() {
  const RunSummary run = fixture::makeRun(*workspace_, "dies");
  // Another process trains it and is killed, so it cannot record its end.
  workspace_.reset();
  const pid_t child = ::fork();
  if (child == 0) {
    Workspace own(folder_->path().toStdString());
    RunSession session(own, run.id, fixture::start());
    fixture::train(session, 10, 200);
    ::pause();
  }
  open();
  QTRY_COMPARE_WITH_TIMEOUT(textAt(0, RunsModel::kStatus), QString("running"), 10000);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  QTRY_COMPARE_WITH_TIMEOUT(textAt(0, RunsModel::kStatus), QString("interrupted"), 10000);
  // The longest status is shown whole.
  const auto* table = window_->panel<RunsPanel>()->table();
  QVERIFY(table->columnWidth(RunsModel::kStatus) >=
          static_cast<const QAbstractItemView*>(table)
              ->sizeHintForIndex(table->model()->index(0, RunsModel::kStatus))
              .width());
  QVERIFY2(window_->messages()->text().contains("dies was interrupted"),
           qPrintable(window_->messages()->text()));
  QVERIFY(window_->findChild<QPushButton*>("messageAction")->isVisible());
  window_->panel<RunsPanel>()->selectRun(run.id);
  QTRY_VERIFY(this->child<QToolButton>("resumeRunButton")->isEnabled());
}

void TestMainWindow::renamingCanBeUndone() {
  const RunSummary run = fixture::makeRun(*workspace_, "before");
  open();
  window_->panel<RunsPanel>()->selectRun(run.id);
  window_->findChild<QAction*>("renameRun")->trigger();
  auto* dialog = child<QInputDialog>("renameDialog");
  QVERIFY(dialog);
  dialog->setTextValue("after");
  dialog->accept();
  QTRY_COMPARE(textAt(0, RunsModel::kName), QString("after"));
  child<QAction>("undo")->trigger();
  QTRY_COMPARE(textAt(0, RunsModel::kName), QString("before"));
  emit window_->panel<RunsPanel>()->tagRequested({run.id}, "keep");
  QTRY_COMPARE(textAt(0, RunsModel::kTags), QString("keep"));
  window_->findChild<QAction*>("trashRun")->trigger();
  QTRY_COMPARE(window_->panel<RunsPanel>()->table()->model()->rowCount(), 0);
  child<QAction>("undo")->trigger();
  QTRY_COMPARE(window_->panel<RunsPanel>()->table()->model()->rowCount(), 1);
}

void TestMainWindow::hopWeightsFollowTheSliderAndTheSentence() {
  const RunSummary run = fixture::makeRun(*workspace_, "looks inside");
  RunSession session(*workspace_, run.id, fixture::start());
  fixture::record(session, 100, 0);
  fixture::record(session, 200, 2);
  open();
  window_->showPerspective("inside");
  HopWeightsPanel* panel = window_->panel<HopWeightsPanel>();
  QTRY_VERIFY(!panel->isEmpty() && panel->isUpToDate());
  QCOMPARE(panel->meanMap()->columns(), QStringList({"hop 1", "hop 2"}));
  QCOMPARE(panel->meanMap()->maps()[0].rows.first(), QString("layer 2"));
  QCOMPARE(panel->meanMap()->maps()[0].values[0],
           1.f);  // step 200: hop 1 reads the top layer alone
  QCOMPARE(child<QComboBox>("hopOfCurve")->currentText(), QString("hop 1"));
  QTRY_COMPARE(panel->overTraining()->curves().size(), 4);  // with the uniform line
  QCOMPARE(panel->overTraining()->curves()[0].series->values().back(), 1.0);  // and so it is drawn
  QCOMPARE(panel->sentenceMap()->columns().first(), QString("</s> → a"));
  child<QSlider>("hopStep")->setValue(0);
  QTRY_COMPARE(panel->meanMap()->maps()[0].values[0], 0.f);
  QCOMPARE(panel->meanMap()->maps()[0].values[4], 1.f);  // step 100: the embedding
  QCOMPARE(panel->overTraining()->curves().size(), 4);
  QVERIFY(!child<QToolButton>("encoderSide")->isEnabled());  // its fusion has no hops
  child<QSlider>("hopStep")->setValue(1);
  QTRY_COMPARE(panel->meanMap()->maps()[0].values[0], 1.f);
  fixture::record(session, 300, 1);  // the view was at the last step, so it goes on to the new one
  QTRY_COMPARE(panel->meanMap()->maps()[0].values[2], 1.f);
  child<QListWidget>("hopSentences")->setCurrentRow(1);
  QCOMPARE(panel->sentenceMap()->maps().size(), 2);
}

void TestMainWindow::targetSideAttentionIsReadFromTheWorkspace() {
  const RunSummary run = fixture::makeRun(*workspace_, "looks back");
  RunSession session(*workspace_, run.id, fixture::start());
  open();
  TargetAttentionPanel* panel = window_->panel<TargetAttentionPanel>();
  QVERIFY(panel->isEmpty());
  window_->showPerspective("inside");
  window_->bringUp("target-attention");
  const auto record = [&](std::int64_t step, const SentenceRecordings& sentence) {
    const std::string folder = "recordings/step-" + std::to_string(step);
    writeRecordings(session.folder() / folder, {sentence});
    session.recording({session.run(), step, folder});
    session.flush();
  };
  record(100, fixture::gateSentence());
  QTRY_VERIFY(!panel->isEmpty() && panel->isUpToDate());
  QCOMPARE(panel->sentence()->arcs()->words().first(), QString("a"));
  record(200, fixture::jointSentence());  // the newest step is followed
  QTRY_COMPARE(panel->sentence()->arcs()->words().first(), QString("he"));
  // The view settings outlive the window.
  child<QSpinBox>("historyLongest")->setValue(7);
  window_->close();
  window_.reset();
  open();
  QCOMPARE(child<QSpinBox>("historyLongest")->value(), 7);
}

void TestMainWindow::gradientsGrowWhileARunTrains() {
  const RunSummary run = fixture::makeRun(*workspace_, "flows");
  RunSession session(*workspace_, run.id, fixture::start());
  const auto train = [&](std::int64_t step, double norm) {
    session.scalars({{run.id, "grad_norm/decoder.layers.0", step, norm, 1.7e9 + double(step)},
                     {run.id, "train/nll", step, 1, 1.7e9 + double(step)}});
    session.flush();
  };
  train(10, 0.5);
  open();
  window_->bringUp("gradient-flow");
  GradientMapView* map = window_->panel<GradientFlowPanel>()->map();
  QTRY_COMPARE(map->range().last, 10.0);
  QCOMPARE(map->titles(), QStringList({"flows"}));
  train(20, 0.25);
  QTRY_COMPARE(map->range().last, 20.0);
}

void TestMainWindow::theLogIsFollowed() {
  const RunSummary run = fixture::makeRun(*workspace_, "talks");
  QFile log(QString::fromStdString((run.folder / "log.jsonl").string()));
  QVERIFY(log.open(QIODevice::Append));
  log.write("{\"time\": 1700000000, \"level\": \"info\", \"text\": \"step=1 loss=3\"}\n");
  log.flush();
  open();
  QTRY_VERIFY2(window_->panel<LogPanel>()->text().contains("step=1 loss=3"),
               qPrintable(window_->panel<LogPanel>()->text()));
  log.write("{\"time\": 1700000001, \"level\": \"warning\", \"text\": \"clipped=0.9\"}\n");
  log.flush();
  QTRY_VERIFY(window_->panel<LogPanel>()->text().contains("clipped=0.9"));
  child<QLineEdit>("logFilter")->setText("clipped");
  QVERIFY(!window_->panel<LogPanel>()->text().contains("step=1"));
  // Where there is no line it says why.
  auto* text = child<QPlainTextEdit>("logText");
  child<QLineEdit>("logFilter")->setText("clapped");
  QCOMPARE(text->placeholderText(), QString("No line contains “clapped”."));
  child<QLineEdit>("logFilter")->clear();
  const RunSummary silent = fixture::makeRun(*workspace_, "silent");
  QTRY_COMPARE(window_->rows().size(), 2);
  window_->panels()->select({.run = silent.id});
  QTRY_COMPARE(text->placeholderText(), QString("This run has logged nothing yet."));
}

void TestMainWindow::thePaletteRunsCommands() {
  QVERIFY(fuzzyScore("ldk", "Light theme, dark") > 0);
  QCOMPARE(fuzzyScore("xyz", "Dark theme"), -1);
  QVERIFY(fuzzyScore("dark", "Dark theme") > fuzzyScore("dark", "Redo a task"));
  open();
  window_->activateWindow();
  QTest::keyClick(window_.get(), Qt::Key_K, Qt::ControlModifier);
  auto* edit = child<QLineEdit>("commandPaletteEdit");
  if (!edit->isVisible()) child<QAction>("openPalette")->trigger();
  QTRY_VERIFY(edit->isVisible());
  edit->setText("dark theme");
  QTest::keyClick(edit, Qt::Key_Return);
  QTRY_VERIFY(theme().dark);
  QVERIFY(!edit->isVisible());
}

void TestMainWindow::perspectivesThemesAndSessionSurviveAReopening() {
  open();
  QCOMPARE(window_->perspective(), QString("watch"));
  window_->showPerspective("inside");
  QVERIFY(window_->panel<HopWeightsPanel>()->isVisible());
  QVERIFY(!window_->panel<CurvesPanel>()->isVisible());
  child<QAction>("show:log")->trigger();  // a panel of another perspective, behind another tab
  QCOMPARE(window_->perspective(), QString("watch"));
  QVERIFY(window_->panel<LogPanel>()->isVisible() && !window_->panel<RunsPanel>()->isVisible());
  window_->showPerspective("inside");
  child<QAction>("theme:dark")->trigger();
  window_->close();
  window_.reset();
  open();
  QCOMPARE(window_->perspective(), QString("inside"));
  QVERIFY(theme().dark);
  QVERIFY(window_->panel<HopWeightsPanel>()->isVisible());
  window_->showPerspective("watch");
  QVERIFY(window_->panel<LogPanel>()->isVisible() && !window_->panel<RunsPanel>()->isVisible());
  window_->stage()->reset();
  QVERIFY(!window_->panel<LogPanel>()->isVisible() && window_->panel<RunsPanel>()->isVisible());
}

void TestMainWindow::crashesDoNotRestoreTheLayoutUnasked() {
  for (int i = 0; i < 2; ++i) {
    open();
    window_.reset();  // without close(): as if it had been killed
  }
  open();
  QVERIFY2(window_->messages()->text().contains("default layout"),
           qPrintable(window_->messages()->text()));
  window_->close();
  window_.reset();
  open();
  QVERIFY(window_->messages()->text().isEmpty());
}

// Reads the session file when the first tabs are moved: the layout is not restored before that.
class FirstLayoutEvent : public QObject {
 public:
  explicit FirstLayoutEvent(const QString& workspace) : workspace_(workspace) {
    qApp->installEventFilter(this);
  }
  bool eventFilter(QObject* object, QEvent* event) override {
    const bool moves = event->type() == QEvent::ShowToParent ||
                       event->type() == QEvent::HideToParent || event->type() == QEvent::Move;
    if (!seen && moves && qobject_cast<ViewTabs*>(object) != nullptr)
      seen = loadSession(workspace_);
    return false;
  }
  std::optional<Session> seen;

 private:
  QString workspace_;
};

void TestMainWindow::aStartIsCountedBeforeItsLayoutIsRestored() {
  open();
  window_->close();
  window_.reset();
  QVERIFY(!loadSession(folder_->path()).layouts.isEmpty());
  QVERIFY(!loadSession(folder_->path()).restoring);
  const FirstLayoutEvent first(folder_->path());
  open();
  QVERIFY(first.seen);
  QVERIFY(first.seen->restoring);
  QCOMPARE(first.seen->unclean, 1);
  QTRY_VERIFY(!loadSession(folder_->path()).restoring);  // it was shown and lives
  QCOMPARE(loadSession(folder_->path()).unclean, 1);
  window_->close();
  QCOMPARE(loadSession(folder_->path()).unclean, 0);
}

void TestMainWindow::aLayoutWhoseRestoreWasNotSurvivedStartsFresh() {
  open();
  child<QAction>("show:log")->trigger();  // what the default layout of this perspective hides
  window_->showPerspective("inside");
  window_->close();
  window_.reset();
  Session session = loadSession(folder_->path());
  session.restoring = true;  // as after a crash during start-up
  session.unclean = 1;
  saveSession(folder_->path(), session);
  open();
  QVERIFY2(window_->messages()->text().contains("while restoring its layout"),
           qPrintable(window_->messages()->text()));
  QCOMPARE(window_->messages()->severity(), Message::Severity::kInfo);
  QCOMPARE(window_->perspective(), QString("inside"));
  window_->showPerspective("watch");
  QVERIFY(!window_->panel<LogPanel>()->isVisible());
  window_.reset();  // killed before it could save a layout of its own
  open();
  QVERIFY(window_->messages()->text().isEmpty() ||
          !window_->messages()->text().contains("while restoring"));
  window_->showPerspective("watch");
  QVERIFY(!window_->panel<LogPanel>()->isVisible());
}

STRATA_TEST(TestMainWindow)
#include "test_main_window.moc"
