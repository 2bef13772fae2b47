#include <QComboBox>
#include <QDockWidget>
#include <QDropEvent>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>
#include <QTreeWidget>
#include <QtTest>

#include "core/base/files.h"
#include "core/base/progress_line.h"
#include "core/store/jobs.h"
#include "core/store/queue_settings.h"
#include "tests/program.h"
#include "tests/ui/sentence_fixture.h"
#include "tests/ui/window_fixture.h"
#include "ui/data/job_list.h"
#include "ui/data/text.h"
#include "ui/panels/compare_imports.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/monitor_panel.h"
#include "ui/widgets/job_table.h"
#include "ui/widgets/messages.h"
#include "ui/widgets/queue_list.h"
#include "ui/window/view_help.h"

using namespace strata;
using namespace strata::ui;

// Everything that goes on, in the real window: the list of jobs and the panel Monitor.
class TestJobsAndMonitor : public QObject, private WindowOnWorkspace {
  Q_OBJECT
 private slots:
  void init() { makeWorkspace(); }
  void cleanup() { removeWorkspace(); }
  void timesAreRanges();
  void tasksGoFromAddedToEnded();
  void theStatusBarSumsUp();
  void theDockListsRunsAndTasks();
  void aFailedJobStaysUntilItIsMended();
  void importsAndExportsAreListed();
  void aCancelledRunIsAskedToStop();
  void theQueueIsOrdered();
  void theQueuesPlacesAreSet();
  void monitorShowsWhatIsTrained();
  void anAlertLeadsToItsRunAndStep();
  void standingStillIsToldOnce();
  void aFullDiskIsTold();
  void theComputerIsShown();
  void gpusComeFromNvidiaSmi();

 private:
  static Json limited() {
    Json config = fixture::config();
    config["training"] = {{"max_updates", 400}, {"max_epochs", 0}};
    return config;
  }
  RunSummary limitedRun(const std::string& name) {
    return createRun(*workspace_, {name, limited(), "mlrf/both-fnn-sa4"});
  }
  // Points of now, 10 updates and one second apart.
  static void trainNow(RunSession& session, std::int64_t last) {
    std::vector<ScalarEvent> events;
    const double now = double(QDateTime::currentSecsSinceEpoch());
    for (std::int64_t step = 10; step <= last; step += 10) {
      const double time = now + double(step) / 10;
      events.push_back({session.run(), "train/nll", step, 5 - double(step) / 100, time});
      events.push_back({session.run(), "train/tokens_per_second", step, 4000, time});
      events.push_back({session.run(), "memory/resident_mib", step, 256, time});
    }
    session.scalars(events);
    session.flush();
  }
  static void validate(RunSession& session, std::int64_t step, double nll) {
    session.scalars({{session.run(), "valid/nll", step, nll, 1.7e9 + double(step)}});
    session.flush();
  }
  QTreeWidget* jobs() const { return child<QTreeWidget>("jobTable"); }
  QTreeWidget* alerts() const { return child<QTreeWidget>("monitorAlerts"); }
};

void TestJobsAndMonitor::timesAreRanges() {
  QCOMPARE(timeText({14 * 60, 40 * 60}), QString("14–40 min"));
  QCOMPARE(timeText({86400, 3 * 86400}), QString("24 h – 3 days"));
}

void TestJobsAndMonitor::tasksGoFromAddedToEnded() {
  JobList list;
  QSignalSpy changed(&list, &JobList::changed);
  bool asked = false;
  const qint64 first =
      list.add({.kind = JobKind::kImport, .name = "a", .cancel = [&] { asked = true; }});
  const qint64 second =
      list.add({.kind = JobKind::kTranslation, .name = "b", .state = JobProgress::kQueued});
  QCOMPARE(changed.size(), 2);
  QCOMPARE(list.running(), 1);
  QVERIFY(std::isnan(list.share()));
  QVERIFY(list.readProgress(
      first, QByteArray::fromStdString(toText({"Importing", "lines", 250, 1000})) + "\n"));
  QVERIFY(!list.readProgress(first, "step=3 nll=4"));
  QCOMPARE(list.share(), 0.25);
  QCOMPARE(list.rows()[0].detail, QString("250 of 1,000 lines"));
  QVERIFY(!list.rows()[0].left);  // one point is no speed
  QTest::qWait(20);
  list.progress(first, 500, 1000, "lines");
  QVERIFY(list.rows()[0].left && list.rows()[0].left->most > 0);
  list.progress(first, 3, 0, "lines");  // its next part, of unknown length
  QVERIFY(std::isnan(list.rows()[0].share) && !list.rows()[0].left);
  list.start(second);
  QCOMPARE(list.running(), 2);
  QVERIFY(!list.rows()[1].canCancel);
  list.cancel(first);
  QVERIFY(asked && list.rows()[0].state == JobProgress::kCancelling);
  asked = false;
  list.cancel(first);
  QVERIFY(!asked);  // once
  list.end(first);
  list.end(second);
  QVERIFY(list.rows().isEmpty());
}

