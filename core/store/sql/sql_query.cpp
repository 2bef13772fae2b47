#include "core/store/sql/sql_query.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <exception>
#include <memory>

#include "core/base/error.h"
#include "core/base/key_path.h"
#include "core/base/progress.h"
#include "core/base/utf8.h"
#include "core/store/database.h"
#include "core/store/sql/virtual_table.h"

namespace strata {
namespace {

constexpr int kMostBytes = 10'000'000;  // of a value or a statement
constexpr int kInstructionsBetweenLooks = 2000;
// Of all that SQLite holds, sorted rows included: nothing is spilled into files.
constexpr sqlite3_int64 kMostMemory = 1'000'000'000;

// What a query may call: functions of values. Others read files, show addresses or load code,
// depending on how SQLite was built.
constexpr auto kFunctions = std::to_array<std::string_view>({"->",
                                                             "->>",
                                                             "abs",
                                                             "acos",
                                                             "acosh",
                                                             "asin",
                                                             "asinh",
                                                             "atan",
                                                             "atan2",
                                                             "atanh",
                                                             "avg",
                                                             "ceil",
                                                             "ceiling",
                                                             "changes",
                                                             "char",
                                                             "coalesce",
                                                             "concat",
                                                             "concat_ws",
                                                             "cos",
                                                             "cosh",
                                                             "count",
                                                             "cume_dist",
                                                             "current_date",
                                                             "current_time",
                                                             "current_timestamp",
                                                             "date",
                                                             "datetime",
                                                             "degrees",
                                                             "dense_rank",
                                                             "exp",
                                                             "first_value",
                                                             "floor",
                                                             "format",
                                                             "glob",
                                                             "group_concat",
                                                             "hex",
                                                             "ifnull",
                                                             "iif",
                                                             "instr",
                                                             "json",
                                                             "json_array",
                                                             "json_array_length",
                                                             "json_extract",
                                                             "json_group_array",
                                                             "json_group_object",
                                                             "json_object",
                                                             "json_patch",
                                                             "json_quote",
                                                             "json_remove",
                                                             "json_replace",
                                                             "json_set",
                                                             "json_type",
                                                             "json_valid",
                                                             "julianday",
                                                             "lag",
                                                             "last_value",
                                                             "lead",
                                                             "length",
                                                             "like",
                                                             "likelihood",
                                                             "likely",
                                                             "ln",
                                                             "log",
                                                             "log10",
                                                             "log2",
                                                             "lower",
                                                             "ltrim",
                                                             "max",
                                                             "min",
                                                             "mod",
                                                             "nth_value",
                                                             "ntile",
                                                             "nullif",
                                                             "octet_length",
                                                             "percent_rank",
                                                             "pi",
                                                             "pow",
                                                             "power",
                                                             "printf",
                                                             "quote",
                                                             "radians",
                                                             "random",
                                                             "randomblob",
                                                             "rank",
                                                             "replace",
                                                             "round",
                                                             "row_number",
                                                             "rtrim",
                                                             "sign",
                                                             "sin",
                                                             "sinh",
                                                             "sqrt",
                                                             "strftime",
                                                             "string_agg",
                                                             "substr",
                                                             "substring",
                                                             "sum",
                                                             "tan",
                                                             "tanh",
                                                             "time",
                                                             "timediff",
                                                             "total",
                                                             "trim",
                                                             "trunc",
                                                             "typeof",
                                                             "unhex",
                                                             "unicode",
                                                             "unixepoch",
                                                             "unlikely",
                                                             "upper",
                                                             "zeroblob"});
static_assert(std::ranges::is_sorted(kFunctions));

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Connection = std::unique_ptr<sqlite3, Close>;
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

// Reading, and functions of values: nothing else. Notes that it has denied something else than a
// function, of which SQLite says the name.
int permit(void* denied, int action, const char*, const char* function, const char*, const char*) {
  if (action == SQLITE_FUNCTION) {
    std::string name(function);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    return std::ranges::binary_search(kFunctions, name) ? SQLITE_OK : SQLITE_DENY;
  }
  const bool reads = action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE;
  if (!reads) *static_cast<bool*>(denied) = true;
  return reads ? SQLITE_OK : SQLITE_DENY;
}

Error notReading() {
  return usageError(
      "a query only reads: SELECT, WITH, VALUES and EXPLAIN QUERY PLAN are allowed, and this is "
      "something else");
}

Connection openEmpty(SqlSource& source) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE, nullptr);
  Connection database(opened);
  if (status != SQLITE_OK) throw Error("SQLite cannot be started: {}", sqlite3_errstr(status));
  for (const SqlTable& table : sqlTables()) addVirtualTable(opened, table, source);
  // A word in double quotes is a name, never a text: what is mistyped is found out.
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_exec(opened, "PRAGMA temp_store = MEMORY", nullptr, nullptr, nullptr);
  sqlite3_hard_heap_limit64(kMostMemory);
  sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, kMostBytes);
  sqlite3_limit(opened, SQLITE_LIMIT_SQL_LENGTH, kMostBytes);
  return database;
}

