// Who trains a run: the holder of its lock; and which processes count as alive: those of this
// computer by their start, those of others by their heartbeat.
#include <QTest>
#include <array>
#include <csignal>
#include <fstream>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/store/event_log.h"
#include "core/store/jobs.h"
#include "core/store/process_id.h"
#include "core/store/reaper.h"
#include "core/store/run_lock.h"
#include "core/store/run_session.h"
#include "core/store/scalars.h"
#include "store/store_fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

constexpr double kMargin = 10;  // seconds that a test may take on a slow computer
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

// As a process of another computer writes its own.
std::string elsewhere(const std::string& process) {
  return process.substr(0, process.find('@')) + "@another-boot@4026531836";
}

void registerElsewhere(Workspace& workspace, std::int64_t run, double heartbeat) {
  Query(workspace.database(),
        "INSERT OR REPLACE INTO processes (run, host, pid, process, heartbeat) VALUES (?, "
        "'elsewhere', 1, ?, ?)")
      .with(run, elsewhere(thisProcess().process), heartbeat)
      .run();
}

fs::path folderOf(Workspace& workspace, std::int64_t run) {
  return runById(workspace, run).folder;
}

// The owner's file with other values of these keys; whoever holds the lock goes on holding it.
void changeOwner(const fs::path& runFolder, const Json& values) {
  const fs::path file = runFolder / "train.lock";
  Json owner = parseJson(readFile(file), file.string());
  owner.update(values);
  std::ofstream(file) << owner.dump() << "\n";
}

// A process that holds a run until it is signalled to end.
class Holder {
 public:
  explicit Holder(const std::function<void()>& hold) {
    std::array<int, 2> ready{};
    if (::pipe(ready.data()) != 0) throw Error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      try {
        hold();
        if (::write(ready[1], "x", 1) != 1) ::_exit(1);
        for (;;) ::pause();
      } catch (const std::exception& error) {
        std::fprintf(stderr, "holder: %s\n", error.what());
        ::_exit(9);
      }
    }
    ::close(ready[1]);
    char byte = 0;
    ready_ = ::read(ready[0], &byte, 1) == 1;
    ::close(ready[0]);
  }
  ~Holder() { end(); }
  bool ready() const { return ready_; }
  pid_t pid() const { return pid_; }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  }

 private:
  pid_t pid_ = 0;
  bool ready_ = false;
};

std::string messageOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string_view statusOf(Workspace& workspace, std::int64_t run) {
  return nameOf(runById(workspace, run).status);
}

}  // namespace

class TestProcesses : public QObject {
  Q_OBJECT

