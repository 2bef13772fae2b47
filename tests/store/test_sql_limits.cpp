// What a question in SQL may not do, and how it ends.
#include <QTest>
#include <algorithm>

#include "core/base/progress.h"
#include "store/sql_workspace.h"
#include "tests/program.h"

using namespace strata;

class TestSqlLimits : public QObject {
  Q_OBJECT
 private slots:
  void onlyOneReadingStatementIsRun_data();
  void onlyOneReadingStatementIsRun();
  void mistakesAreShown();
  void oneMomentIsSeen();
  void itEndsInTime();
  void functionsAreOfValues();
  void whatItTakesIsLimited();

 private:
  SqlWorkspace runs_;
  Workspace& workspace_ = runs_.workspace();
};

void TestSqlLimits::onlyOneReadingStatementIsRun_data() {
  QTest::addColumn<std::string>("sql");
  QTest::addColumn<std::string>("says");
  const std::string reads = "a query only reads";
  for (const char* sql :
       {"DELETE FROM runs", "CREATE TABLE t (x)", "ATTACH '/tmp/x.db' AS x", "PRAGMA user_version",
        "UPDATE scalars SET value = 0", "INSERT INTO tags VALUES ('a', 1, 'b')", "BEGIN", "VACUUM",
        "SELECT * FROM pragma_user_version", "CREATE TEMP TABLE t AS SELECT 1", "DROP TABLE runs"})
    QTest::newRow(sql) << std::string(sql) << reads;
  QTest::newRow("two") << std::string("SELECT 1; SELECT 2") << std::string("second one");
  QTest::newRow("write after read")
      << std::string("SELECT 1; DELETE FROM runs") << std::string("second one");
  QTest::newRow("nothing") << std::string(" -- why\n") << std::string("empty");
  QTest::newRow("parameter") << std::string("SELECT ?") << std::string("no parameters");
  QTest::newRow("zero byte") << std::string("SELECT 1\0 ", 10) << std::string("UTF-8");
  QTest::newRow("extension") << std::string("SELECT load_extension('x')")
                             << std::string("not authorized");
  QTest::newRow("index") << std::string("SELECT * FROM chunks")
                         << std::string("no such table: chunks");
}

void TestSqlLimits::onlyOneReadingStatementIsRun() {
  QFETCH(std::string, sql);
  QFETCH(std::string, says);
  const std::string before = contentOf(workspace_), error = errorOf(workspace_, sql);
  QVERIFY2(error.find(says) != std::string::npos, error.c_str());
  QVERIFY(contentOf(workspace_) == before);
}

void TestSqlLimits::mistakesAreShown() {
  const std::string column = errorOf(workspace_, "SELECT name,\n  ä, naem FROM runs");
  QVERIFY2(column.find("no such column: ä") != std::string::npos, column.c_str());
  QVERIFY2(column.ends_with("\n    ä, naem FROM runs\n    ^"), column.c_str());
  const std::string near = errorOf(workspace_, "SELECT r.naem FROM runs r");
  QVERIFY2(near.find("did you mean 'name'?") != std::string::npos, near.c_str());
  const std::string table = errorOf(workspace_, "SELECT * FROM scalar");
  QVERIFY2(table.find("did you mean 'scalars'?") != std::string::npos, table.c_str());
  const std::string quotes = errorOf(workspace_, "SELECT * FROM runs WHERE name = \"long\"");
  QVERIFY2(quotes.find("texts are in single quotes") != std::string::npos, quotes.c_str());
}

// What is written while a question is answered does not show in it.
void TestSqlLimits::oneMomentIsSeen() {
  struct Writing : Answer {
    RunSession* session = nullptr;
    bool row(const std::vector<SqlValue>& values) override {
      if (rows.empty()) {
        session->scalars({point("late/one", 1, 1)});
        session->flush();
      }
      return Answer::row(values);
    }
  } answer;
  Workspace other(workspace_.root());
  const auto run = createRun(other, {"other", smallConfig(), ""}).id;
  RunSession session(other, run, {});
  answer.session = &session;
  const std::string sql = "SELECT DISTINCT series FROM scalars";
  runSql(workspace_, sql, {}, answer);
  QVERIFY(std::ranges::find(answer.rows, "late/one|") == answer.rows.end());
  const auto after = ask(workspace_, sql).rows;
  QVERIFY(std::ranges::find(after, "late/one|") != after.end());
}

void TestSqlLimits::itEndsInTime() {
  const std::string endless =
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  const std::string late = errorOf(workspace_, endless, {.seconds = 0.1});
  QVERIFY2(late.starts_with("the query was ended after 0.1 s"), late.c_str());
  std::stop_source stopped;
  stopped.request_stop();
  QVERIFY_EXCEPTION_THROWN(ask(workspace_, endless, {.stop = stopped.get_token()}), Cancelled);
}

// Those that SQLite has besides, as built here or elsewhere.
void TestSqlLimits::functionsAreOfValues() {
  for (const char* sql :
       {"SELECT fts3_tokenizer('simple')", "SELECT hex(fts3_tokenizer('simple'))",
        "SELECT sqlite_compileoption_get(0)", "SELECT sqlite_source_id()",
        "SELECT sqlite_log(1, 'x')", "SELECT last_insert_rowid()", "SELECT matchinfo(1)",
        "SELECT load_extension('x')", "SELECT readfile('/etc/passwd')"}) {
    const std::string error = errorOf(workspace_, sql);
    QVERIFY2(error.find("not authorized") != std::string::npos ||
                 error.find("no such function") != std::string::npos,
             (sql + (": " + error)).c_str());
  }
  for (const char* sql :
       {"SELECT UPPER(name) FROM runs", "SELECT json_extract('{\"a\": 1}', '$.a')",
        "SELECT sum(value) OVER (ORDER BY step) FROM scalars LIMIT 1", "SELECT date('now')",
        "SELECT group_concat(name) FROM runs"})
    QCOMPARE(errorOf(workspace_, sql), std::string("no error"));
}

void TestSqlLimits::whatItTakesIsLimited() {
  const std::string thousand =
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000) ";
  // A row takes few instructions and long.
  const std::string late =
      errorOf(workspace_, thousand + "SELECT randomblob(9000000) FROM n", {.seconds = 0.2});
  QVERIFY2(late.starts_with("the query was ended after 0.2 s"), late.c_str());
  const std::string big = errorOf(workspace_, "SELECT randomblob(20000000)");
  QVERIFY2(big.find("too big") != std::string::npos, big.c_str());
  const std::string much =
      errorOf(workspace_, thousand + "SELECT hex(zeroblob(5000)) FROM n", {.mostBytes = 2'000'000});
  QVERIFY2(much.find("more than 2 MB") != std::string::npos, much.c_str());
  const std::string sorted =
      errorOf(workspace_, thousand + "SELECT randomblob(9000000) AS b FROM n ORDER BY b");
  QVERIFY2(sorted.find("of memory") != std::string::npos, sorted.c_str());
}

STRATA_GUILESS_TEST(TestSqlLimits)
#include "test_sql_limits.moc"
