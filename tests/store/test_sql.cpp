// Questions in SQL: the answers of the virtual tables are those of ordinary ones (SqlOracle).
#include <QTest>
#include <algorithm>
#include <random>

#include "store/sql_oracle.h"
#include "store/sql_workspace.h"
#include "tests/program.h"

using namespace strata;

namespace {

std::vector<std::string> rowsOf(SQLite::Database& database, const std::string& sql) {
  std::vector<std::string> rows;
  SQLite::Statement statement(database, sql);
  while (statement.executeStep()) {
    std::string text;
    for (int i = 0; i < statement.getColumnCount(); ++i) {
      const auto value = statement.getColumn(i);
      if (value.isNull())
        text += "NULL";
      else if (value.isFloat())
        text += fmt::format("{:.17g}", value.getDouble());
      else
        text += value.getString();
      text += "|";
    }
    rows.push_back(text);
  }
  return rows;
}

}  // namespace

class TestSql : public QObject {
  Q_OBJECT
 private slots:
  void answersAreThoseOfOrdinaryTables_data();
  void answersAreThoseOfOrdinaryTables();
  void randomQuestions();
  void onlyNeededChunksAreRead();

 private:
  void compare(const std::string& sql);
  std::string value();  // of a random condition
  std::string condition(int depth);
  int random(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  SqlWorkspace runs_;
  Workspace& workspace_ = runs_.workspace();
  SqlOracle oracle_{workspace_};
  std::mt19937 random_{20};
};

void TestSql::compare(const std::string& sql) {
  auto found = ask(workspace_, sql).rows, wanted = rowsOf(oracle_.database(), sql);
  if (sql.find("ORDER BY") == std::string::npos) {
    std::ranges::sort(found);
    std::ranges::sort(wanted);
  }
  if (found == wanted) return;
  const auto differ = std::ranges::mismatch(found, wanted);
  QFAIL(qPrintable(QString("%1\n%2 rows instead of %3; '%4' instead of '%5'")
                       .arg(QString::fromStdString(sql))
                       .arg(found.size())
                       .arg(wanted.size())
                       .arg(differ.in1 == found.end() ? "" : differ.in1->c_str())
                       .arg(differ.in2 == wanted.end() ? "" : differ.in2->c_str())));
}

void TestSql::answersAreThoseOfOrdinaryTables_data() {
  QTest::addColumn<std::string>("sql");
  for (const SqlTable& table : sqlTables())
    QTest::newRow(table.name.c_str()) << "SELECT * FROM " + table.name;
  for (const char* sql : {
           "SELECT count(*), count(value), min(value), max(value), avg(step) FROM scalars",
           "SELECT run, count(*), min(value), max(step) FROM scalars GROUP BY run ORDER BY run",
           "SELECT * FROM scalars WHERE run = 'long' AND step BETWEEN 4090 AND 4100 ORDER BY step",
           "SELECT * FROM scalars WHERE step > 8600 AND step <= 8700 AND series = 'train/nll'",
           "SELECT * FROM scalars WHERE run_id IN (2, 3, 77) AND step >= 3",
           "SELECT * FROM scalars WHERE run IN ('live', 'nobody') AND step < 4",
           "SELECT * FROM scalars WHERE run = 'LONG' COLLATE NOCASE AND step = 7",
           "SELECT * FROM scalars WHERE step = 7.0 OR step = '8' OR value IS NULL",
           "SELECT * FROM scalars WHERE step = '7'",
           "SELECT * FROM scalars WHERE step > 8690.5 OR step < 1.5",
           "SELECT * FROM scalars WHERE run = 1 OR run_id = '1' AND step = 2",
           "SELECT * FROM scalars WHERE run_id = '1' AND step = 2",
           "SELECT * FROM scalars WHERE run = NULL",
           "SELECT * FROM scalars WHERE series LIKE 'valid/%' AND value > 0",
           "SELECT * FROM scalars WHERE series = 'it''s'",
           "SELECT * FROM scalars WHERE step > 9223372036854775806",
           "SELECT r.name, s.value FROM runs r JOIN scalars s ON s.run_id = r.id AND s.step = 30",
           "SELECT r.name, s.value FROM runs r LEFT JOIN scalars s ON s.run = r.name AND s.series "
           "= 'valid/bleu'",
           "SELECT a.step, a.value - b.value FROM scalars a JOIN scalars b USING (series, step) "
           "WHERE a.run = 'live' AND b.run = 'long' ORDER BY step",
           "SELECT name FROM runs WHERE id = (SELECT run_id FROM series ORDER BY points DESC LIMIT "
           "1)",
           "SELECT run, value FROM settings WHERE key = 'seed' AND number > 5",
           "SELECT key FROM settings WHERE run = 'bare' ORDER BY key DESC",
           "SELECT r.name, t.tag FROM runs r LEFT JOIN tags t ON t.run = r.name",
           "SELECT run, max(number) FROM starts GROUP BY run",
           "SELECT hypothesis FROM samples WHERE step = 20 ORDER BY run",
           "SELECT run, present FROM checkpoints UNION ALL SELECT run, present FROM recordings",
           "SELECT metric, avg(score) FROM test_scores GROUP BY metric ORDER BY metric",
           "SELECT run, state FROM jobs WHERE run_id = 6",
           "SELECT status, count(*) FROM runs WHERE NOT trashed GROUP BY status ORDER BY status",
           "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT "
           "i, value FROM n LEFT JOIN scalars ON step = i AND run = 'long' ORDER BY i",
           "SELECT step, value, avg(value) OVER (ORDER BY step ROWS 2 PRECEDING) FROM scalars "
           "WHERE run = 'rewound' AND series = 'valid/nll' ORDER BY step",
       })
    QTest::newRow(sql) << std::string(sql);
}

void TestSql::answersAreThoseOfOrdinaryTables() {
  QFETCH(std::string, sql);
  compare(sql);
}

std::string TestSql::value() {
  static const std::vector<std::string> kValues{
      "1",      "2",      "7",           "20",          "30",  "4095",      "4096", "4097",
      "8191",   "8192",   "8193",        "0.5",         "1e9", "-1",        "'7'",  "NULL",
      "'long'", "'live'", "'train/nll'", "'valid/nll'", "'x'", "5000000000"};
  return kValues[static_cast<std::size_t>(random(static_cast<int>(kValues.size())))];
}

std::string TestSql::condition(int depth) {
  if (depth > 0 && random(2) == 0)
    return "(" + condition(depth - 1) + (random(2) == 0 ? " AND " : " OR ") + condition(depth - 1) +
           ")";
  static const char* const kColumns[] = {"s.run",  "s.run_id", "s.series", "s.step",
                                         "s.step", "s.value",  "s.wall",   "s.step"};
  const std::string column = kColumns[random(8)];
  switch (random(6)) {
    case 0:
      return column + " BETWEEN " + value() + " AND " + value();
    case 1:
      return column + " IN (" + value() + ", " + value() + ")";
    case 2:
      return "NOT " + column + " = " + value();
    case 3:
      return column + " IS NOT " + value();
    default: {
      static const char* const kOperators[] = {"=", "<", ">", "<=", ">=", "="};
      return column + " " + kOperators[random(6)] + " " + value();
    }
  }
}

void TestSql::randomQuestions() {
  static const std::string kSelects[] = {
      "SELECT s.run, s.series, s.step, s.value FROM scalars s WHERE ",
      "SELECT count(*), sum(s.step), min(s.value) FROM scalars s WHERE ",
      "SELECT r.name, r.best, s.step FROM scalars s JOIN runs r ON r.id = s.run_id WHERE "};
  for (int i = 0; i < 150; ++i) {
    std::string sql = kSelects[random(3)] + condition(2);
    if (random(3) == 0 && !sql.starts_with("SELECT count"))
      sql += " ORDER BY s.run_id, s.series, s.step DESC LIMIT 20";
    compare(sql);
    if (QTest::currentTestFailed()) return;
  }
}

void TestSql::onlyNeededChunksAreRead() {
  const auto chunks = [&](const std::string& where) {
    return ask(workspace_, "SELECT value FROM scalars WHERE " + where).work.chunks;
  };
  QCOMPARE(chunks("run = 'long' AND series = 'train/nll'"), 3);
  QCOMPARE(chunks("run = 'long' AND step = 5000"), 1);
  QCOMPARE(chunks("run = 'long' AND step BETWEEN 4096 AND 4097"), 2);
  QCOMPARE(chunks("run = 'long' AND step > 8192"), 1);
  QCOMPARE(chunks("run = 'long' AND series = 'valid/nll'"), 0);
  QCOMPARE(chunks("run = 'live'"), 0);
  // In a join for each run its own, though the order of the tables asks for all of them.
  QCOMPARE(ask(workspace_,
               "SELECT s.value FROM runs r JOIN scalars s ON s.run_id = r.id AND "
               "s.step = 5000 WHERE r.name IN ('long', 'live')")
               .work.chunks,
           1);
}

STRATA_GUILESS_TEST(TestSql)
#include "test_sql.moc"
