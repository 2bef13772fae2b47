#include <QTest>
#include <csignal>
#include <fstream>
#include <optional>
#include <set>

#include <SQLiteCpp/SQLiteCpp.h>

#include "core/store/event_log.h"
#include "core/store/maintenance.h"
#include "core/store/run_session.h"
#include "core/store/scalars.h"
#include "store/store_fixture.h"
#include "tests/program.h"

using namespace strata;

// The index is rebuilt from the runs' folders.
class TestRepair : public QObject {
  Q_OBJECT

 private slots:
  void repairGivesTheSameIndex() {
    TemporaryFolder folder;
    std::string before;
    {
      Workspace workspace(folder / "w");
      fillWorkspace(workspace);
      before = contentOf(workspace);
    }
    QVERIFY(before.find("a note") != std::string::npos);
    const auto report = repairWorkspace(folder / "w");
    QVERIFY2(report.problems.empty(), report.problems.empty() ? "" : report.problems[0].c_str());
    {
      Workspace workspace(folder / "w");
      QCOMPARE(contentOf(workspace), before);
    }
    // Without any index, and with one that is not one.
    for (const bool damaged : {false, true}) {
      for (const char* tail : {"", "-wal", "-shm"})
        fs::remove(folder.path() / "w" / (std::string("workspace.db") + tail));
      if (damaged) std::ofstream(folder / "w" / "workspace.db") << std::string(5000, 'x');
      repairWorkspace(folder / "w");
      Workspace workspace(folder / "w");
      QCOMPARE(contentOf(workspace), before);
    }
    QVERIFY(checkWorkspace(folder / "w").problems.empty());
  }

  // A reader and a writer that have an index of an older version open see the new content.
  void renewsAnOlderIndexUnderItsReaders() {
    TemporaryFolder folder;
    std::string whole;
    std::optional<Workspace> reader, writer;
    {
      Workspace workspace(folder / "w");
      fillWorkspace(workspace);
      whole = contentOf(workspace);
      reader.emplace(folder / "w", WorkspaceOptions{.access = Access::kRead});
      writer.emplace(folder / "w");
      workspace.database().execute(
          "DROP TABLE logs; UPDATE series SET maximum = 7; PRAGMA user_version = 6");
    }
    const auto seen = reader->dataVersion();
    QVERIFY(QString::fromStdString(checkWorkspace(folder / "w").problems.front())
                .contains("has an older format (6;"));
    Workspace renewed(folder / "w", {.access = Access::kRead});
    QCOMPARE(renewed.database().version(), indexSchema().version);
    QVERIFY(reader->dataVersion() != seen);
    for (Workspace* each : {&renewed, &*reader, &*writer}) QCOMPARE(contentOf(*each), whole);
    QVERIFY(checkWorkspace(folder / "w").problems.empty());
    setNote(*writer, 2, "written after it");
    QCOMPARE(runById(*reader, 2).note, std::string("written after it"));
    for (const auto& name : namesIn(folder / "w"))
      QVERIFY2(name.find("before-repair") == std::string::npos, name.c_str());
  }

  // What only the old index knows of a log that is gone is kept.
  void renewingLosesNothing() {
    TemporaryFolder folder;
    {
      Workspace workspace(folder / "w");
      fillWorkspace(workspace);
      workspace.database().execute("PRAGMA user_version = 6");
    }
    fs::remove(folder / "w" / "runs" / "2-b" / "events.log");
    { Workspace renewed(folder / "w"); }
    int kept = 0;
    for (const auto& name : namesIn(folder / "w"))
      kept += name.find("before-repair") != std::string::npos && !name.ends_with("-shm") &&
              !name.ends_with("-wal");
    QCOMPARE(kept, 1);
  }

  // While runs are trained the index and their logs grow: that is no loss, and no copy is kept.
  void repairsUnderTraining() {
    TemporaryFolder folder;
    { Workspace make(folder / "w"); }
    const pid_t child = ::fork();
    if (child == 0) {
      Workspace workspace(folder / "w");
      RunSession session(workspace, createRun(workspace, {"a", smallConfig(), ""}).id, {});
      for (std::int64_t step = 0;; step += 10) {
        session.scalars(series("x", step, step + 10));
        session.flush();
      }
    }
    while (!fs::exists(folder / "w" / "runs" / "1-a")) ::usleep(1000);
    for (int i = 0; i < 30; ++i) repairWorkspace(folder / "w");
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (const auto& name : namesIn(folder / "w"))
      QVERIFY2(name.find("before-repair") == std::string::npos, name.c_str());
    Workspace workspace(folder / "w");
    refreshWorkspace(workspace);
    const std::string before = contentOf(workspace);
    repairWorkspace(folder / "w");
    QCOMPARE(contentOf(workspace), before);
  }

