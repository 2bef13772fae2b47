#include "core/report/csv.h"

#include <fmt/ranges.h>

namespace strata {
namespace {

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::string csvTable(const Table& table) {
  table.requireWholeRows();
  std::vector<std::string> cells;
  for (const TableColumn& column : table.columns) cells.push_back(quoted(column.title));
  std::string out = fmt::format("{}\n", fmt::join(cells, ","));
  for (const auto& row : table.rows) {
    cells.clear();
    for (const Cell& cell : row) cells.push_back(quoted(cell.exact()));
    out += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return out;
}

}  // namespace strata