 private slots:
  // Of several connections of one process, none may make the system drop the locks of the others:
  // a process that comes and goes would remove the log that they write to.
  void aSecondConnectionKeepsTheLocks() {
    TemporaryFolder folder;
    std::array<int, 2> go{};
    QCOMPARE(::pipe(go.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      char byte = 0;
      if (::read(go[0], &byte, 1) != 1) ::_exit(1);
      {
        Workspace theirs(folder / "w");
        createRun(theirs, {"theirs", smallConfig(), ""});
      }
      ::_exit(0);
    }
    Workspace first(folder / "w");
    createRun(first, {"ours", smallConfig(), ""});
    WorkspaceOptions reading;
    reading.access = Access::kRead;
    const Workspace second(folder / "w", reading);
    QCOMPARE(::write(go[1], "x", 1), ssize_t(1));
    int status = -1;
    ::waitpid(child, &status, 0);
    QCOMPARE(status, 0);
    QVERIFY(fs::exists(folder / "w" / "workspace.db-wal"));
    QCOMPARE(listRuns(first).size(), std::size_t(2));
    for (const int end : go) ::close(end);
  }

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

  void whereItCannotBeLookedUpTheHeartbeatTells() {
    const ProcessId self = thisProcess();
    const std::string kernel = self.process.substr(0, self.process.rfind('@'));
    for (const std::string& process : {elsewhere(self.process), kernel + "@1"}) {
      const ProcessId other{self.host, self.pid, process};  // hosts may have the same name
      QVERIFY(isAlive(other, nowSeconds()));
      QVERIFY(isAlive(other, fresh()));
      QVERIFY(isAlive(other, nowSeconds() + kMargin));  // its clock is ahead
      QVERIFY(!isAlive(other, stale()));
      QVERIFY(!isAlive(other, 0));
    }
    QVERIFY(sharesKernel({"", 1, kernel + "@1"}));
    QVERIFY(!sharesProcesses({"", 1, kernel + "@1"}));
    QVERIFY(!sharesKernel({"", 1, elsewhere(self.process)}));
  }

  void oneProcessHoldsARunUntilItEnds() {
    TemporaryFolder folder;
    std::optional<RunLock> held;
    Holder holder([&] { held.emplace(folder.path()); });
    QVERIFY(holder.ready());
    const std::string message = messageOf([&] { const RunLock second(folder.path()); });
    QVERIFY2(message.find("process " + std::to_string(holder.pid())) != std::string::npos,
             message.c_str());
    QCOMPARE(holderOf(folder.path())->id.pid, std::int64_t(holder.pid()));
    const auto epoch = holderOf(folder.path())->epoch;
    ::kill(holder.pid(), SIGSTOP);
    QVERIFY(holderOf(folder.path()));
    QVERIFY_EXCEPTION_THROWN(RunLock(folder.path()), Error);
    holder.end();
    QVERIFY(!holderOf(folder.path()));
    const RunLock next(folder.path());
    QCOMPARE(next.epoch(), epoch + 1);
    QCOMPARE(holderOf(folder.path())->id.pid, std::int64_t(::getpid()));
  }

  // As containers and stopped processes look: another host name, another namespace, and no
  // heartbeat for longer than the limit. The lock is held all the same.
  void whateverItsOwnerLooksLikeTheLockHolds() {
    TemporaryFolder folder;
    std::int64_t run = 0;
    {
      Workspace workspace(folder / "w");
      run = createRun(workspace, {"a", smallConfig(), ""}).id;
    }
    std::optional<Workspace> own;
    std::optional<RunSession> session;
    Holder holder([&] {
      own.emplace(folder / "w");
      session.emplace(*own, run, RunStart{});
    });
    QVERIFY(holder.ready());
    ::kill(holder.pid(), SIGSTOP);
    Workspace workspace(folder / "w");
    const std::string kernel = thisProcess().process;
    for (const std::string& process :
         {kernel.substr(0, kernel.rfind('@')) + "@1", elsewhere(kernel)}) {
      changeOwner(folderOf(workspace, run), {{"host", "container"}, {"process", process}});
      fs::last_write_time(folderOf(workspace, run) / "train.lock",
                          fs::file_time_type::clock::now() - std::chrono::hours(1));
      Query(workspace.database(),
            "UPDATE processes SET host = 'container', process = ?, heartbeat = ?")
          .with(process, stale())
          .run();
      QCOMPARE(refreshWorkspace(workspace), 0);
      QCOMPARE(statusOf(workspace, run), std::string_view("running"));
      QVERIFY_EXCEPTION_THROWN(RunSession(workspace, run, {}), Error);
      QVERIFY_EXCEPTION_THROWN(trashRun(workspace, run), Error);
    }
  }

  // A lock that does not reach this computer: its owner counts until it has been silent for long.
  void anOwnerElsewhereCountsUntilItIsSilent() {
    TemporaryFolder folder;
    const auto run = killedRun(folder / "w");
    Workspace workspace(folder / "w");
    const fs::path place = folderOf(workspace, run);
    QVERIFY(!isTrained(workspace, run));
    changeOwner(place, {{"host", "elsewhere"}, {"process", elsewhere(thisProcess().process)}});
    QVERIFY(isTrained(workspace, run));
    const std::string message = messageOf([&] { const RunLock lock(place); });
    QVERIFY2(message.find("on elsewhere") != std::string::npos, message.c_str());
    fs::last_write_time(place / "train.lock",
                        fs::file_time_type::clock::now() - std::chrono::seconds(130));
    QVERIFY(!isTrained(workspace, run));
    const RunLock lock(place);
  }

  // Readers derive the status; the run's log is unchanged until another process takes the run.
  void onlyWhoTakesADeadRunSaysSo() {
    TemporaryFolder folder;
    const auto run = killedRun(folder / "w");
    const fs::path log = folder.path() / "w" / "runs" / "1-a" / "events.log";
    const std::string before = readFile(log);
    for (int look = 0; look < 2; ++look) {
      Workspace workspace(folder / "w");
      QCOMPARE(statusOf(workspace, run), std::string_view("interrupted"));
      QCOMPARE(refreshWorkspace(workspace), look == 0 ? 1 : 0);
      const RunSummary summary = runById(workspace, run);
      QVERIFY2(summary.message.find("is gone") != std::string::npos, summary.message.c_str());
      QCOMPARE(listRuns(workspace).at(0).status, RunStatus::kInterrupted);
      Workspace reader(folder / "w", {.access = Access::kRead});
      QCOMPARE(statusOf(reader, run), std::string_view("interrupted"));
    }
    QVERIFY(readFile(log) == before);
    Workspace workspace(folder / "w");
    RunSession again(workspace, run, {});
    QVERIFY(readFile(log).find("\"interrupted\"") != std::string::npos);
    QCOMPARE(statusOf(workspace, run), std::string_view("running"));
    again.end({.runId = run, .message = ""});
    QCOMPARE(statusOf(workspace, run), std::string_view("finished"));
    QVERIFY(!isTrained(workspace, run));  // although the session's object is still there
  }

  // A process whose lock was lost (here: with its file) continues after another one has taken the
  // run: it writes nothing more and says so.
  void whoWasTakenOverStops() {
    TemporaryFolder folder;
    std::int64_t run = 0;
    {
      Workspace workspace(folder / "w");
      run = createRun(workspace, {"a", smallConfig(), ""}).id;
    }
    std::optional<Workspace> own;
    std::optional<RunSession> session;
    Holder holder([&] {
      own.emplace(folder / "w");
      session.emplace(*own, run, RunStart{});
      session->scalars(series("x", 0, 10));
      session->flush();
      session->scalars(series("x", 10, 20));  // flushed within a second, if it may
    });
    QVERIFY(holder.ready());
    ::kill(holder.pid(), SIGSTOP);
    Workspace workspace(folder / "w");
    const fs::path place = folderOf(workspace, run);
    fs::copy(place / "train.lock", place / "copy");
    fs::rename(place / "copy", place / "train.lock");  // the same text, and no lock
    RunSession next(workspace, run, {.fromStep = 9});
    next.scalars(series("y", 10, 12));
    next.flush();
    const std::string log = readFile(place / "events.log");
    ::kill(holder.pid(), SIGCONT);
    QTest::qWait(2500);
    QVERIFY(readFile(place / "events.log") == log);
    QCOMPARE(holderOf(place)->id.pid, std::int64_t(::getpid()));
    next.end({.runId = run, .step = 12, .message = ""});
    holder.end();
    QCOMPARE(statusOf(workspace, run), std::string_view("finished"));
    QCOMPARE(readSeries(workspace, run, "x").size(), std::size_t(10));
  }

  // The same in one process, where what it throws can be seen.
  void aLostRunIsNamedToItsTrainer() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = createRun(workspace, {"a", smallConfig(), ""}).id;
    RunSession lost(workspace, run, {});
    changeOwner(folderOf(workspace, run), {{"epoch", 2}, {"host", "elsewhere"}, {"pid", 4711}});
    lost.scalars(series("x", 0, 10));
    const std::string message = messageOf([&] { lost.flush(); });
    QVERIFY2(message.find("process 4711 on elsewhere has taken") != std::string::npos,
             message.c_str());
    QVERIFY_EXCEPTION_THROWN(lost.poll(), RunTakenOver);
    QVERIFY_EXCEPTION_THROWN(lost.checkpoint({.runId = run, .step = 1, .folder = "c"}),
                             RunTakenOver);
    const std::string log = readFile(folderOf(workspace, run) / "events.log");
    lost.end({.runId = run, .step = 3, .message = ""});
    QVERIFY(readFile(folderOf(workspace, run) / "events.log") == log);
  }