  // Two copies of one second have two names.
  void keepsEachDamagedIndex() {
    TemporaryFolder folder;
    {
      Workspace workspace(folder / "w");
      fillWorkspace(workspace);
    }
    for (int i = 1; i <= 3; ++i) {
      for (const char* tail : {"-wal", "-shm"})
        fs::remove(folder.path() / "w" / (std::string("workspace.db") + tail));
      writeFileAtomic(folder / "w" / "workspace.db", std::string(5000, char('a' + i)));
      repairWorkspace(folder / "w");
    }
    int kept = 0;
    for (const auto& name : namesIn(folder / "w"))
      kept += name.starts_with("workspace.db.damaged-");
    QCOMPARE(kept, 3);
  }

  // Databases of others, in the folder of a workspace's runs or not, stay as they are.
  void refusesAnotherProgramsDatabase_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<bool>("runs");
    for (const bool runs : {false, true}) {
      const char* where = runs ? "beside runs" : "alone";
      QTest::addRow("numbered, %s", where)
          << "CREATE TABLE t (x); PRAGMA application_id = 77" << runs;
      QTest::addRow("with a table of our name, %s", where)
          << "CREATE TABLE runs (run_uuid TEXT, name TEXT); INSERT INTO runs VALUES ('a', 'b')"
          << runs;
      QTest::addRow("versioned, %s", where)
          << "CREATE TABLE series (x); PRAGMA user_version = 3" << runs;
    }
  }
  void refusesAnotherProgramsDatabase() {
    QFETCH(QString, sql);
    QFETCH(bool, runs);
    TemporaryFolder folder;
    const fs::path index = folder / "w" / "workspace.db";
    {
      Workspace workspace(folder / "w");
      if (runs) fillWorkspace(workspace);
      workspace.database().execute("PRAGMA journal_mode = DELETE");
    }
    fs::remove(index);
    makeDatabase(index, sql.toStdString());
    const std::string before = readFile(index);
    QVERIFY_EXCEPTION_THROWN(Workspace(folder / "w"), IndexIsForeign);
    QVERIFY_EXCEPTION_THROWN(Workspace(folder / "w", {.access = Access::kRead}), IndexIsForeign);
    QVERIFY_EXCEPTION_THROWN(repairWorkspace(folder / "w"), IndexIsForeign);
    QVERIFY(!checkWorkspace(folder / "w").problems.empty());
    QVERIFY(readFile(index) == before);
    for (const auto& name : namesIn(folder / "w"))
      QVERIFY2(!name.starts_with("workspace.db") || name == "workspace.db", name.c_str());
  }

  // A file that is no index, in a folder without runs, may be anything.
  void refusesWhatMayBeAnything() {
    TemporaryFolder folder;
    { Workspace make(folder / "w"); }
    for (const char* tail : {"", "-wal", "-shm"})
      fs::remove(folder.path() / "w" / (std::string("workspace.db") + tail));
    writeFileAtomic(folder / "w" / "workspace.db", "someone's text\n");
    QVERIFY_EXCEPTION_THROWN(repairWorkspace(folder / "w"), Error);
    QCOMPARE(readFile(folder / "w" / "workspace.db"), std::string("someone's text\n"));
  }

  // A flipped bit of a length in the middle of a log: all other records are in the new index, the
  // log is unchanged, and the lost part is kept and reported.
  void repairPassesOverADamagedRecord() {
    TemporaryFolder folder;
    fs::path log;
    std::int64_t run = 0;
    std::uint64_t hit = 0;
    {
      Workspace workspace(folder / "w");
      const RunSummary made = createRun(workspace, {"a", smallConfig(), ""});
      run = made.id;
      log = made.folder / "events.log";
      RunSession session(workspace, run, {});
      for (int part = 0; part < 50; ++part) {
        if (part == 20) hit = fs::file_size(log);
        session.scalars(series("x", part * 10, part * 10 + 10));
        session.flush();
      }
      session.end({.runId = run, .step = 499, .message = ""});
    }
    std::string bytes = readFile(log);
    bytes[hit + 2] = static_cast<char>(bytes[hit + 2] ^ 1);  // 65,536 bytes longer
    std::ofstream(log, std::ios::binary) << bytes;
    const auto report = repairWorkspace(folder / "w");
    QVERIFY(readFile(log) == bytes);
    QCOMPARE(report.problems.size(), std::size_t(1));
    const fs::path kept = log.string() + ".kept-" + std::to_string(hit);
    QVERIFY2(report.problems[0].find(kept.string()) != std::string::npos,
             report.problems[0].c_str());
    QVERIFY(readFile(kept) == bytes.substr(hit, fs::file_size(kept)));
    Workspace workspace(folder / "w");
    std::set<std::int64_t> steps;
    for (const auto& point : readSeries(workspace, run, "x")) steps.insert(point.step);
    QCOMPARE(steps.size(), std::size_t(490));
    QVERIFY(!steps.contains(200) && steps.contains(199) && steps.contains(210));
    QCOMPARE(nameOf(runById(workspace, run).status), std::string_view("finished"));
    // What only the old index knew is still to be had.
    fs::path old;
    for (const auto& entry : fs::directory_iterator(folder / "w")) {
      if (entry.path().string().find("before-repair") != std::string::npos) old = entry.path();
    }
    Database index(old, {});
    Query count(index, "SELECT count FROM series WHERE name = 'x'");
    QVERIFY(count.next());
    QCOMPARE(count.integer(0), 500);
  }

  // Pages in the middle of the index: SQLite calls it malformed. One run's log that is no log does
  // not keep the others from being read.
  void repairReplacesAMalformedIndex() {
    TemporaryFolder folder;
    std::string before;
    {
      Workspace workspace(folder / "w");
      fillWorkspace(workspace);
      before = contentOf(workspace);
      workspace.database().execute("PRAGMA journal_mode = DELETE");
    }
    const fs::path index = folder / "w" / "workspace.db";
    std::string bytes = readFile(index);
    for (std::size_t at = 2 * 8192; at < bytes.size(); at += 8192)
      bytes.replace(at, 64, 64, '\x7f');
    std::ofstream(index, std::ios::binary) << bytes;
    QVERIFY(!checkWorkspace(folder / "w").problems.empty());
    const auto report = repairWorkspace(folder / "w");
    QVERIFY2(report.problems.empty(), report.problems.empty() ? "" : report.problems[0].c_str());
    QVERIFY(report.done.at(0).find("was damaged") != std::string::npos);
    {
      Workspace workspace(folder / "w");
      QCOMPARE(contentOf(workspace), before);
      createRun(workspace, {"other", smallConfig(), ""});
    }
    std::ofstream(folder / "w" / "runs" / "2-b" / "events.log") << "something else altogether";
    const auto second = repairWorkspace(folder / "w");
    QCOMPARE(second.problems.size(), std::size_t(1));
    QVERIFY(second.problems[0].find("2-b") != std::string::npos);
    Workspace workspace(folder / "w");
    QCOMPARE(findRun(workspace, "other").id, 4);
    QCOMPARE(readFile(folder / "w" / "runs" / "2-b" / "events.log"),
             std::string("something else altogether"));
  }

  // An index that another process uses is not damaged.
  void repairLeavesABusyIndexAlone() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    RunSession session(workspace, createRun(workspace, {"a", smallConfig(), ""}).id, {});
    session.scalars(series("x", 0, 10));
    session.flush();
    repairWorkspace(folder / "w");
    session.scalars(series("x", 10, 20));
    session.flush();
    QCOMPARE(readSeries(workspace, session.run(), "x").size(), std::size_t(20));
    const auto id = sendCommand(workspace, session.run(), Command::kCheckpoint);
    repairWorkspace(folder / "w");
    QCOMPARE(commandState(workspace, id).acknowledged, 0.0);
    session.end({.runId = session.run(), .message = ""});
  }

 private:
  // As another program makes one.
  static void makeDatabase(const fs::path& file, const std::string& sql) {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec(sql);
  }
};

STRATA_GUILESS_TEST(TestRepair)
#include "test_repair.moc"
