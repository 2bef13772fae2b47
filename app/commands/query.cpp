// strata-run query: SQL over the workspace.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <memory>
#include <set>

#include "app/commands/listing.h"
#include "app/commands/run_json.h"
#include "app/commands/standard_output.h"
#include "app/commands/verbs.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/report/csv.h"
#include "core/report/table.h"
#include "core/store/database.h"
#include "core/store/sql/sql_query.h"

namespace strata {
namespace {

constexpr std::size_t kMostShown = 10'000;              // rows of a table on the terminal
constexpr double kNetworkSeconds = 10;                  // a reader there holds up all writers
constexpr std::size_t kFlushed = std::size_t{1} << 20;  // bytes

struct QueryRequest {
  std::string sql, file;
  bool csv = false, tables = false;
  double timeout = -1;  // s; 0: none; negative: what fits the file system
  // For programs that pass on what others ask:
  bool answer = false;    // {"columns": ..., "rows": ..., "more": ...}
  std::int64_t rows = 0;  // at most, of an answer
  std::int64_t megabytes =
      0;  // of this process's memory, and a hundredth of an answer's text; 0: any
};

constexpr std::uintmax_t kMostStatement = 1'000'000;  // bytes

std::string textOf(const SqlValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return {};
}

// With as many digits as people read; times keep their milliseconds.
std::string shownText(const SqlValue& value) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || !std::isfinite(*number)) return textOf(value);
  return std::abs(*number) < 1e6 ? fmt::format("{:.6g}", *number) : fmt::format("{:.3f}", *number);
}

// Writes what it is given in large parts, or all of it at the end: whoever reads the output slowly
// would keep the query, and so the index, open.
class Stream : public SqlOutput {
 public:
  explicit Stream(bool atEnd) : atEnd_(atEnd) {}
  void finish() {
    printOut(text_);
    text_.clear();
  }

 protected:
  void write(std::string_view text) {
    text_ += text;
    if (!atEnd_ && text_.size() > kFlushed) finish();
  }

 private:
  bool atEnd_;
  std::string text_;
};

class CsvStream : public Stream {
 public:
  using Stream::Stream;
  void columns(const std::vector<std::string>& names) override { line(names); }
  bool row(const std::vector<SqlValue>& values) override {
    std::vector<std::string> cells;
    for (const SqlValue& value : values) cells.push_back(textOf(value));
    line(cells);
    return true;
  }

 private:
  void line(const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) write((i == 0 ? "" : ",") + csvCell(cells[i]));
    write("\n");
  }
};

class JsonStream : public Stream {
 public:
  using Stream::Stream;
  void columns(const std::vector<std::string>& names) override {
    names_ = names;
    std::set<std::string> seen;
    for (const std::string& name : names) {
      if (!seen.insert(name).second)
        throw usageError(
            "two columns are called '{}', which one JSON object cannot have: name one "
            "of them by AS",
            name);
    }
    write("[");
  }
  bool row(const std::vector<SqlValue>& values) override {
    Json object = Json::object();
    for (std::size_t i = 0; i < values.size(); ++i) object[names_[i]] = sqlJson(values[i]);
    write((first_ ? "\n  " : ",\n  ") + object.dump());
    first_ = false;
    return true;
  }
  void end() {
    write(first_ ? "]\n" : "\n]\n");
    finish();
  }

 private:
  std::vector<std::string> names_;
  bool first_ = true;
};

// A table for people, whose columns of numbers are aligned right.
class Shown : public SqlOutput {
 public:
  void columns(const std::vector<std::string>& names) override {
    for (const std::string& name : names) table_.columns.push_back({name});
    texts_.assign(names.size(), false);
  }
  bool row(const std::vector<SqlValue>& values) override {
    if (table_.rows.size() == kMostShown) {
      isCut_ = true;
      return false;
    }
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < values.size(); ++i) {
      texts_[i] = texts_[i] || std::holds_alternative<std::string>(values[i]);
      const bool none = std::holds_alternative<std::monostate>(values[i]);
      cells.emplace_back(none ? std::string(kNoValue) : shownText(values[i]));
    }
    table_.rows.push_back(std::move(cells));
    return true;
  }
  void print() {
    for (std::size_t i = 0; i < texts_.size(); ++i)
      table_.columns[i].align = texts_[i] ? Align::kLeft : Align::kRight;
    std::string text = textTable(table_);
    if (isCut_)
      text +=
          fmt::format("only the first {} rows are shown: --csv and --json write all\n", kMostShown);
    printOut(text);
  }

 private:
  Table table_;
  std::vector<bool> texts_;  // by column: whether it has a text
  bool isCut_ = false;
};

// The first rows with their columns' names, which may be the same.
class Answer : public SqlOutput {
 public:
  explicit Answer(std::int64_t most) : most_(static_cast<std::size_t>(most)) {}
  void columns(const std::vector<std::string>& names) override { names_ = names; }
  bool row(const std::vector<SqlValue>& values) override {
    more_ = rows_.size() == most_;
    if (!more_) rows_.push_back(jsonList(values, sqlJson));
    return !more_;
  }
  Json json() const { return {{"columns", names_}, {"rows", rows_}, {"more", more_}}; }

