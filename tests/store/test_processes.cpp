// Which processes count as alive: those of this computer by their start, those of others by their
// heartbeat.
#include <QTest>
#include <csignal>

#include "core/base/error.h"
#include "core/store/event_log.h"
#include "core/store/jobs.h"
#include "core/store/process_id.h"
#include "core/store/reaper.h"
#include "core/store/run_session.h"
#include "store/store_fixture.h"

using namespace strata;

namespace {

constexpr double kMargin = 10;  // seconds: what a slow computer may take for a test
double fresh() {
  return nowSeconds() - kHeartbeatLimit + kMargin;
}
double stale() {
  return nowSeconds() - kHeartbeatLimit - kMargin;
}

// A run whose process was killed while it trained it.
std::int64_t killedRun(const fs::path& root) {
  std::int64_t run = 0;
  {
    Workspace workspace(root);
    run = createRun(workspace, {"a", smallConfig(), ""}).id;
  }
  inChild([&] {
    Workspace workspace(root);
    RunSession session(workspace, run, {});
    session.flush();
    ::raise(SIGKILL);
  });
  return run;
}

void moveElsewhere(Workspace& workspace, std::int64_t run, double heartbeat) {
  Query(workspace.database(),
        "UPDATE processes SET host = 'elsewhere', heartbeat = ? WHERE run = ?")
      .with(heartbeat, run)
      .run();
}

std::string_view statusOf(Workspace& workspace, std::int64_t run) {
  return nameOf(runById(workspace, run).status);
}

}  // namespace

class TestProcesses : public QObject {
  Q_OBJECT

 private slots:
  void onThisHostTheStartTells() {
    const ProcessId self = thisProcess();
    QVERIFY(isAlive(self, 0));
    ProcessId other = self;
    other.process = "1@" + self.process.substr(self.process.find('@') + 1);
    QVERIFY(!isAlive(other, nowSeconds()));  // the same number, another process
    QVERIFY(!isAlive({self.host, 0, self.process}, nowSeconds()));
    // A process that has ended and that nobody has waited for is none.
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    QTRY_VERIFY(processOnThisHost(child).process.empty());
    ::waitpid(child, nullptr, 0);
  }

  void onAnotherHostTheHeartbeatTells() {
    const ProcessId other{"elsewhere", thisProcess().pid, thisProcess().process};
    QVERIFY(isAlive(other, nowSeconds()));
    QVERIFY(isAlive(other, fresh()));
    QVERIFY(isAlive(other, nowSeconds() + kMargin));  // its clock is ahead
    QVERIFY(!isAlive(other, stale()));
    QVERIFY(!isAlive(other, 0));
  }

  void aRunOfAnotherHostLivesByItsHeartbeat() {
    TemporaryFolder folder;
    const auto run = killedRun(folder / "w");
    Workspace workspace(folder / "w");
    QVERIFY(!isTrained(workspace, run));
    moveElsewhere(workspace, run, fresh());
    QVERIFY(isTrained(workspace, run));
    QCOMPARE(refreshWorkspace(workspace), 0);
    QCOMPARE(statusOf(workspace, run), std::string_view("running"));
    QVERIFY_EXCEPTION_THROWN(RunSession(workspace, run, {}), Error);  // it is being trained

    const double last = stale();
    moveElsewhere(workspace, run, last);
    QVERIFY(!isTrained(workspace, run));
    QCOMPARE(refreshWorkspace(workspace), 1);
    const RunSummary summary = runById(workspace, run);
    QCOMPARE(statusOf(workspace, run), std::string_view("interrupted"));
    QVERIFY2(summary.message.find("on elsewhere is gone") != std::string::npos,
             summary.message.c_str());
    RunSession again(workspace, run, {});
    QVERIFY(isTrained(workspace, run));
    again.end({.runId = run, .message = ""});
  }

  // An index that was rebuilt has no registrations: the run's last word stands for the heartbeat.
  void withoutARegistrationTheLastWordTells() {
    TemporaryFolder folder;
    const auto run = killedRun(folder / "w");
    Workspace workspace(folder / "w");
    Database& database = workspace.database();
    database.execute("DELETE FROM processes");
    const auto lastWord = [&](double time) {
      Query(database, "UPDATE starts SET host = 'elsewhere', last_seen = ? WHERE run = ?")
          .with(time, run)
          .run();
    };
    lastWord(fresh());
    QVERIFY(isTrained(workspace, run));
    lastWord(stale());
    QVERIFY(!isTrained(workspace, run));
  }

  void aClaimOfASilentHostGoesBackToTheQueue() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const Job job = enqueueRun(workspace, {"a", smallConfig(), ""});
    QCOMPARE(claimJob(workspace)->id, job.id);
    const auto claimedElsewhere = [&](double time) {
      Query(workspace.database(), "UPDATE jobs SET host = 'elsewhere', claimed = ? WHERE id = ?")
          .with(time, job.id)
          .run();
      refreshWorkspace(workspace);
      return nameOf(jobById(workspace, job.id).state);
    };
    QCOMPARE(claimedElsewhere(fresh()), std::string_view("claimed"));
    QCOMPARE(claimedElsewhere(stale()), std::string_view("queued"));
  }
};

QTEST_GUILESS_MAIN(TestProcesses)
#include "test_processes.moc"
