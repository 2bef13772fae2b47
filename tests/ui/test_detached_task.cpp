#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "tests/program.h"
#include "ui/data/job_list.h"
#include "ui/data/text.h"
#include "ui/rpc/detached_task.h"

using namespace strata;
using namespace strata::ui;

// Processes that outlive a window, with a script in the place of strata-run: it goes on until a
// file appears, then prints what that file has, and exits with an error if that is nothing.
class TestDetachedTask : public QObject {
  Q_OBJECT
 private slots:
  void init();
  void itsProgressIsInTheListOfJobs();
  void itIsCancelledFromTheList();
  void aFailureIsToldInItsOwnWords();
  void theNextWindowGoesOnFollowingIt();
  void anEndThatNobodySawIsTold();
  void aProgramThatIsMissingFailsTheJob();

 private:
  void write(const char* name, const std::string& text) {
    writeFileAtomic(toStd(folder_->filePath(QLatin1String(name))), text);
  }
  static DetachedTask::Task task() { return {"Effects in base", 7, {"effects"}, {"base"}}; }
  std::unique_ptr<DetachedTask> makeTask() {
    return std::make_unique<DetachedTask>(
        folder_->path(), DetachedTask::Kind{"effects", JobKind::kComputation}, &jobs_);
  }

  std::unique_ptr<QTemporaryDir> folder_;
  JobList jobs_;
};

void TestDetachedTask::init() {
  folder_ = std::make_unique<QTemporaryDir>();
  write("strata-run",
        "#!/bin/sh\n"
        "echo '{\"progress\":\"Measuring\",\"done\":10,\"total\":40,\"unit\":\"units\"}' >&2\n"
        "while [ ! -e \"$2/end\" ]; do\n"
        "  [ ! -e \"$2/progress\" ] || cat \"$2/progress\" >&2\n"
        "  sleep 0.1\n"
        "done\n"
        "[ -s \"$2/end\" ] || { echo 'strata-run: the dataset is damaged' >&2; exit 1; }\n"
        "cat \"$2/end\"\n");
  QFile::setPermissions(folder_->filePath("strata-run"), QFile::ReadOwner | QFile::ExeOwner);
  qputenv("STRATA_RUN", folder_->filePath("strata-run").toUtf8());
}

void TestDetachedTask::itsProgressIsInTheListOfJobs() {
  const auto one = makeTask();
  QSignalSpy finished(one.get(), &DetachedTask::finished);
  one->start(task());
  QCOMPARE(jobs_.rows().size(), 1);
  QCOMPARE(jobs_.rows()[0].name, QString("Effects in base"));
  QCOMPARE(jobs_.rows()[0].run, qint64(7));
  QTRY_COMPARE(jobs_.rows()[0].share, 0.25);
  QVERIFY(!jobs_.rows()[0].left);
  write("progress", "{\"progress\":\"Measuring\",\"done\":20,\"total\":40,\"unit\":\"units\"}\n");
  QTRY_COMPARE(jobs_.rows()[0].detail, QString("20 of 40 units"));
  QVERIFY(jobs_.rows()[0].left && jobs_.rows()[0].left->most > 0);
  one->start({"another", 8, {"effects"}, {}});  // one at a time
  QCOMPARE(jobs_.rows().size(), 1);
  write("end", "{\"units\": 40}");
  QTRY_COMPARE(finished.size(), 1);
  QCOMPARE(finished[0][0].value<Json>().at("units").get<int>(), 40);
  QVERIFY(jobs_.rows().isEmpty() && !one->isRunning());
}

void TestDetachedTask::itIsCancelledFromTheList() {
  const auto one = makeTask();
  QSignalSpy cancelled(one.get(), &DetachedTask::cancelled);
  one->start(task());
  QTRY_COMPARE(jobs_.rows()[0].share, 0.25);
  jobs_.cancel(jobs_.rows()[0].id);
  QVERIFY(jobs_.rows()[0].state == JobProgress::kCancelling);
  QTRY_COMPARE(cancelled.size(), 1);
  QVERIFY(jobs_.rows().isEmpty());
  QVERIFY(!isAlive(processOnThisHost(one->process())));
}

void TestDetachedTask::aFailureIsToldInItsOwnWords() {
  const auto one = makeTask();
  QSignalSpy failed(one.get(), &DetachedTask::failed);
  one->start(task());
  write("end", "");
  QTRY_COMPARE(failed.size(), 1);
  QCOMPARE(
      failed[0][0].toString(),
      QString("the dataset is damaged (complete log: %1/ui/effects.log)").arg(folder_->path()));
  // It stays in the list until it is done again.
  QCOMPARE(jobs_.rows().size(), 1);
  QVERIFY(jobs_.rows()[0].state == JobProgress::kFailed);
  QVERIFY(jobs_.rows()[0].detail.startsWith("the dataset is damaged"));
  QFile::remove(folder_->filePath("end"));
  one->start(task());
  QCOMPARE(jobs_.rows().size(), 1);
  QVERIFY(jobs_.rows()[0].state == JobProgress::kRunning);
  write("end", "{}");
  QTRY_VERIFY(jobs_.rows().isEmpty());
}

void TestDetachedTask::theNextWindowGoesOnFollowingIt() {
  auto first = makeTask();
  first->start(task());
  QTRY_COMPARE(jobs_.rows()[0].share, 0.25);
  jobs_.end(jobs_.rows()[0].id);
  first.reset();
  const auto next = makeTask();
  QSignalSpy finished(next.get(), &DetachedTask::finished);
  next->resume();
  QVERIFY(next->isRunning());
  QCOMPARE(next->task().run, qint64(7));
  QCOMPARE(next->task().about, QStringList{"base"});
  QTRY_COMPARE(jobs_.rows()[0].share, 0.25);  // read anew
  write("end", "{}");
  QTRY_COMPARE(finished.size(), 1);
  const auto third = makeTask();
  third->resume();
  QVERIFY(!third->isRunning() && jobs_.rows().isEmpty());
}

void TestDetachedTask::anEndThatNobodySawIsTold() {
  auto first = makeTask();
  first->start(task());
  const ProcessId process = processOnThisHost(first->process());
  jobs_.end(jobs_.rows()[0].id);
  first.reset();
  write("end", "[1]");
  QTRY_VERIFY(!isAlive(process));
  const auto next = makeTask();
  QSignalSpy finished(next.get(), &DetachedTask::finished);
  next->resume();
  QTRY_COMPARE(finished.size(), 1);
  QCOMPARE(next->task().about, QStringList{"base"});
}

void TestDetachedTask::aProgramThatIsMissingFailsTheJob() {
  qputenv("STRATA_RUN", "/nowhere/strata-run");
  const auto one = makeTask();
  QSignalSpy failed(one.get(), &DetachedTask::failed);
  const qint64 job = jobs_.add({.name = "queued", .state = JobProgress::kQueued});
  one->start(task(), job);
  QCOMPARE(failed.size(), 1);
  QVERIFY(failed[0][0].toString().contains("cannot be started"));
  QCOMPARE(jobs_.rows().size(), 1);
  QVERIFY(jobs_.rows()[0].error.contains("cannot be started"));
  one->start({"not queued", 8, {"effects"}, {}});
  QCOMPARE(jobs_.failed(), 2);
}

STRATA_GUILESS_TEST(TestDetachedTask)
#include "test_detached_task.moc"
