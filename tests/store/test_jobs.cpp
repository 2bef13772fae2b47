#include <unistd.h>

#include <QTest>
#include <array>
#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <thread>

#include "core/base/error.h"
#include "core/store/event_log.h"
#include "core/store/jobs.h"
#include "core/store/maintenance.h"
#include "core/store/run_session.h"
#include "core/store/scalars.h"
#include "store/store_fixture.h"
#include "tests/program.h"

using namespace strata;

class TestJobs : public QObject {
  Q_OBJECT

 private:
  static std::string statusOf(Workspace& workspace, std::int64_t run) {
    return std::string(nameOf(runById(workspace, run).status));
  }

 private slots:
  void queuesInOrder() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const Job a = enqueueRun(workspace, {"a", smallConfig(), ""});
    const Job b = enqueueRun(workspace, {"b", smallConfig(), ""});
    const Job c = enqueueRun(workspace, {"c", smallConfig(), ""}, "cuda:0");
    QCOMPARE(statusOf(workspace, a.run), std::string("queued"));
    QCOMPARE(claimJob(workspace, "cpu")->id, a.id);
    QCOMPARE(claimJob(workspace, "cpu")->id, b.id);
    QVERIFY(!claimJob(workspace, "cpu"));  // c waits for a worker of cuda:0
    const auto claimed = claimJob(workspace, "cuda:0");
    QCOMPARE(claimed->id, c.id);
    QVERIFY(claimed->config == smallConfig());
  }

  // Four processes claim from one queue: each job once.
  void claimsAreAtomicBetweenProcesses() {
    TemporaryFolder folder;
    {
      Workspace workspace(folder / "w");
      for (int i = 0; i < 24; ++i) enqueueRun(workspace, {"", smallConfig(), ""});
    }
    std::array<int, 2> pipe{};
    QCOMPARE(::pipe(pipe.data()), 0);
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
      children.push_back(::fork());
      if (children.back() == 0) {
        Workspace workspace(folder / "w");
        while (const auto job = claimJob(workspace))
          if (::write(pipe[1], &job->id, sizeof job->id) < 0) ::_exit(1);
        ::_exit(0);
      }
    }
    ::close(pipe[1]);
    std::multiset<std::int64_t> ids;
    for (std::int64_t id = 0; ::read(pipe[0], &id, sizeof id) == sizeof id;) ids.insert(id);
    ::close(pipe[0]);
    for (const pid_t pid : children) ::waitpid(pid, nullptr, 0);
    QCOMPARE(ids.size(), std::size_t(24));
    QCOMPARE(std::set<std::int64_t>(ids.begin(), ids.end()).size(), std::size_t(24));
    // Their claims die with them.
    Workspace workspace(folder / "w");
    QCOMPARE(refreshWorkspace(workspace), 24);
    for (const auto& job : listJobs(workspace))
      QCOMPARE(nameOf(job.state), std::string_view("queued"));
  }

  void marksADeadRunInterruptedAndNamesTheProcess() {
    TemporaryFolder folder;
    std::int64_t run = 0;
    {
      Workspace workspace(folder / "w");
      run = enqueueRun(workspace, {"a", smallConfig(), ""}).run;
    }
    const int status = inChild([&] {
      Workspace workspace(folder / "w");
      const auto job = claimJob(workspace);
      RunSession session(workspace, run, {.job = job->id});
      session.scalars(series("train/nll", 0, 10));
      session.flush();
      sendCommand(workspace, run, Command::kStop);
      ::raise(SIGKILL);
    });
    QVERIFY(WIFSIGNALED(status));
    Workspace workspace(folder / "w");
    const auto unanswered = [&] {
      Query row(workspace.database(), "SELECT COUNT(*) FROM commands WHERE acknowledged = 0");
      return row.next() ? row.integer(0) : -1;
    };
    QCOMPARE(unanswered(), 1);
    QCOMPARE(refreshWorkspace(workspace), 1);
    QCOMPARE(unanswered(), 0);
    QCOMPARE(refreshWorkspace(workspace), 0);
    const auto summary = runById(workspace, run);
    QCOMPARE(statusOf(workspace, run), std::string("interrupted"));
    QVERIFY2(summary.message.find("is gone") != std::string::npos, summary.message.c_str());
    QCOMPARE(summary.pending, std::string());
    QCOMPARE(summary.step, 9);
    QCOMPARE(nameOf(listJobs(workspace, true).at(0).state), std::string_view("interrupted"));
    QVERIFY(listJobs(workspace).empty());
    const Job again = enqueueResume(workspace, run);
    QVERIFY(again.resume);
    QCOMPARE(statusOf(workspace, run), std::string("queued"));
    QCOMPARE(nameOf(listJobs(workspace, true).at(0).state), std::string_view("interrupted"));
    QVERIFY_EXCEPTION_THROWN(enqueueResume(workspace, run), Error);
  }

  void aQueuedRunIsPutFirst() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const Job a = enqueueRun(workspace, {"a", smallConfig(), ""}),
              b = enqueueRun(workspace, {"b", smallConfig(), ""}),
              c = enqueueRun(workspace, {"c", smallConfig(), ""});
    queueFirst(workspace, c.run);
    queueFirst(workspace, c.run);  // it is
    std::vector<std::int64_t> order;
    for (const Job& job : listJobs(workspace)) order.push_back(job.run);
    QCOMPARE(order, (std::vector<std::int64_t>{c.run, a.run, b.run}));
    QCOMPARE(claimJob(workspace)->run, c.run);
    QVERIFY_EXCEPTION_THROWN(queueFirst(workspace, c.run), Error);  // it is claimed
    queueFirst(workspace, b.run);
    QCOMPARE(claimJob(workspace)->run, b.run);
  }

  void aQueuedRunIsMoved() {
    TemporaryFolder folder;
    std::optional<Workspace> opened(folder / "w");
    Workspace& workspace = *opened;
    std::map<char, std::int64_t> runs;
    for (const char name : {'a', 'b', 'c', 'd'})
      runs[name] = enqueueRun(workspace, {std::string(1, name), smallConfig(), ""}).run;
    const auto order = [&] {
      std::string names;
      for (const Job& job : listJobs(workspace)) names += job.name;
      return names;
    };
    queueBefore(workspace, runs['d'], runs['b']);
    QCOMPARE(order(), std::string("adbc"));
    queueBefore(workspace, runs['a'], 0);
    QCOMPARE(order(), std::string("dbca"));
    queueBy(workspace, runs['c'], -1);
    QCOMPARE(order(), std::string("dcba"));
    queueBy(workspace, runs['c'], -5);
    QCOMPARE(order(), std::string("cdba"));
    queueBy(workspace, runs['c'], 2);
    QCOMPARE(order(), std::string("dbca"));
    queueBy(workspace, runs['a'], 1);  // it is the last
    QCOMPARE(order(), std::string("dbca"));
    // No number is left between two neighbours after some 50 halvings.
    std::string expected = order();
    for (int i = 0; i < 120; ++i) {
      const char last = expected.back();
      expected = expected.substr(0, 1) + last + expected.substr(1, 2);
      queueBefore(workspace, runs[last], runs[expected[2]]);
      QCOMPARE(order(), expected);
    }
    // It is kept by the runs' logs, too.
    opened.reset();
    repairWorkspace(folder / "w");
    Workspace repaired(folder / "w");
    std::string kept;
    for (const Job& job : listJobs(repaired)) kept += job.name;
    QCOMPARE(kept, expected);
    QCOMPARE(claimJob(repaired)->name, expected.substr(0, 1));
    QVERIFY_EXCEPTION_THROWN(queueBefore(repaired, runs[expected[0]], 0), Error);  // it is claimed
    QVERIFY_EXCEPTION_THROWN(queueBefore(repaired, runs[expected[1]], runs[expected[0]]), Error);
  }

  void moreUpdatesLiftTheOtherLimits() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    Json config = smallConfig();
    config["training"] = {{"max_updates", 0}, {"max_epochs", 2}, {"phases", {{{"epochs", 3}}}}};
    config["early_stopping"] = {{"metric", "valid/nll"}, {"patience", 2}};
    const auto run = createRun(workspace, {"a", config, ""}).id;
    RunSession session(workspace, run, {});
    session.end({.runId = run, .step = 40, .outcome = RunOutcome::kFinished, .message = ""});
    QVERIFY_EXCEPTION_THROWN(enqueueUpdates(workspace, run, 40), Error);
    QCOMPARE(statusOf(workspace, run), std::string("finished"));
    const Job job = enqueueUpdates(workspace, run, 100);
    QVERIFY(job.resume);
    const Json changed = runConfig(runById(workspace, run));
    QVERIFY(job.config == changed);
    QCOMPARE(changed["training"]["max_updates"].get<int>(), 100);
    QCOMPARE(changed["training"]["max_epochs"].get<int>(), 0);
    QCOMPARE(changed["training"]["phases"][0]["epochs"].get<int>(), 0);
    QCOMPARE(changed["early_stopping"]["metric"].get<std::string>(), std::string());
  }

  void commandsAreReceivedAndAcknowledged() {
    TemporaryFolder folder;
    Workspace trainer(folder / "w"), window(folder / "w");
    const Job job = enqueueRun(window, {"a", smallConfig(), ""});
    (void)claimJob(trainer);
    const auto early = sendCommand(window, job.run, Command::kCheckpoint);  // before it has begun
    RunSession session(trainer, job.run, {.job = job.id});
    const auto stop = sendCommand(window, job.run, Command::kStop);
    QCOMPARE(sendCommand(window, job.run, Command::kStop), stop);
    std::vector<std::int64_t> received;
    QTRY_VERIFY_WITH_TIMEOUT(([&] {
                               while (const auto command = session.poll())
                                 received.push_back(command->id);
                               return received.size() == 2;
                             }()),
                             5000);
    QCOMPARE(received, (std::vector<std::int64_t>{early, stop}));
    QCOMPARE(commandState(window, stop).acknowledged, 0.0);
    session.acknowledge(stop, "saved at step 40");
    QTRY_VERIFY_WITH_TIMEOUT(commandState(window, stop).acknowledged > 0, 5000);
    QCOMPARE(commandState(window, stop).outcome, std::string("saved at step 40"));
    QCOMPARE(statusOf(window, job.run), std::string("running"));
    session.end({.runId = job.run, .step = 40, .outcome = RunOutcome::kStopped, .message = ""});
    QCOMPARE(statusOf(window, job.run), std::string("stopped"));
    QCOMPARE(nameOf(jobById(window, job.id).state), std::string_view("stopped"));
    QVERIFY(commandState(window, early).acknowledged > 0);
    QVERIFY_EXCEPTION_THROWN(sendCommand(window, job.run, Command::kStop), Error);
  }

  void queuedRunsAreStoppedAndPausedAtOnce() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const Job job = enqueueRun(workspace, {"a", smallConfig(), ""});
    const auto id = sendCommand(workspace, job.run, Command::kPause);
    QVERIFY(commandState(workspace, id).acknowledged > 0);
    QCOMPARE(statusOf(workspace, job.run), std::string("paused"));
    QVERIFY(!claimJob(workspace));
    const Job again = enqueueResume(workspace, job.run);
    QCOMPARE(again.id, job.id);
    QVERIFY(!again.resume);
    sendCommand(workspace, job.run, Command::kStop);
    QCOMPARE(statusOf(workspace, job.run), std::string("stopped"));
  }

  void oneProcessTrainsARun() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = createRun(workspace, {"a", smallConfig(), ""}).id;
    RunSession session(workspace, run, {});
    Workspace other(folder / "w");
    QVERIFY_EXCEPTION_THROWN(RunSession(other, run, {}), Error);
    QVERIFY_EXCEPTION_THROWN(trashRun(other, run), Error);
    session.end({.runId = run, .message = ""});
  }

  // An order that is refused because the run trains already changes nothing of the run.
  void aRefusedOrderLeavesTheRunAlone() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const Job job = enqueueRun(workspace, {"a", smallConfig(), ""});
    RunSession session(workspace, job.run, {});  // by hand, while it waits in the queue
    QCOMPARE(claimJob(workspace)->id, job.id);
    QVERIFY_EXCEPTION_THROWN(takeRun(workspace, job.run), Error);
    markJobEnded(workspace, job.id, JobState::kFailed, "refused");
    QCOMPARE(nameOf(jobById(workspace, job.id).state), std::string_view("failed"));
    QCOMPARE(statusOf(workspace, job.run), std::string("running"));
    Json other = smallConfig();
    other["seed"] = 8;
    QVERIFY_EXCEPTION_THROWN(enqueueResume(workspace, job.run, other), Error);
    QCOMPARE(runConfig(runById(workspace, job.run))["seed"].get<int>(), 7);
    session.end({.runId = job.run, .message = ""});
  }

  // While another process writes the index for longer than one waits, values go to the folder.
  void aBusyIndexLosesNothing() {
    TemporaryFolder folder;
    Workspace trainer(folder / "w", {.busyMilliseconds = 50});
    const auto run = createRun(trainer, {"a", smallConfig(), ""});
    RunSession session(trainer, run.id, {});
    Workspace busy(folder / "w");
    busy.database().write([&] {
      session.scalars(series("x", 0, 10));
      session.checkpoint({.runId = run.id, .step = 9, .folder = "checkpoints/x", .best = false});
      int records = 0;
      scanLog(run.folder / "events.log", 0, [&](RecordKind kind, std::string_view) {
        records += kind == RecordKind::kScalars ? 1 : 0;
      });
      QCOMPARE(records, 1);
      QVERIFY(readSeries(busy, run.id, "x").empty());
    });
    session.flush();
    QCOMPARE(readSeries(busy, run.id, "x").size(), std::size_t(10));
    session.end({.runId = run.id, .message = ""});
    QVERIFY(checkWorkspace(folder / "w").problems.empty());
  }

  void whoChangesTheIndexIsNamed() {
    TemporaryFolder folder;
    Workspace busy(folder / "w"), waiting(folder / "w", {.busyMilliseconds = 20});
    std::string text;
    busy.database().write([&] {
      try {
        waiting.database().write([] {});
      } catch (const Error& error) {
        text = error.what();
      }
    });
    const auto wanted = "in use by process " + std::to_string(::getpid()) + " for too long";
    QVERIFY2(text.find(wanted) != text.npos, text.c_str());
  }

  // The window sees the values of another connection about a second after they came.
  void valuesArriveWithinASecondOrTwo() {
    TemporaryFolder folder;
    Workspace trainer(folder / "w");
    const auto run = createRun(trainer, {"a", smallConfig(), ""}).id;
    Workspace window(folder / "w", {.access = Access::kRead});
    RunSession session(trainer, run,
                       {.program = "0.1",
                        .libtorch = "2.11",
                        .device = "cpu",
                        .threads = 2,
                        .mklFast = false,
                        .datasetDigest = "abc"});
    const auto version = window.dataVersion();
    session.scalars(series("train/nll", 0, 5));
    QTRY_COMPARE_WITH_TIMEOUT(readSeries(window, run, "train/nll").size(), std::size_t(5), 3000);
    QVERIFY(window.dataVersion() != version);
    QVERIFY_EXCEPTION_THROWN(setNote(window, run, "no"), Error);
    const auto start = runStarts(window, run).at(0);
    QCOMPARE(start.libtorch, std::string("2.11"));
    QVERIFY(!start.mklFast);
    QCOMPARE(start.datasetDigest, std::string("abc"));
    QCOMPARE(start.pid, std::int64_t(::getpid()));
    session.end({.runId = run, .step = 4, .message = ""});
    QCOMPARE(statusOf(window, run), std::string("finished"));
  }
};

STRATA_GUILESS_TEST(TestJobs)
#include "test_jobs.moc"
