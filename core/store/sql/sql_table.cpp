#include "core/store/sql/sql_table.h"

#include <sqlite3.h>

#include <cmath>
#include <utility>

namespace strata {

std::string_view nameOf(SqlType type) {
  constexpr std::string_view kNames[] = {"INTEGER", "REAL", "TEXT"};
  return kNames[static_cast<std::size_t>(type)];
}

void SqlResult::null() {
  sqlite3_result_null(context_);
}

void SqlResult::integer(std::int64_t value) {
  sqlite3_result_int64(context_, value);
}

void SqlResult::number(double value) {
  if (std::isnan(value)) return null();
  sqlite3_result_double(context_, value);
}

void SqlResult::text(std::string_view value) {
  sqlite3_result_text64(context_, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

std::vector<SqlColumn> withRun(std::vector<SqlColumn> columns) {
  columns.insert(columns.begin(), {{"run", SqlType::kText, "Name of the run", SqlKey::kRun},
                                   {"run_id", SqlType::kInteger, "Its number", SqlKey::kRunId}});
  return columns;
}

const std::vector<SqlTable>& sqlTables() {
  static const std::vector<SqlTable> kTables = [] {
    std::vector<SqlTable> tables{runsTable(), settingsTable(), scalarsTable()};
    for (SqlTable& table : plainTables()) tables.push_back(std::move(table));
    return tables;
  }();
  return kTables;
}

}  // namespace strata