void TestJobsAndMonitor::theStatusBarSumsUp() {
  open();
  auto* button = child<QToolButton>("jobsButton");
  QCOMPARE(button->text(), QString("nothing is running"));
  QVERIFY(!child<QProgressBar>("jobsProgress")->isVisible());
  const RunSummary run = limitedRun("learns");
  RunSession session(*workspace_, run.id, fixture::start());
  trainNow(session, 100);
  enqueueRun(*workspace_, {"waits", limited(), ""});
  // 300 updates at 10 per second.
  QTRY_COMPARE(button->text(), QString("1 running · 30 s · jobs 2"));
  QCOMPARE(child<QProgressBar>("jobsProgress")->value(), 250);
  QVERIFY(child<QProgressBar>("jobsProgress")->isVisible());
  session.end({run.id, 100, RunOutcome::kFinished, ""});
  QTRY_COMPARE(button->text(), QString("nothing is running · jobs 1"));
}

void TestJobsAndMonitor::theDockListsRunsAndTasks() {
  const RunSummary run = limitedRun("learns");
  RunSession session(*workspace_, run.id, fixture::start());
  trainNow(session, 100);
  open();
  auto* dock = child<QDockWidget>("jobsDock");
  QVERIFY(dock->isHidden());
  QTRY_VERIFY(child<QToolButton>("jobsButton")->text().contains("1 running"));
  QTest::mouseClick(child<QToolButton>("jobsButton"), Qt::LeftButton);
  QVERIFY(dock->isVisible());
  window_->jobs()->add({.kind = JobKind::kPreparing, .name = "multi30k"});
  QCOMPARE(jobs()->topLevelItemCount(), 2);
  const QTreeWidgetItem* row = jobs()->topLevelItem(0);
  QCOMPARE(row->text(JobTable::kName), QString("learns"));
  QCOMPARE(row->text(JobTable::kProgress), QString("step 100 of 400"));
  QCOMPARE(row->text(JobTable::kLeft), QString("30 s"));
  QCOMPARE(row->text(JobTable::kState), QString("running"));
  QCOMPARE(jobs()->topLevelItem(1)->text(JobTable::kName), QString("multi30k"));
  const auto cancels = jobs()->findChildren<QPushButton*>("cancelJob");
  QVERIFY(cancels[0]->isEnabled());
  QVERIFY(!cancels[1]->isEnabled());  // whoever added it cannot end it
  emit jobs()->itemClicked(jobs()->topLevelItem(0), 0);
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(run.id));
  child<QAction>("showJobs")->trigger();
  QVERIFY(dock->isHidden());
  session.end({run.id, 100, RunOutcome::kFinished, ""});
}

void TestJobsAndMonitor::aFailedJobStaysUntilItIsMended() {
  open();
  child<QAction>("showJobs")->trigger();
  JobList* list = window_->jobs();
  const JobList::Task task{.kind = JobKind::kPreparing, .name = "Dataset ted"};
  list->fail(list->add(task), "train.en has a line less\nand more");
  auto* button = child<QToolButton>("jobsButton");
  QCOMPARE(button->text(), QString("nothing is running · 1 failed · jobs 1"));
  QVERIFY(!child<QProgressBar>("jobsProgress")->isVisible());
  const QTreeWidgetItem* row = jobs()->topLevelItem(0);
  QCOMPARE(row->text(JobTable::kState), QString("failed"));
  QCOMPARE(row->text(JobTable::kProgress), QString("train.en has a line less"));
  QCOMPARE(row->toolTip(JobTable::kProgress), QString("train.en has a line less\nand more"));
  // Another job does not mend it, the same one does.
  const qint64 other = list->add({.kind = JobKind::kPreparing, .name = "Dataset multi30k"});
  QCOMPARE(list->failed(), 1);
  list->end(other);
  const qint64 again = list->add(task);
  QCOMPARE(list->failed(), 0);
  list->fail(again, "it broke");
  auto* dismiss = qobject_cast<QPushButton*>(  // that of the first failure may not be gone yet
      jobs()->itemWidget(jobs()->topLevelItem(0), JobTable::kCancel));
  QCOMPARE(dismiss->text(), QString("Dismiss"));
  QCOMPARE(dismiss->accessibleName(), QString("Dismiss Dataset ted"));
  QTest::mouseClick(dismiss, Qt::LeftButton);
  QVERIFY(list->rows().isEmpty());
}