  // A run that was merged while it trains elsewhere, and an index that was rebuilt since.
  void withoutALockTheLastWordTells() {
    TemporaryFolder folder;
    const auto run = killedRun(folder / "w");
    Workspace workspace(folder / "w");
    Database& database = workspace.database();
    fs::remove(folderOf(workspace, run) / "train.lock");
    registerElsewhere(workspace, run, fresh());
    QVERIFY(isTrained(workspace, run));
    QCOMPARE(refreshWorkspace(workspace), 0);
    QVERIFY_EXCEPTION_THROWN(takeRun(workspace, run), Error);
    registerElsewhere(workspace, run, stale());
    QVERIFY(!isTrained(workspace, run));
    database.execute("DELETE FROM processes");
    const auto lastWord = [&](double time) {
      Query(database, "UPDATE starts SET host = 'elsewhere', process = ?, last_seen = ?")
          .with(elsewhere(thisProcess().process), time)
          .run();
    };
    lastWord(fresh());
    QVERIFY(isTrained(workspace, run));
    lastWord(stale());
    QVERIFY(!isTrained(workspace, run));
    QCOMPARE(statusOf(workspace, run), std::string_view("interrupted"));
  }

  void aClaimOfASilentHostGoesBackToTheQueue() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const Job job = enqueueRun(workspace, {"a", smallConfig(), ""});
    QCOMPARE(claimJob(workspace)->id, job.id);
    const auto claimedElsewhere = [&](double time) {
      Query(workspace.database(),
            "UPDATE jobs SET host = 'elsewhere', process = ?, claimed = ? WHERE id = ?")
          .with(elsewhere(thisProcess().process), time, job.id)
          .run();
      refreshWorkspace(workspace);
      return nameOf(jobById(workspace, job.id).state);
    };
    QCOMPARE(claimedElsewhere(fresh()), std::string_view("claimed"));
    // Its trainer prepares: the run is taken.
    std::optional<RunLock> lock(takeRun(workspace, job.run));
    QCOMPARE(claimedElsewhere(stale()), std::string_view("claimed"));
    lock.reset();
    QCOMPARE(claimedElsewhere(stale()), std::string_view("queued"));
  }
};

STRATA_GUILESS_TEST(TestProcesses)
#include "test_processes.moc"
