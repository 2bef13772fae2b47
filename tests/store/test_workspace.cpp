#include <QElapsedTimer>
#include <QTest>
#include <array>
#include <csignal>
#include <fstream>
#include <set>

#include "core/base/error.h"
#include "core/run/config.h"
#include "core/store/event_log.h"
#include "core/store/looks.h"
#include "core/store/maintenance.h"
#include "core/store/run_session.h"
#include "core/store/scalars.h"
#include "store/store_fixture.h"
#include "tests/program.h"

using namespace strata;

class TestWorkspace : public QObject {
  Q_OBJECT

 private:
  static std::string messageOf(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

 private slots:
  void makesItsFolders() {
    TemporaryFolder folder;
    const Workspace workspace(folder / "w");
    for (const char* name : {"datasets", "runs", "ui", "reports", "workspace.db"})
      QVERIFY2(fs::exists(folder / "w" / name), name);
    QCOMPARE(workspace.database().version(), indexSchema().version);
  }

  void refusesANewerIndexAndLeavesItAlone() {
    TemporaryFolder folder;
    {
      Workspace workspace(folder / "w");
      workspace.database().execute("PRAGMA user_version = 99; PRAGMA journal_mode = DELETE");
    }
    const std::string before = readFile(folder / "w" / "workspace.db");
    const std::string message = messageOf([&] { Workspace(folder / "w"); });
    QVERIFY2(message.find("newer version") != std::string::npos, message.c_str());
    QVERIFY(message.find("99") != std::string::npos);
    QVERIFY(readFile(folder / "w" / "workspace.db") == before);
    QVERIFY_EXCEPTION_THROWN(repairWorkspace(folder / "w"), Error);
    QVERIFY(readFile(folder / "w" / "workspace.db") == before);
  }

  void usesARollbackJournalOnANetworkFileSystem() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w", {.networkFileSystem = true});
    {
      Query mode(workspace.database(), "PRAGMA journal_mode");
      QVERIFY(mode.next());
      QCOMPARE(mode.text(0), std::string("delete"));
    }
    QCOMPARE(createRun(workspace, {"a", smallConfig(), ""}).id, 1);
  }

