#include "core/report/csv.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/text/replace.h"

namespace strata {

std::string csvCell(std::string cell) {
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  replaceAll(cell, "\"", "\"\"");
  return "\"" + cell + "\"";
}

std::string csvTable(const Table& table) {
  std::string out;
  for (auto& line : table.lines(&Cell::exact)) {
    std::ranges::transform(line, line.begin(), csvCell);
    out += fmt::format("{}\n", fmt::join(line, ","));
  }
  return out;
}

}  // namespace strata