// What Compare asks for, while its service works.
void TestJobsAndMonitor::importsAndExportsAreListed() {
  open();
  auto* compare = window_->panel<ComparePanel>();
  const auto& rows = window_->jobs()->rows();
  const auto file = folder_->filePath("none.txt");
  emit compare->imports()->systemRequested(
      {.name = "marian", .testSet = "toy", .file = toStd(file)});
  emit compare->imports()->testSetRequested({.name = "wmt", .references = {toStd(file)}});
  QCOMPARE(rows.size(), 2);
  QCOMPARE(rows[0].name, QString("marian"));
  QCOMPARE(rows[1].name, QString("wmt"));
  QVERIFY(rows[0].kind == JobKind::kImport && rows[0].isRunning());
  QTRY_VERIFY(rows.isEmpty());  // what was wrong is said in the form
  const auto comparison = std::make_shared<const Comparison>(fixture::small());
  const QString written = folder_->filePath("page.html"),
                refused = written + "/page.html";  // a file is no folder
  for (const QString& path : {written, refused})
    emit compare->exportRequested(comparison, {ExportTarget::Kind::kPage, path});
  QCOMPARE(rows.size(), 2);
  QVERIFY(rows[0].kind == JobKind::kExport);
  QTRY_COMPARE(window_->jobs()->failed(), 1);
  QVERIFY(QFileInfo::exists(written));
  QCOMPARE(rows.size(), 1);
  QCOMPARE(rows[0].name, refused);
  QVERIFY2(rows[0].error.contains("page.html"), qPrintable(rows[0].error));
}

void TestJobsAndMonitor::aCancelledRunIsAskedToStop() {
  const RunSummary run = limitedRun("learns");
  RunSession session(*workspace_, run.id, fixture::start());
  trainNow(session, 100);
  const Job queued = enqueueRun(*workspace_, {"waits", limited(), ""});
  open();
  child<QAction>("showJobs")->trigger();
  QTRY_COMPARE(jobs()->topLevelItemCount(), 2);
  QTest::mouseClick(jobs()->findChildren<QPushButton*>("cancelJob")[0], Qt::LeftButton);
  QCOMPARE(jobs()->topLevelItem(0)->text(JobTable::kState), QString("cancelling…"));
  std::optional<PendingCommand> command;
  QTRY_VERIFY(command || (command = session.poll()));  // it comes once
  QVERIFY(command->command == Command::kStop);
  QCOMPARE(jobs()->topLevelItem(0)->text(JobTable::kState), QString("cancelling…"));
  session.acknowledge(command->id, "saved at step 100");
  session.end({run.id, 100, RunOutcome::kStopped, ""});
  QTRY_COMPARE(jobs()->topLevelItemCount(), 1);
  jobs()->setCurrentItem(jobs()->topLevelItem(0));
  QTest::keyClick(jobs(), Qt::Key_Delete);  // a queued one leaves the queue
  QTRY_COMPARE(jobs()->topLevelItemCount(), 0);
  QVERIFY(runById(*workspace_, queued.run).status == RunStatus::kStopped);
}