// The line of the statement with this byte, and a mark below it.
std::string placeIn(const std::string& sql, int offset) {
  if (offset < 0 || static_cast<std::size_t>(offset) > sql.size()) return {};
  const auto at = static_cast<std::size_t>(offset);
  const std::size_t before = at == 0 ? std::string::npos : sql.rfind('\n', at - 1);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  const std::string line = sql.substr(begin, sql.find('\n', at) - begin);
  const auto isFirstByte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  const auto width = std::ranges::count_if(sql.substr(begin, at - begin), isFirstByte);
  return fmt::format("\n  {}\n  {}^", line, std::string(static_cast<std::size_t>(width), ' '));
}

// The names that one of these may have been meant to be.
std::vector<std::string> columnNames() {
  std::vector<std::string> names;
  for (const SqlTable& table : sqlTables()) {
    for (const SqlColumn& column : table.columns) names.push_back(column.name);
  }
  return names;
}
std::vector<std::string> tableNames() {
  std::vector<std::string> names;
  for (const SqlTable& table : sqlTables()) names.push_back(table.name);
  return names;
}

// "no such column: r.naem" and "no such table: run" with the nearest name.
std::string adviceFor(const std::string& message) {
  constexpr std::string_view kNoColumn = "no such column: ", kNoTable = "no such table: ";
  const bool column = message.starts_with(kNoColumn);
  if (!column && !message.starts_with(kNoTable)) return {};
  const std::string name = message.substr((column ? kNoColumn : kNoTable).size());
  const std::string word = name.substr(name.rfind('.') + 1);
  return fmt::format(
      "; did you mean '{}'? `strata-run query --tables` lists all; texts are in "
      "single quotes",
      nearestOf(word, column ? columnNames() : tableNames()));
}

[[noreturn]] void refuse(sqlite3* database, const std::string& sql) {
  const std::string message = sqlite3_errmsg(database);
  if (message.ends_with("may not be modified")) throw notReading();
  throw usageError("{}{}{}", message, adviceFor(message),
                   placeIn(sql, sqlite3_error_offset(database)));
}

bool isBlank(sqlite3* database, const char* rest) {
  sqlite3_stmt* more = nullptr;
  const int status = sqlite3_prepare_v2(database, rest, -1, &more, nullptr);
  const Statement owned(more);
  return status == SQLITE_OK && more == nullptr;
}

// `denied` is set by permit().
Statement prepare(sqlite3* database, const std::string& sql, const bool& denied) {
  if (!isValidUtf8(sql) || sql.find('\0') != std::string::npos)
    throw usageError("the query is not a text in UTF-8");
  sqlite3_stmt* made = nullptr;
  const char* rest = nullptr;
  const int status = sqlite3_prepare_v2(database, sql.c_str(), -1, &made, &rest);
  Statement statement(made);
  if (denied) throw notReading();
  if (status != SQLITE_OK) refuse(database, sql);
  if (!statement) throw usageError("the query is empty");
  if (sqlite3_stmt_readonly(made) == 0) throw notReading();
  if (!isBlank(database, rest)) {
    throw usageError("a query is one statement; a second one begins here{}",
                     placeIn(sql, static_cast<int>(rest - sql.c_str())));
  }
  if (sqlite3_bind_parameter_count(statement.get()) > 0)
    throw usageError("a query has no parameters ('?', ':name'): write the values into it");
  return statement;
}

