#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QTreeWidget>
#include <QtTest>

#include "tests/program.h"
#include "tests/ui/trained_window.h"
#include "ui/panels/config_model.h"
#include "ui/panels/launch_panel.h"
#include "ui/panels/preset_box.h"
#include "ui/panels/preset_model.h"
#include "ui/panels/sweep_form.h"
#include "ui/widgets/job_table.h"
#include "ui/widgets/messages.h"
#include "ui/widgets/queue_list.h"

using namespace strata;
using namespace strata::ui;

// What else than one run of a preset Launch starts, in the real window, next to what the real
// program does: rows of papers' tables, sweeps, and several runs at once.
class TestLaunchAndRunner : public QObject, private TrainedWindow {
  Q_OBJECT
 private slots:
  void initTestCase() { TrainedWindow::open(QVector<Trained>()); }
  void cleanupTestCase();
  void init();
  void aTableRowIsWhatThePaperTrains();
  void aRowsRunsBelongToItsTable();
  void presetsAreCombined();
  void wrongValuesAreNamedInPlace();
  void theCopiedLineQueuesTheSweep();
  void twoRunsTrainAtOnce();

 private:
  LaunchPanel* launch() const { return window_->panel<LaunchPanel>(); }
  PresetBox* box() const { return child<PresetBox>("launchPreset"); }
  QPushButton* start() const { return child<QPushButton>("launchStart"); }
  void choose(const QString& entry);
  void setSmall();
  bool isReady() const { return launch()->isUpToDate() && launch()->problem().isEmpty(); }
  Json configOf(const QString& run) const { return printed({"runs", "show", run}).at("config"); }
  QStringList statuses(const QString& prefix) const;
};

void TestLaunchAndRunner::cleanupTestCase() {
  for (const RunRow& run : window_->rows()) {
    if (run.status == RunStatus::kRunning || run.status == RunStatus::kQueued)
      outputOf({"runs", "stop", run.name});
  }
  window_.reset();
}

void TestLaunchAndRunner::init() {
  raise("launch");
  QTRY_VERIFY_WITH_TIMEOUT(launch()->isUpToDate() && launch()->isReady(), kPatience);
  launch()->sweep()->clear();
  launch()->config()->clearOverrides();
  child<QLineEdit>("launchName")->clear();
}

void TestLaunchAndRunner::choose(const QString& entry) {
  launch()->choose(entry, "toy");
  QCOMPARE(box()->preset(), entry);
  QTRY_VERIFY2_WITH_TIMEOUT(isReady(), qPrintable(launch()->problem()), kPatience);
}

void TestLaunchAndRunner::setSmall() {
  for (const char* setting :
       {"model.embed_dim=32", "model.ffn_dim=64", "model.encoder_layers=1",
        "model.decoder_layers=1", "training.max_updates=2", "training.max_epochs=0",
        "training.threads=1", "training.batch.size=400", "training.log_every=1",
        "validation.every_epochs=0", "validation.monitor=[]", "checkpoint.every_epochs=0"}) {
    const QString text = QString::fromLatin1(setting);
    launch()->config()->setOverride(text.section('=', 0, 0), text.section('=', 1));
  }
  QTRY_VERIFY2_WITH_TIMEOUT(isReady(), qPrintable(launch()->problem()), kPatience);
}

QStringList TestLaunchAndRunner::statuses(const QString& prefix) const {
  QStringList found;
  for (const RunRow& run : window_->rows()) {
    if (run.name.startsWith(prefix)) found << qs(nameOf(run.status));
  }
  return found;
}

// `paper run` queues the row; the form of the row then has exactly that configuration and name.
void TestLaunchAndRunner::aTableRowIsWhatThePaperTrains() {
  launch()->config()->setOverride("training.dropout", "0.55");  // which a row does not keep
  choose("mlrf/table2 Enc-AVG");
  const PresetRow* entry = box()->entry();
  QVERIFY2(entry->description.contains("Valid. 34.34, Test 32.71"), qPrintable(entry->description));
  QCOMPARE(child<QLabel>("launchDescription")->text(), entry->description);
  QVERIFY(entry->parameters.value_or(0) > 0);
  const QString run = "mlrf-enc-avg.toy.s1";
  outputOf({"paper", "run", "mlrf/table2", "--data", "toy", "--rows", "Enc-AVG", "--seeds", "1"});
  const LaunchRequest request = launch()->request();
  QCOMPARE(request.preset, QString("mlrf/enc-avg"));
  QCOMPARE(request.name, run);
  QVERIFY(request.overrides.isEmpty());
  Json config = request.config;
  config["data"]["dataset"] = "toy";
  QVERIFY(config == configOf(run));
  QTest::mouseClick(start(), Qt::LeftButton);
  QTRY_VERIFY2_WITH_TIMEOUT(launch()->problem().contains(run + " has exactly this configuration"),
                            qPrintable(launch()->problem() + " " + window_->messages()->text()),
                            kPatience);
  outputOf({"runs", "stop", run});
  // Of a changed row the run is one like any other.
  launch()->config()->setOverride("training.dropout", "0.2");
  QVERIFY(launch()->request().name.isEmpty());
}