// By keys, by the buttons and by the mouse; every list then has the workspace's order.
void TestJobsAndMonitor::theQueueIsOrdered() {
  const RunSummary learns = limitedRun("learns");
  RunSession session(*workspace_, learns.id, fixture::start());
  trainNow(session, 100);
  for (const char* name : {"a", "b", "c"}) enqueueRun(*workspace_, {name, limited(), ""});
  open();
  window_->bringUp("launch");
  auto* queue = child<QueueList>("queueList");
  const auto shown = [](const QTreeWidget* list, int column) {
    QStringList names;
    for (int row = 0; row < list->topLevelItemCount(); ++row)
      names << list->topLevelItem(row)->text(column);
    return names.join(' ');
  };
  const auto order = [&] { return shown(queue, QueueList::kName); };
  QTRY_COMPARE(order(), QString("learns a b c"));
  QCOMPARE(shown(queue, QueueList::kPlace), QString("▶ 1 2 3"));
  QCOMPARE(queue->topLevelItem(0)->text(QueueList::kProgress), QString("25 %"));
  QCOMPARE(queue->topLevelItem(0)->text(QueueList::kDevice), QString("cpu"));
  queue->setCurrentItem(queue->topLevelItem(3));
  QTest::keyClick(queue, Qt::Key_Up, Qt::AltModifier);
  QTRY_COMPARE(order(), QString("learns a c b"));
  QCOMPARE(queue->currentItem()->text(QueueList::kName), QString("c"));  // it can go on
  QTest::keyClick(queue, Qt::Key_Up, Qt::AltModifier);
  QTRY_COMPARE(order(), QString("learns c a b"));
  QVERIFY(!child<QAction>("queueEarlier")->isEnabled());
  child<QAction>("queueLater")->trigger();
  QTRY_COMPARE(order(), QString("learns a c b"));
  // What is dragged over the lower half of a row comes behind it; before a running run nothing.
  const auto drop = [&](int over, double share) {
    const QRect row = queue->visualItemRect(queue->topLevelItem(over));
    const QPointF at(row.left() + 20, row.top() + share * row.height());
    QMimeData nothing;
    QDropEvent event(at, Qt::MoveAction, &nothing, Qt::LeftButton, Qt::NoModifier);
    struct Drop : QueueList {  // only a real drag gives the list one
      using QueueList::dropEvent;
    };
    (queue->*&Drop::dropEvent)(&event);
    QCOMPARE(event.dropAction(), Qt::IgnoreAction);  // the list does not move it by itself
  };
  queue->setCurrentItem(queue->topLevelItem(1));
  drop(3, 0.8);
  QTRY_COMPARE(order(), QString("learns c b a"));
  queue->setCurrentItem(queue->topLevelItem(3));
  drop(0, 0.2);
  QTRY_COMPARE(order(), QString("learns a c b"));
  QCOMPARE(shown(jobs(), JobTable::kName), QString("learns a c b"));
  QTRY_COMPARE(jobs()->findChildren<QPushButton*>("cancelJob").size(), 4);
  QCOMPARE(jobs()->topLevelItem(0)->text(JobTable::kDevice), QString("cpu"));
  QString stored;
  for (const Job& job : listJobs(*workspace_)) stored += qs(job.name);
  QCOMPARE(stored, QString("acb"));
  session.end({learns.id, 100, RunOutcome::kFinished, ""});
  QTRY_COMPARE(order(), QString("a c b"));
  // All but one leave at once while the last is the current one.
  queue->setCurrentItem(queue->topLevelItem(2));
  queue->setActivity({{.run = 9, .name = "left", .place = 1}});
  QCOMPARE(order(), QString("left"));
  QVERIFY(!child<QAction>("queueEarlier")->isEnabled());
}

void TestJobsAndMonitor::theQueuesPlacesAreSet() {
  setQueueSettings(*workspace_, {.atOnce = 3, .devices = {"cpu"}});
  open();
  window_->bringUp("launch");
  auto* atOnce = child<QSpinBox>("queueAtOnce");
  auto* devices = child<QComboBox>("queueDevices");
  QTRY_COMPARE(atOnce->value(), 3);
  QCOMPARE(devices->currentText(), QString("cpu"));
  atOnce->setValue(2);
  QTRY_COMPARE(queueSettings(*workspace_).atOnce, 2);
  const auto type = [&](const QString& text) {
    devices->lineEdit()->setText(text);
    emit devices->lineEdit()->editingFinished();
  };
  type("cuda:0,cuda:1");
  QTRY_COMPARE(queueSettings(*workspace_).places(), 4);
  QTRY_COMPARE(devices->currentText(), QString("cuda:0, cuda:1"));
  auto* problem = child<QLabel>("queueProblem");
  type("cuda:0, tpu");
  QVERIFY(problem->isVisible() && problem->text().contains("'tpu' is no device"));
  type("as set");
  QVERIFY(!problem->isVisible());
  QTRY_VERIFY(queueSettings(*workspace_).devices.empty());
  // What another window or a command sets.
  setQueueSettings(*workspace_, {.atOnce = 5, .devices = {}});
  QTRY_COMPARE_WITH_TIMEOUT(atOnce->value(), 5, 10000);
}

