// Questions in SQL about what is in the workspace.
#include <fmt/format.h>

#include "app/commands/run_json.h"
#include "app/mcp/schema.h"
#include "app/mcp/tools.h"
#include "app/mcp/workspace_access.h"
#include "core/run/request_params.h"
#include "core/store/sql/sql_query.h"

namespace strata::mcp {
namespace {

constexpr std::int64_t kMostRows = 1000;
constexpr double kMostSeconds = 30;

class FirstRows : public SqlOutput {
 public:
  explicit FirstRows(std::size_t most) : most_(most) {}
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

Json query(const std::filesystem::path& root, const ToolCall& call) {
  RequestParams params("query", call.arguments);
  const std::string sql = params.text("sql");
  FirstRows rows(static_cast<std::size_t>(params.integer("rows", 100, {1, kMostRows})));
  params.done();
  Workspace workspace = openExisting(root);
  runSql(workspace, sql, {.seconds = kMostSeconds, .stop = call.stop}, rows);
  return rows.json();
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