// Its seeds are queued under the names by which `paper show` finds them.
void TestLaunchAndRunner::aRowsRunsBelongToItsTable() {
  choose("mlrf/table2 Enc-FNN");
  child<QSpinBox>("launchSeeds")->setValue(2);
  QCOMPARE(start()->text(), QString("Queue 2 runs"));
  outputOfCopied(launch());
  const Json work = printed(
      {"paper", "run", "mlrf/table2", "--data", "toy", "--rows", "Enc-FNN", "--seeds", "2"});
  QCOMPARE(work.at("runs").size(), std::size_t(2));
  for (const Json& each : work.at("runs")) {
    QVERIFY2(each.at("outcome") == "queued already", each.dump().c_str());
    outputOf({"runs", "stop", qs(each.at("name").get<std::string>())});
  }
}

// The paper's preset of both is the same configuration.
void TestLaunchAndRunner::presetsAreCombined() {
  choose("deepatt/att-1-1,deepatt/small-data");
  Json combined = launch()->request().config;
  QCOMPARE(combined.at("training").at("init"), Json("xavier"));
  choose("deepatt/att-1-1-small-data");
  Json one = launch()->request().config;
  QVERIFY(combined.erase("preset") == one.erase("preset"));
  QVERIFY2(combined == one, Json::diff(combined, one).dump().c_str());
  // What is none is named, and nothing starts.
  launch()->choose("deepatt/att-1-1,deepatt/smal-data", "toy");
  QTRY_VERIFY2_WITH_TIMEOUT(launch()->problem().contains("deepatt/smal-data"),
                            qPrintable(launch()->problem()), kPatience);
  QVERIFY(!start()->isEnabled());
  choose("mlrf/base-cpu");
}

void TestLaunchAndRunner::wrongValuesAreNamedInPlace() {
  choose("mlrf/base-cpu");
  SweepForm* sweep = launch()->sweep();
  sweep->add("training.dropout", "0.1, 2");
  auto* values = sweep->findChild<QLineEdit*>("sweepValues");
  auto* problem = sweep->findChild<QLabel*>("sweepValuesProblem");
  const auto says = [&](const QString& part) {
    return problem->text().contains(part) && launch()->problem().contains(part) &&
           !start()->isEnabled();
  };
  QVERIFY2(says("2: training.dropout must be"), qPrintable(problem->text()));
  values->setText("0.1, often");
  QVERIFY2(says("often: training.dropout must be"), qPrintable(problem->text()));
  values->setText("0.1, 0.1");
  QVERIFY2(says("training.dropout has the value 0.1 twice"), qPrintable(problem->text()));
  values->setText("0.1, ]");
  QVERIFY2(says("training.dropout"), qPrintable(problem->text()));
  sweep->findChild<QLineEdit*>("sweepKey")->setText("training.dropot");
  QVERIFY2(says("no setting training.dropot"), qPrintable(problem->text()));
  sweep->findChild<QLineEdit*>("sweepKey")->setText("training.dropout");
  values->setText("0.1, 0.2");
  QVERIFY(problem->text().isEmpty() && launch()->problem().isEmpty() && start()->isEnabled());
  QCOMPARE(start()->text(), QString("Queue 2 runs"));
  // What only all settings together show is said by the program, which then queues nothing.
  sweep->clear();
  sweep->add("model.heads", "4, 7");
  QVERIFY(start()->isEnabled());
  QTest::mouseClick(start(), Qt::LeftButton);
  QTRY_VERIFY2_WITH_TIMEOUT(launch()->problem().contains("model.heads"),
                            qPrintable(launch()->problem()), kPatience);
  QVERIFY(statuses("mlrf-base-cpu").isEmpty());
}

