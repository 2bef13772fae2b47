#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/store/workspace.h"

struct sqlite3_context;

namespace strata {

enum class SqlType { kInteger, kReal, kText };
std::string_view nameOf(SqlType type);  // "INTEGER", "REAL", "TEXT"

// What a condition may be pushed down to; kFree columns are only compared by SQLite.
enum class SqlKey { kFree, kRun, kRunId, kSeries, kStep };

struct SqlColumn {
  std::string name;
  SqlType type = SqlType::kInteger;
  std::string help;  // with unit, and when it is NULL
  SqlKey key = SqlKey::kFree;
};

// The rows that a statement needs of a table: those that fulfil all of this, and maybe more.
struct SqlScan {
  std::optional<std::int64_t> run;
  std::optional<std::string> series;
  std::int64_t firstStep = std::numeric_limits<std::int64_t>::min();
  std::int64_t lastStep = std::numeric_limits<std::int64_t>::max();
};

// Takes one value of a row for SQLite.
class SqlResult {
 public:
  explicit SqlResult(sqlite3_context* context) : context_(context) {}
  void null();
  void integer(std::int64_t value);
  void number(double value);  // NaN: NULL
  void text(std::string_view value);

 private:
  sqlite3_context* context_;
};

// The rows of a scan, one after the other.
class SqlRows {
 public:
  virtual ~SqlRows() = default;
  virtual bool next() = 0;
  // Of the current row:
  virtual void value(std::size_t column, SqlResult& result) = 0;
  // The same in every scan, and that of no other row: SQLite unites the rows of conditions that OR
  // joins by it.
  virtual std::int64_t number() const = 0;
};

// What a statement has read; for tests and benchmarks.
struct SqlWork {
  std::int64_t chunks = 0;  // unpacked
};

// A table of the documented schema (docs/query.md), which does not depend on the index's format.
struct SqlTable {
  using Open = std::function<std::unique_ptr<SqlRows>(Workspace&, const SqlScan&, SqlWork&)>;
  std::string name, help;
  std::vector<SqlColumn> columns;
  Open open;
};

// All tables, in the order in which they are explained.
const std::vector<SqlTable>& sqlTables();

// The tables of each file.
SqlTable runsTable();
SqlTable settingsTable();
SqlTable scalarsTable();
std::vector<SqlTable> plainTables();

// A row's number from that of its run or series and its place among the rows of that.
inline std::int64_t rowNumber(std::int64_t group, std::int64_t place) {
  return (group << 32) + place;
}

// The columns that every table of parts of runs begins with.
std::vector<SqlColumn> withRun(std::vector<SqlColumn> columns);

}  // namespace strata