SqlValue valueOf(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return std::monostate();
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, column));
      const int count = sqlite3_column_bytes(statement, column);
      constexpr std::string_view kDigits = "0123456789abcdef";
      std::string digits;
      digits.reserve(2 * static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) {
        digits += kDigits[bytes[i] >> 4];
        digits += kDigits[bytes[i] & 15];
      }
      return digits;
    }
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      const int bytes = sqlite3_column_bytes(statement, column);
      return std::string(text, static_cast<std::size_t>(bytes));
    }
  }
}

// Interrupts a statement that takes too long or is no longer wanted.
class Watch {
 public:
  Watch(sqlite3* database, const SqlOptions& options) : database_(database), options_(options) {
    sqlite3_progress_handler(
        database, kInstructionsBetweenLooks,
        [](void* watch) { return static_cast<Watch*>(watch)->isOver() ? 1 : 0; }, this);
  }
  ~Watch() { sqlite3_progress_handler(database_, 0, nullptr, nullptr); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Between rows, too, since a single instruction may take long.
  void look() {
    if (isOver()) throwIfOver();
  }
  void throwIfOver() const {
    if (cancelled_) throw Cancelled();
    if (late_) {
      throw timeoutError(
          "the query was ended after {:g} s: narrow it, or give it more time (--timeout)",
          options_.seconds);
    }
  }

 private:
  bool isOver() {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun_;
    cancelled_ |= options_.stop.stop_requested();
    late_ |= options_.seconds > 0 && passed.count() > options_.seconds;
    return cancelled_ || late_;
  }

  sqlite3* database_;
  const SqlOptions& options_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  bool cancelled_ = false, late_ = false;
};

std::uintmax_t bytesOf(const SqlValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? sizeof(double) : text->size();
}

// Counts the bytes of an answer.
class AnswerLimit {
 public:
  explicit AnswerLimit(std::uintmax_t most) : most_(most) {}
  void add(const std::vector<SqlValue>& values) {
    for (const SqlValue& value : values) bytes_ += bytesOf(value);
    if (most_ > 0 && bytes_ > most_)
      throw usageError("the answer has more than {:.0f} MB: narrow it, or ask for fewer rows",
                       static_cast<double>(most_) / 1e6);
  }

 private:
  std::uintmax_t most_, bytes_ = 0;
};

Error failed(sqlite3* database, int status) {
  if (status == SQLITE_NOMEM)
    return Error("the query needs more than {} MB of memory: narrow it, or sort and group less",
                 kMostMemory / 1'000'000);
  return Error("the query failed: {}", sqlite3_errmsg(database));
}

struct Answering {
  Watch& watch;
  AnswerLimit limit;
  SqlOutput& output;
};

void giveRows(sqlite3* database, sqlite3_stmt* statement, Answering answering) {
  auto& [watch, limit, output] = answering;
  const int columns = sqlite3_column_count(statement);
  std::vector<std::string> names;
  for (int i = 0; i < columns; ++i) names.emplace_back(sqlite3_column_name(statement, i));
  output.columns(names);
  std::vector<SqlValue> values(names.size());
  int status = SQLITE_ROW;
  while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int i = 0; i < columns; ++i) values[static_cast<std::size_t>(i)] = valueOf(statement, i);
    watch.look();
    limit.add(values);
    if (!output.row(values)) return;
  }
  watch.throwIfOver();
  if (status != SQLITE_DONE) throw failed(database, status);
}

}  // namespace

SqlWork runSql(Workspace& workspace, const std::string& sql, const SqlOptions& options,
               SqlOutput& output) {
  SqlSource source{workspace};
  const Connection database = openEmpty(source);
  bool denied = false;
  sqlite3_set_authorizer(database.get(), permit, &denied);
  return workspace.database().read([&] {
    Watch watch(database.get(), options);
    const Statement statement = prepare(database.get(), sql, denied);
    giveRows(database.get(), statement.get(), {watch, AnswerLimit(options.mostBytes), output});
    return source.work;
  });
}

}  // namespace strata