void TestLaunchAndRunner::theCopiedLineQueuesTheSweep() {
  choose("mlrf/base-cpu");
  setSmall();
  auto* name = child<QLineEdit>("launchName");
  name->setText("copied");
  launch()->sweep()->add("training.dropout", "0.1, 0.2");
  child<QSpinBox>("launchSeeds")->setValue(2);
  QCOMPARE(start()->text(), QString("Queue 4 runs"));
  const QString basis = child<QLabel>("launchBasis")->text();
  QVERIFY2(basis.startsWith("4 runs like the form's, "), qPrintable(basis));
  QStringList listed;
  const auto* runs = child<QListWidget>("sweepRuns");
  for (int row = 0; row < runs->count(); ++row) listed << runs->item(row)->text();
  QCOMPARE(listed, QStringList({"copied.dropout-0.1.s1", "copied.dropout-0.1.s2",
                                "copied.dropout-0.2.s1", "copied.dropout-0.2.s2"}));
  outputOfCopied(launch());
  QTRY_COMPARE_WITH_TIMEOUT(statuses("copied."), QStringList(4, "queued"), kPatience);
  name->setText("clicked");
  QTest::mouseClick(start(), Qt::LeftButton);
  QTRY_COMPARE_WITH_TIMEOUT(statuses("clicked.").size(), 4, kPatience);
  for (QString run : listed) {
    const Json copied = configOf(run);
    QVERIFY2(copied == configOf(run.replace("copied", "clicked")), qPrintable(run));
  }
  QTRY_COMPARE_WITH_TIMEOUT(statuses("copied."), QStringList(4, "finished"), kPatience);
  QTRY_COMPARE_WITH_TIMEOUT(statuses("clicked."), QStringList(4, "finished"), kPatience);
  // Again: all of them exist.
  raise("launch");
  QTest::mouseClick(start(), Qt::LeftButton);
  QTRY_VERIFY2_WITH_TIMEOUT(launch()->problem().contains("exist already"),
                            qPrintable(launch()->problem()), kPatience);
}

// Set in the window while the first of them trains already.
void TestLaunchAndRunner::twoRunsTrainAtOnce() {
  choose("mlrf/base-cpu");
  setSmall();
  launch()->config()->setOverride("training.phases", "[]");  // they would end it
  launch()->config()->setOverride("training.max_updates", "1000000");
  QTRY_VERIFY2_WITH_TIMEOUT(isReady(), qPrintable(launch()->problem()), kPatience);
  child<QLineEdit>("launchName")->setText("long");
  child<QSpinBox>("launchSeeds")->setValue(3);
  QTest::mouseClick(start(), Qt::LeftButton);
  QTRY_COMPARE_WITH_TIMEOUT(statuses("long"), QStringList({"running", "queued", "queued"}),
                            kPatience);
  raise("launch");
  auto* queue = child<QueueList>("queueList");
  QTRY_COMPARE(queue->topLevelItemCount(), 3);
  queue->setCurrentItem(queue->topLevelItem(2));
  QTest::keyClick(queue, Qt::Key_Up, Qt::AltModifier);  // the third comes before the second
  QTRY_COMPARE(queue->topLevelItem(1)->text(QueueList::kName), QString("long.s3"));
  child<QComboBox>("queueDevices")->setCurrentText("cpu");
  emit child<QComboBox>("queueDevices")->activated(0);
  child<QSpinBox>("queueAtOnce")->setValue(2);
  QTRY_COMPARE_WITH_TIMEOUT(statuses("long"), QStringList({"running", "queued", "running"}),
                            kPatience);
  QTRY_VERIFY(child<QToolButton>("jobsButton")->text().startsWith("2 running"));
  auto* jobs = child<JobTable>("jobTable");
  QTRY_COMPARE(jobs->topLevelItem(1)->text(JobTable::kDevice), QString("cpu"));
  QTRY_COMPARE(jobs->topLevelItem(0)->text(JobTable::kState), QString("running"));
  QTRY_COMPARE(jobs->topLevelItem(1)->text(JobTable::kState), QString("running"));
  raise("monitor");
  auto* monitor = child<QTreeWidget>("monitorRuns");
  QTRY_VERIFY(monitor->topLevelItem(1)->text(6).startsWith("cpu"));
  QTRY_VERIFY(monitor->topLevelItem(2)->text(1).startsWith("queued"));
  for (const char* run : {"long.s2", "long.s1", "long.s3"}) outputOf({"runs", "stop", run});
  QTRY_COMPARE_WITH_TIMEOUT(statuses("long"), QStringList(3, "stopped"), kPatience);
}

STRATA_TEST(TestLaunchAndRunner)
#include "test_launch_and_runner.moc"
