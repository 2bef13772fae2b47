#include <QTest>
#include <fstream>
#include <set>

#include "core/store/event_log.h"
#include "core/store/jobs.h"
#include "core/store/looks.h"
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
      fill(workspace);
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

  // An index as older versions left it, with the points of runs that have ended as rows: a reader
  // that had it open sees the new content.
  void repairsAnOlderIndexUnderItsReaders() {
    TemporaryFolder folder;
    Workspace workspace(folder / "w");
    const RunSummary run = createRun(workspace, {"a", smallConfig(), ""});
    {
      RunSession session(workspace, run.id, {});
      session.scalars(series("x", 0, 900));
      session.end({.runId = run.id, .step = 899, .message = ""});
    }
    const std::string packed = contentOf(workspace);
    workspace.database().execute(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 899) "
        "INSERT INTO points SELECT s.id, n.i, n.i, 1000 + n.i, 0.5 FROM series s, n; "
        "DELETE FROM chunks; UPDATE series SET sealed = 0; PRAGMA user_version = 5");
    const std::string rows = contentOf(workspace);
    QVERIFY(rows != packed && rows.find("0.5") != std::string::npos);
    workspace.database().execute("PRAGMA user_version = 6");
    Workspace reader(folder / "w", {.access = Access::kRead});
    QCOMPARE(contentOf(reader), rows);
    const auto seen = reader.dataVersion();
    workspace.database().execute("PRAGMA user_version = 5");
    const auto report = repairWorkspace(folder / "w");
    QVERIFY2(report.problems.empty(), report.problems.empty() ? "" : report.problems[0].c_str());
    QVERIFY(reader.dataVersion() != seen);
    QCOMPARE(contentOf(reader), packed);
    QCOMPARE(contentOf(workspace), packed);
    QVERIFY(checkWorkspace(folder / "w").problems.empty());
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
      fill(workspace);
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
  // Something of every table.
  static void fill(Workspace& workspace) {
    const auto a = createRun(workspace, {"a", smallConfig(), ""});
    setTags(workspace, a.id, {"x", "y"});
    setNote(workspace, a.id, "a note");
    renameRun(workspace, a.id, "first");
    const Job job = enqueueRun(workspace, {"b", smallConfig("mlrf/both-fnn-sa4"), ""});
    enqueueRun(workspace, {"c", smallConfig(), ""}, "cuda:0");
    (void)claimJob(workspace);
    {
      RunSession session(workspace, job.run, {.job = job.id, .program = "0.1", .device = "cpu"});
      session.scalars(series("train/nll", 0, 10000));
      session.scalars(series("train/nll", 6000, 6010));
      session.scalars(series("valid/nll", 0, 3));
      session.sample({job.run, "valid", 10, 0, "ein Haus", "a house", "a mouse"});
      session.checkpoint({job.run, 10, "checkpoints/step-00000010", true});
      session.recording({job.run, 10, "recordings/step-10"});
      session.end({.runId = job.run, .step = 6009, .outcome = RunOutcome::kPaused, .message = "m"});
    }
    enqueueResume(workspace, job.run);
    recordTestLook(workspace, {.run = job.run, .dataset = "toy", .set = "test"});
    recordTestLook(workspace, {.dataset = "toy", .set = "test"});
    trashRun(workspace, a.id);
  }
};

STRATA_GUILESS_TEST(TestRepair)
#include "test_repair.moc"
