#pragma once
#include <cstdint>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "core/store/sql/sql_table.h"
#include "core/store/workspace.h"

namespace strata {

// NULL, an integer, a number (maybe infinite), or a text. A blob is its hexadecimal digits.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;

struct SqlOptions {
  double seconds = 0;            // it ends with an error then; 0: it may take any time
  std::uintmax_t mostBytes = 0;  // of the answer, with an error beyond them; 0: any number
  std::stop_token stop = {};     // Cancelled is thrown then
};

// Receives what a statement gives.
class SqlOutput {
 public:
  virtual ~SqlOutput() = default;
  virtual void columns(const std::vector<std::string>& names) = 0;  // once, before any row
  virtual bool row(const std::vector<SqlValue>& values) = 0;        // false: that is enough
};

// Runs one reading statement over the tables of sqlTables(), all of it on the workspace's state of
// one moment. It sees nothing else and changes nothing: its database is an empty one in memory.
// Throws a usage error for what is not SQL, not one statement or not a reading one, which shows the
// place in it and, for an unknown table or column, the nearest name.
SqlWork runSql(Workspace& workspace, const std::string& sql, const SqlOptions& options,
               SqlOutput& output);

}  // namespace strata