 private:
  std::size_t most_;
  std::vector<std::string> names_;
  Json rows_ = Json::array();
  bool more_ = false;
};

void limitMemory(std::int64_t megabytes) {
  const rlim_t bytes = static_cast<rlim_t>(megabytes) * 1'000'000;
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_DATA, &limit);
}

std::string readStatement(const QueryRequest& request) {
  if (request.sql.empty() == request.file.empty())
    throw usageError("give the query as SQL, or its file with --file; --tables lists the tables");
  if (request.sql != "-" && !request.sql.empty()) return request.sql;
  const std::string file = request.file.empty() ? "/dev/stdin" : request.file;
  std::string sql;
  readBlocks(file, [&](std::string_view block) {
    sql += block;
    if (sql.size() > kMostStatement)
      throw usageError("{} is longer than {} bytes: it is no query", file, kMostStatement);
  });
  return sql;
}

Workspace openForQuery(const GlobalOptions& global) {
  if (!std::filesystem::exists(global.workspace / "workspace.db"))
    throw usageError("{} is not a workspace: name one with --workspace", global.workspace.string());
  return openFresh(global);
}

void listTables(const GlobalOptions& global) {
  Json tables = Json::array();
  std::string text;
  for (const SqlTable& each : sqlTables()) {
    Json columns = Json::array();
    Table table{.columns = {{each.name}, {"type"}, {each.help}}};
    for (const SqlColumn& column : each.columns) {
      columns.push_back(
          {{"name", column.name}, {"type", nameOf(column.type)}, {"help", column.help}});
      table.rows.push_back({column.name, std::string(nameOf(column.type)), column.help});
    }
    tables.push_back({{"name", each.name}, {"help", each.help}, {"columns", columns}});
    text += (text.empty() ? "" : "\n") + textTable(table);
  }
  if (global.json) return printJson({{"tables", tables}});
  printOut(text);
}

void query(const GlobalOptions& global, const QueryRequest& request) {
  if (request.tables) return listTables(global);
  if (request.csv && global.json) throw usageError("--csv or --json, not both");
  const std::string sql = readStatement(request);
  if (request.megabytes > 0) limitMemory(request.megabytes);
  Workspace workspace = openForQuery(global);
  SqlOptions options{.seconds = request.timeout,
                     .mostBytes = static_cast<std::uintmax_t>(request.megabytes) * 10'000};
  const bool network = workspace.database().network();
  if (options.seconds < 0) options.seconds = network ? kNetworkSeconds : 0;
  if (request.csv) {
    CsvStream stream(network);
    runSql(workspace, sql, options, stream);
    return stream.finish();
  }
  if (request.answer) {
    Answer answer(request.rows);
    runSql(workspace, sql, options, answer);
    return printJson(answer.json());
  }
  if (global.json) {
    JsonStream stream(network);
    runSql(workspace, sql, options, stream);
    return stream.end();
  }
  Shown shown;
  runSql(workspace, sql, options, shown);
  shown.print();
}

}  // namespace

void addQueryCommand(CLI::App& app, const GlobalOptions& global) {
  auto request = std::make_shared<QueryRequest>();
  auto* verb = app.add_subcommand(
      "query", "Ask the workspace in SQL: runs, settings, curves, scores (read-only)");
  verb->add_option("SQL", request->sql, "One SELECT in SQLite's SQL; -: from standard input");
  verb->add_option("--file", request->file, "Read the query from this file")
      ->check(CLI::ExistingFile);
  verb->add_flag("--csv", request->csv, "Write comma-separated values with all digits");
  verb->add_option(
          "--timeout", request->timeout,
          "Seconds after which it ends with status 124; 0: none; default: none, on a network "
          "file system 10, as a reader holds up runs there")
      ->check(CLI::NonNegativeNumber);
  // Not listed: for the child process in which `strata-run mcp` asks (app/mcp/query_tools.cpp),
  // whose memory is limited.
  verb->add_flag("--answer", request->answer)->group("");
  verb->add_option("--rows", request->rows)->group("");
  verb->add_option("--memory", request->megabytes)->group("");
  verb->add_flag("--tables", request->tables, "List the tables and their columns");
  verb->footer(
      "The tables are explained in docs/query.md. A query sees one moment of the workspace and "
      "changes nothing. NULL stands for a value that is not a number or not there.\n"
      "Examples:\n"
      "  strata-run query 'SELECT name, preset, best FROM runs ORDER BY best LIMIT 10'\n"
      "  strata-run query \"SELECT step, value FROM scalars WHERE run = 'first' AND series = "
      "'valid/nll'\" --csv\n"
      "  strata-run query --file question.sql --json\n"
      "  strata-run query --tables");
  verb->callback([&global, request] { query(global, *request); });
}

}  // namespace strata
