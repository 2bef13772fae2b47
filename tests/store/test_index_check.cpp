#include <QTest>
#include <set>
#include <span>

#include "core/store/index.h"
#include "core/store/maintenance.h"
#include "core/store/scalars.h"
#include "store/store_fixture.h"
#include "tests/program.h"

using namespace strata;

namespace {

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const auto& sentence : sentences) text += sentence + "\n";
  return text;
}

std::string contentAt(const fs::path& root) {
  Workspace workspace(root);
  return contentOf(workspace);
}

}  // namespace

// The index is derived from the logs: whatever becomes of it, it is found and mended.
class TestIndexCheck : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    Workspace workspace(root());
    fillWorkspace(workspace);
    appendToRun(workspace, 1,
                {{"type", "directions"}, {"time", 1.5}, {"better", {{"valid/nll", "lower"}}}});
    content_ = contentOf(workspace);
    workspace.database().execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE");
  }

  void cleanup() { QVERIFY(checkWorkspace(root()).problems.empty()); }

  // Every column of every table that a reader may see; one that is new is here by itself.
  void everyValueIsCompared_data() {
    QTest::addColumn<QString>("table");
    QTest::addColumn<QString>("column");
    // Where a row lies in this index, what is transient, and the points of chunks (below).
    const std::set<std::string> others{"runs.id",     "runs.log_bytes", "runs.folder",
                                       "series.id",   "chunks.series",  "points.series",
                                       "chunks.data", "logs.name",      "logs.bytes"};
    Workspace workspace(root());
    Query row(workspace.database(),
              "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE "
              "m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT IN ('processes', "
              "'commands')");
    while (row.next()) {
      const std::string name = row.text(0) + "." + row.text(1);
      if (others.contains(name)) continue;
      QTest::newRow(name.c_str()) << QString::fromStdString(row.text(0))
                                  << QString::fromStdString(row.text(1));
    }
  }
  void everyValueIsCompared() {
    QFETCH(QString, table);
    QFETCH(QString, column);
    {
      Workspace workspace(root());
      // Another number, or another text; a run that is there.
      const QString other = column == "run" ? QString("run % 3 + 1")
                                            : QString(
                                                  "CASE typeof(%1) WHEN 'text' THEN %1 || 'x' "
                                                  "WHEN 'null' THEN 5 ELSE %1 + 1 END")
                                                  .arg(column);
      workspace.database().execute(
          QString("PRAGMA foreign_keys = 0; UPDATE %1 SET %2 = %3 WHERE %2 IS (SELECT MAX(%2) FROM "
                  "%1)")
              .arg(table, column, other)
              .toStdString());
    }
    const auto problems = checkWorkspace(root()).problems;
    QVERIFY2(!problems.empty(), "nothing was found");
    QVERIFY2(joined(problems).find("workspace repair") != std::string::npos,
             joined(problems).c_str());
    const auto report = repairWorkspace(root());
    QVERIFY2(report.problems.empty(), joined(report.problems).c_str());
    QCOMPARE(contentAt(root()), content_);
  }

  void missingAndAdditionalRowsAreFound_data() {
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("named");
    QTest::newRow("a point is gone")
        << "DELETE FROM points WHERE position = (SELECT MAX(position) FROM points)"
        << "valid/nll";
    QTest::newRow("a chunk is gone") << "DELETE FROM chunks WHERE position = 4096"
                                     << "train/nll";
    QTest::newRow("a series is gone") << "DELETE FROM series WHERE name = 'valid/nll'"
                                      << "series";
    QTest::newRow("a tag more") << "INSERT INTO tags VALUES (1, 'z')"
                                << "tags";
    QTest::newRow("a sample is gone") << "DELETE FROM samples"
                                      << "samples";
    QTest::newRow("a scoring is gone") << "DELETE FROM looks WHERE run IS NULL"
                                       << "looks.log";
    QTest::newRow("a table is gone") << "DROP TABLE recordings"
                                     << "recordings";
    QTest::newRow("a column is gone") << "ALTER TABLE runs DROP COLUMN note"
                                      << "note";
    QTest::newRow("a column more") << "ALTER TABLE runs ADD COLUMN more"
                                   << "runs";
    QTest::newRow("an index is gone") << "DROP INDEX looks_by_run"
                                      << "looks_by_run";
    QTest::newRow("a run is gone") << "DELETE FROM runs WHERE id = 3"
                                   << "3-c";
  }
  void missingAndAdditionalRowsAreFound() {
    QFETCH(QString, sql);
    QFETCH(QString, named);
    {
      Workspace workspace(root());
      workspace.database().execute(sql.toStdString());
    }
    const std::string problems = joined(checkWorkspace(root()).problems);
    QVERIFY2(problems.find(named.toStdString()) != std::string::npos, problems.c_str());
    repairWorkspace(root());
    QCOMPARE(contentAt(root()), content_);
  }

  // A bit anywhere in the file: its header, the definitions of its tables, rows, chunks, free
  // space.
  void aFlippedBitIsFoundOrHarmless() {
    const fs::path index = root() / "workspace.db";
    {
      Workspace workspace(root());
      workspace.database().execute("PRAGMA journal_mode = DELETE");
    }
    const std::string whole = readFile(index);
    int found = 0;
    for (std::size_t i = 0; i < 300; ++i) {
      // Each byte of the header and of some of the first definitions, then others all over the
      // file.
      const std::size_t at = i < 100   ? i
                             : i < 160 ? 8192 - 37 * (i - 99)
                                       : (i * 2654435761u) % whole.size();
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << (i * 5 % 8)));
      for (const char* part : {"-wal", "-shm", "-journal"}) fs::remove(index.string() + part);
      writeFileAtomic(index, bytes);
      const auto problems = checkWorkspace(root()).problems;
      found += problems.empty() ? 0 : 1;
      if (problems.empty()) QCOMPARE(contentAt(root()), content_);
      const auto report = repairWorkspace(root());
      QVERIFY2(report.problems.empty(), joined(report.problems).c_str());
      QCOMPARE(contentAt(root()), content_);
      const auto after = checkWorkspace(root()).problems;
      QVERIFY2(after.empty(), (std::to_string(at) + ": " + joined(after)).c_str());
    }
    QVERIFY2(found > 100, std::to_string(found).c_str());
    for (const auto& name : namesIn(root())) {
      if (name.find("damaged-") != std::string::npos) fs::remove(root() / name);
    }
  }

  // A chunk whose values alone are others is not decoded.
  void aChunkIsVerifiedWhenItIsRead() {
    {
      Workspace workspace(root());
      Query row(workspace.database(), "SELECT data FROM chunks WHERE position = 0");
      QVERIFY(row.next());
      const auto data = row.blob(0);
      std::string bytes(reinterpret_cast<const char*>(data.data()), data.size());
      bytes[bytes.size() / 2] ^= 4;
      change(workspace.database(), "UPDATE chunks SET data = ? WHERE position = 0",
             std::as_bytes(std::span(bytes)));
      QVERIFY_EXCEPTION_THROWN(readSeries(workspace, 2, "train/nll"), IndexDamaged);
      QVERIFY_EXCEPTION_THROWN(readLastPoints(workspace, 2, "train/nll", 100000), IndexDamaged);
    }
    const std::string problems = joined(checkWorkspace(root()).problems);
    QVERIFY2(problems.find("train/nll") != std::string::npos, problems.c_str());
    repairWorkspace(root());
    QCOMPARE(contentAt(root()), content_);
  }

 private:
  fs::path root() const { return folder_ / "w"; }

  TemporaryFolder folder_;
  std::string content_;
};

STRATA_GUILESS_TEST(TestIndexCheck)
#include "test_index_check.moc"