void TestJobsAndMonitor::monitorShowsWhatIsTrained() {
  const RunSummary run = limitedRun("learns");
  RunSession session(*workspace_, run.id, fixture::start());
  trainNow(session, 100);
  enqueueRun(*workspace_, {"waits", limited(), ""});
  open();
  window_->bringUp("monitor");
  auto* runs = child<QTreeWidget>("monitorRuns");
  QTRY_COMPARE(runs->topLevelItemCount(), 2);
  const auto texts = [](const QTreeWidgetItem* item) {
    QStringList list;
    for (int column = 0; column < item->columnCount(); ++column) list << item->text(column);
    return list;
  };
  QCOMPARE(texts(runs->topLevelItem(0)),
           (QStringList{"learns", "100 of 400", "30 s", "4", "4,000", "268 MB", "cpu, 1 thread"}));
  QCOMPARE(runs->topLevelItem(1)->text(1), QString("queued, place 1"));
  const Here here = window_->panel<MonitorPanel>()->here();
  QCOMPARE(here.values.value(0), std::pair(QString("R"), QString("30 s")));
  QCOMPARE(here.values.value(1), std::pair(QString("u"), QString("300")));
  QVERIFY(viewHelpText("monitor", here).contains("| u | updates that remain | 300 |"));
  emit runs->itemClicked(runs->topLevelItem(1), 0);
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(2));
  session.end({run.id, 100, RunOutcome::kFinished, ""});
  QTRY_COMPARE(runs->topLevelItemCount(), 1);
  RunStart together = fixture::start();
  together.processes = 2;
  RunSession continued(*workspace_, run.id, together);
  QTRY_COMPARE(runs->topLevelItemCount(), 2);
  QTRY_COMPARE(runs->topLevelItem(0)->text(6), QString("cpu, 2 processes of 1 thread"));
  continued.end({run.id, 100, RunOutcome::kFinished, ""});
}

void TestJobsAndMonitor::anAlertLeadsToItsRunAndStep() {
  const RunSummary run = limitedRun("diverges");
  {
    RunSession session(*workspace_, run.id, fixture::start());
    trainNow(session, 120);
    session.end({run.id, 120, RunOutcome::kFailed, "the loss is NaN at step 120", true});
  }
  open();
  window_->bringUp("monitor");
  QTRY_COMPARE(alerts()->topLevelItemCount(), 1);
  // Its row is as high as its text.
  const auto height = [this] {
    return alerts()->visualItemRect(alerts()->topLevelItem(0)).height();
  };
  const int one = height();
  alerts()->header()->setSectionResizeMode(QHeaderView::Fixed);
  alerts()->setColumnWidth(4, 60);
  QTRY_VERIFY2(height() > one + 20, qPrintable(QString::number(height())));
  QCOMPARE(alerts()->topLevelItem(0)->text(1), QString("diverges"));
  QCOMPARE(alerts()->topLevelItem(0)->text(3), QString("diverged"));
  QCOMPARE(alerts()->topLevelItem(0)->text(4), QString("the loss is NaN at step 120"));
  QTest::mouseClick(alerts()->findChild<QPushButton*>("showAlert"), Qt::LeftButton);
  QCOMPARE(window_->panels()->selection().run, std::optional<qint64>(run.id));
  QCOMPARE(window_->panels()->selection().step, std::optional<qint64>(120));
  QVERIFY(window_->panels()->panel("curves")->isVisible());
  QVERIFY(!window_->panels()->panel("monitor")->isVisible());
}

