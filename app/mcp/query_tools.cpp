// Questions in SQL about what is in the workspace.
#include <fmt/format.h>

#include "app/mcp/schema.h"
#include "app/mcp/tools.h"
#include "app/mcp/workspace_access.h"
#include "app/server/child_report.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/run/request_params.h"
#include "core/store/sql/sql_table.h"

namespace strata::mcp {
namespace {

constexpr std::int64_t kMostRows = 1000;
constexpr double kMostSeconds = 30;

constexpr std::int64_t kMostMegabytes = 500;     // of the process, of which an answer may be a part
constexpr std::size_t kMostStatement = 100'000;  // bytes

// In a process of its own: whatever is asked, the memory and time of this one are not touched.
Json query(const std::filesystem::path& root, const ToolCall& call) {
  RequestParams params("query", call.arguments);
  const std::string sql = params.text("sql");
  const std::int64_t rows = params.integer("rows", 100, {1, kMostRows});
  params.done();
  if (sql.size() > kMostStatement || sql.size() < 2)  // "-" would be read from standard input
    throw usageError("a statement has 2 to {} bytes", kMostStatement);
  openExisting(root);
  const std::vector<std::string> words{"--workspace", fs::absolute(root).string(),
                                       "--log-level", "off",
                                       "query",       "--answer",
                                       "--rows",      std::to_string(rows),
                                       "--timeout",   fmt::format("{}", kMostSeconds),
                                       "--memory",    std::to_string(kMostMegabytes),
                                       "--",          sql};
  return parseJson(runInChild(words, call.stop), "an answer");
}

// "runs(id INTEGER, ...), settings(...)"
std::string schemaText() {
  std::string text;
  for (const SqlTable& table : sqlTables()) {
    text += (text.empty() ? "" : ", ") + table.name + "(";
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      text += fmt::format("{}{} {}", i == 0 ? "" : ", ", table.columns[i].name,
                          nameOf(table.columns[i].type));
    text += ")";
  }
  return text;
}

}  // namespace

std::vector<Tool> queryTools(const std::filesystem::path& workspace) {
  return {{.name = "query",
           .title = "Ask in SQL",
           .description =
               fmt::format("Answers one SELECT in SQLite's SQL over the workspace, for questions "
                           "that the other tools do not answer. NULL stands for a value that is "
                           "not a number or not there; times are seconds since 1970. A statement "
                           "ends with an error after {:.0f} seconds. The tables: {}.",
                           kMostSeconds, schemaText()),
           .input = argumentsSchema(
               {{"sql", textSchema("The statement")},
                {"rows", integerSchema("At most this many rows (default 100)", 1, kMostRows)}},
               {"sql"}),
           .output = resultSchema(
               {{"columns", listSchema({{"type", "string"}}, "Names of the columns")},
                {"rows", listSchema({{"type", "array"}}, "The rows, a value for each column")},
                {"more", flagSchema("Whether rows were left out")}},
               {"columns", "rows", "more"}),
           .run = [workspace](const ToolCall& call) { return query(workspace, call); }}};
}

}  // namespace strata::mcp