  void namesAreUniqueAndSlugsPlain() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    QCOMPARE(slugOf("Mein Übung_2.b"), std::string("mein--bung-2.b"));
    const auto run = createRun(workspace, {"Both FNN", smallConfig(), ""});
    QCOMPARE(run.folder.filename().string(), std::string("1-both-fnn"));
    QVERIFY(runConfig(run) == withNewKeys(smallConfig()));
    for (const char* name :
         {"", "a/b", "a@b", "12", "a\nb", "\xff", ".", "..", "-rf", "--help", " ", " a", "a "})
      QVERIFY_EXCEPTION_THROWN(renameRun(workspace, run.id, name), Error);
    QVERIFY_EXCEPTION_THROWN(createRun(workspace, {"Both FNN", smallConfig(), ""}), Error);
    QCOMPARE(createRun(workspace, {"", smallConfig(), ""}).name, std::string("base"));
    QCOMPARE(createRun(workspace, {"", smallConfig(), ""}).name, std::string("base-2"));
    QCOMPARE(findRun(workspace, "base-2").id, 3);
    QCOMPARE(findRun(workspace, "3").name, std::string("base-2"));
    const std::string message = messageOf([&] { findRun(workspace, "bas-2"); });
    QVERIFY2(message.find("did you mean 'base-2'") != std::string::npos, message.c_str());
  }

  // The first number that is free, among names that only look alike; a number that only a folder
  // has is taken, too.
  void choosesTheFirstFreeNameAndNumber() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto make = [&](const std::string& name) {
      return createRun(workspace, {name, smallConfig(), ""});
    };
    QCOMPARE(freeRunName(workspace, "a"), std::string("a"));
    for (const char* name : {"a", "a-2", "a-4", "a-03", "a-3x", "A-3", "a.3", "a%-3", "ab"})
      make(name);
    QCOMPARE(freeRunName(workspace, "a"), std::string("a-3"));
    make("a-3");
    QCOMPARE(freeRunName(workspace, "a"), std::string("a-5"));
    QCOMPARE(freeRunName(workspace, "a%"), std::string("a%"));
    trashRun(workspace, findRun(workspace, "a-4").id);  // keeps its name until it is wanted
    QCOMPARE(freeRunName(workspace, "a"), std::string("a-5"));
    fs::create_directories(folder / "w" / "trash" / "40-copied");
    fs::create_directories(folder / "w" / "runs" / "50");  // no run's folder
    QCOMPARE(make("next").id, 41);
    fs::create_directories(folder / "w" / "runs" / "44-copied");
    QCOMPARE(make("after").id, 45);
  }

  void renamesTagsTrashesAndRestores() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = createRun(workspace, {"a", smallConfig(), ""});
    renameRun(workspace, run.id, "b");
    setTags(workspace, run.id, {"two", "one", "two"});
    setNote(workspace, run.id, "a note");
    trashRun(workspace, run.id);
    QVERIFY(listRuns(workspace).empty());
    QVERIFY(fs::exists(folder / "w" / "trash" / "1-a" / "events.log"));
    restoreRun(workspace, run.id);
    const auto back = listRuns(workspace).at(0);
    QCOMPARE(back.name, std::string("b"));
    QCOMPARE(back.tags, (std::vector<std::string>{"one", "two"}));
    QCOMPARE(back.note, std::string("a note"));
    QVERIFY(!back.trashed);
  }

  // What was thrown away does not keep its name from a new run; back again, it has another.
  void aTrashedRunGivesItsNameUp() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto thrown = createRun(workspace, {"a", smallConfig(), ""});
    trashRun(workspace, thrown.id);
    const auto fresh = createRun(workspace, {"a", smallConfig(), ""});
    QCOMPARE(fresh.name, std::string("a"));
    restoreRun(workspace, thrown.id);
    QCOMPARE(runById(workspace, thrown.id).name, std::string("a-trashed"));
    QCOMPARE(findRun(workspace, "a").id, fresh.id);
    QVERIFY_EXCEPTION_THROWN(renameRun(workspace, thrown.id, "a"), Error);
    trashRun(workspace, fresh.id);
    renameRun(workspace, thrown.id, "a");
    QCOMPARE(runById(workspace, fresh.id).name, std::string("a-trashed-2"));
  }

  // Two processes make runs at once: no number and no folder twice.
  void allocatesNumbersSafelyBetweenProcesses() {
    TemporaryFolder folder;
    { Workspace make(folder / "w"); }
    std::vector<pid_t> children;
    for (int child = 0; child < 2; ++child) {
      const pid_t pid = ::fork();
      if (pid == 0) {
        Workspace workspace(folder / "w");
        for (int i = 0; i < 20; ++i) createRun(workspace, {"", smallConfig(), ""});
        ::_exit(0);
      }
      children.push_back(pid);
    }
    for (const pid_t pid : children) {
      int status = 0;
      ::waitpid(pid, &status, 0);
      QCOMPARE(status, 0);
    }
    Workspace workspace(folder / "w");
    std::set<std::string> names;
    for (const auto& run : listRuns(workspace)) names.insert(run.name);
    QCOMPARE(names.size(), std::size_t(40));
    QVERIFY(checkWorkspace(folder / "w").problems.empty());
  }

  // A writer is killed at any moment: nothing reported as durable is lost, and folders and index
  // agree after a check.
  void survivesKillsOfAWriter() {
    TemporaryFolder folder;
    std::int64_t run = 0;
    {
      Workspace workspace(folder / "w");
      run = createRun(workspace, {"a", smallConfig(), ""}).id;
    }
    for (int round = 0; round < 8; ++round) {
      std::array<int, 2> pipe{};
      QCOMPARE(::pipe(pipe.data()), 0);
      const pid_t child = ::fork();
      if (child == 0) {
        Workspace workspace(folder / "w");
        RunSession session(workspace, run, {.fromStep = round * 1'000'000});
        for (std::int64_t step = round * 1'000'000 + 1;; ++step) {
          session.scalars(series("x", step * 10, step * 10 + 10));
          session.checkpoint(
              {.runId = run, .step = step, .folder = "checkpoints/x", .best = false});
          if (::write(pipe[1], &step, sizeof step) != sizeof step) ::_exit(1);
        }
      }
      ::close(pipe[1]);
      std::int64_t durable = 0, step = 0;
      const int reads = 3 + round * 2;
      for (int i = 0; i < reads && ::read(pipe[0], &step, sizeof step) == sizeof step; ++i)
        durable = step;
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
      ::close(pipe[0]);
      Workspace workspace(folder / "w");
      refreshWorkspace(workspace);
      QCOMPARE(nameOf(runById(workspace, run).status), std::string_view("interrupted"));
      QVERIFY(listCheckpointRows(workspace, run).back().step >= durable);
      QVERIFY(readSeries(workspace, run, "x").back().step >= durable * 10 + 9);
      // A kill can cut a write at a page of the file; the next append moves that end away.
      for (const std::string& problem : checkWorkspace(folder / "w").problems)
        QVERIFY2(problem.ends_with("an unfinished or damaged record"), problem.c_str());
      const std::string before = contentOf(workspace);
      repairWorkspace(folder / "w");
      QCOMPARE(contentOf(workspace), before);
    }
    Workspace workspace(folder / "w");
    setNote(workspace, run, "cuts the last one's end");
    QVERIFY(checkWorkspace(folder / "w").problems.empty());
  }

  void readsWhatAKilledWriterLeftOutOfTheIndex() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = createRun(workspace, {"a", smallConfig(), ""});
    // As a process that died between the log and the index leaves it, with half a record behind.
    const LogRecord record{RecordKind::kScalars, packScalars(series("x", 0, 10))};
    appendRecords(run.folder / "events.log", {record});
    std::ofstream(run.folder / "events.log", std::ios::app) << "half a record";
    QVERIFY(!checkWorkspace(folder / "w").problems.empty());
    QVERIFY(refreshWorkspace(workspace) >= 1);
    QCOMPARE(readSeries(workspace, run.id, "x").size(), std::size_t(10));
    setNote(workspace, run.id, "cuts the tail");
    QVERIFY(checkWorkspace(folder / "w").problems.empty());
  }

  void countsLooksAtTestSets() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const auto run = createRun(workspace, {"a", smallConfig(), ""});
    recordTestLook(workspace, {.run = run.id,
                               .dataset = "toy",
                               .set = "test",
                               .checkpoint = "step-00000010",
                               .settings = {{"beam", 5}},
                               .scores = {{"BLEU", 31.5}}});
    recordTestLook(workspace, {.dataset = "toy",
                               .set = "test",
                               .checkpoint = "/models/x",
                               .settings = nullptr,
                               .scores = nullptr});
    QCOMPARE(listTestLooks(workspace).size(), std::size_t(2));
    QVERIFY(listTestLooks(workspace, run.id).at(0).settings == Json({{"beam", 5}}));
    QCOMPARE(runById(workspace, run.id).looks, 1);
    for (const char* set : {"test", "test2016", "flickr-test", "Test"}) QVERIFY(isTestSet(set));
    for (const char* set : {"valid", "latest", "testament", "contest"}) QVERIFY(!isTestSet(set));
  }

  void listsAThousandRunsQuickly() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    workspace.database().write([&] {
      for (int i = 0; i < 1000; ++i)
        createRun(workspace, {"run " + std::to_string(i) + "x", smallConfig(), ""});
    });
    QElapsedTimer timer;
    timer.start();
    refreshWorkspace(workspace);
    const auto refreshed = timer.nsecsElapsed();
    QCOMPARE(listRuns(workspace).size(), std::size_t(1000));
    qInfo("1,000 runs: refreshed in %.1f ms, listed in %.1f ms", double(refreshed) / 1e6,
          double(timer.nsecsElapsed() - refreshed) / 1e6);
    QVERIFY(timer.elapsed() < 2000);
  }

  void backsUpAndVacuums() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    createRun(workspace, {"a", smallConfig(), ""});
    backupIndex(workspace.database(), folder / "copy.db");
    QVERIFY_EXCEPTION_THROWN(backupIndex(workspace.database(), folder / "copy.db"), Error);
    Database copy(folder / "copy.db", {});
    Query row(copy, "SELECT name FROM runs");
    QVERIFY(row.next());
    QCOMPARE(row.text(0), std::string("a"));
    QVERIFY(vacuumIndex(workspace) >= 0);
  }
};

STRATA_GUILESS_TEST(TestWorkspace)
#include "test_workspace.moc"