void TestJobsAndMonitor::standingStillIsToldOnce() {
  const RunSummary run = limitedRun("stands");
  RunSession session(*workspace_, run.id, fixture::start());
  trainNow(session, 100);
  validate(session, 20, 4);
  validate(session, 40, 4.2);
  open();
  window_->bringUp("monitor");
  QTRY_VERIFY(window_->panel<MonitorPanel>()->isUpToDate());
  QCOMPARE(alerts()->topLevelItemCount(), 0);
  QVERIFY(child<QLabel>("monitorNoAlerts")->isVisible());
  child<QSpinBox>("monitorValidations")->setValue(2);
  QTest::qWait(300);
  QCOMPARE(alerts()->topLevelItemCount(), 0);
  validate(session, 60, 4.1);
  QTRY_COMPARE(alerts()->topLevelItemCount(), 1);
  QCOMPARE(alerts()->topLevelItem(0)->text(3), QString("no improvement"));
  QVERIFY(window_->messages()->text().contains("has not improved for 2 validations"));
  const auto told = window_->messages()->history().size();
  validate(session, 80, 4.1);
  QTRY_VERIFY(alerts()->topLevelItem(0)->text(4).contains("for 3 validations"));
  QCOMPARE(window_->messages()->history().size(), told);
  validate(session, 100, 3.5);
  QTRY_COMPARE(alerts()->topLevelItemCount(), 0);
  session.end({run.id, 100, RunOutcome::kFinished, ""});
}

void TestJobsAndMonitor::aFullDiskIsTold() {
  const RunSummary run = limitedRun("large");
  RunSession session(*workspace_, run.id, fixture::start());
  trainNow(session, 100);
  // A file with a hole: larger than the disk, but it takes no room.
  const fs::path checkpoint = session.folder() / "checkpoints" / "step-00000100";
  fs::create_directories(checkpoint);
  writeFileAtomic(checkpoint / "model.safetensors", "x");
  fs::resize_file(checkpoint / "model.safetensors", freeSpace(checkpoint));
  session.checkpoint({run.id, 100, "checkpoints/step-00000100", false});
  open();
  window_->bringUp("monitor");
  QTRY_COMPARE(alerts()->topLevelItemCount(), 1);
  QCOMPARE(alerts()->topLevelItem(0)->text(3), QString("disk space"));
  session.end({run.id, 100, RunOutcome::kFinished, ""});
}

void TestJobsAndMonitor::theComputerIsShown() {
  open();
  window_->bringUp("monitor");
  QTRY_VERIFY(child<QLabel>("monitorProcessor")->text().contains("cores"));
  QVERIFY(child<QLabel>("monitorMemory")->text().contains("in use"));
  QVERIFY(child<QLabel>("monitorDisk")->text().contains("free"));
  QTRY_VERIFY_WITH_TIMEOUT(child<QLabel>("monitorProcessor")->text().contains("% busy"), 8000);
}

// A program of this name first in the path, which counts its starts.
void TestJobsAndMonitor::gpusComeFromNvidiaSmi() {
  const QByteArray path = qgetenv("PATH");
  QTemporaryDir programs;
  QFile program(programs.filePath("nvidia-smi"));
  QVERIFY(program.open(QIODevice::WriteOnly));
  program.write("#!/bin/sh\necho x >> \"$0.starts\"\necho 'NVIDIA H200, 37, 1000, 143771'\n");
  program.close();
  program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  qputenv("PATH", programs.path().toUtf8() + ":" + path);
  open();
  QVERIFY(!QFile::exists(program.fileName() + ".starts"));  // nobody looks
  window_->bringUp("monitor");
  QTRY_COMPARE(child<QLabel>("monitorGpu")->text(),
               QString("NVIDIA H200: 37 % busy, 1.0 GB of 151 GB"));
  window_->bringUp("curves");
  QTest::qWait(100);
  const qint64 starts = QFileInfo(program.fileName() + ".starts").size();
  QTest::qWait(2500);
  QCOMPARE(QFileInfo(program.fileName() + ".starts").size(), starts);
  QVERIFY(program.open(QIODevice::WriteOnly | QIODevice::Truncate));
  program.write("#!/bin/sh\necho 'No devices were found'\nexit 6\n");
  program.close();
  window_->bringUp("monitor");
  QTRY_VERIFY(child<QLabel>("monitorGpu")->text().contains("No devices were found"));
  qputenv("PATH", programs.path().toUtf8() + "/none");
  window_->bringUp("curves");
  window_->bringUp("monitor");
  QTRY_VERIFY(child<QLabel>("monitorGpu")->text().contains("not installed"));
  qputenv("PATH", path);
}

STRATA_TEST(TestJobsAndMonitor)
#include "test_jobs_and_monitor.moc"
