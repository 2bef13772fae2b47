#include "core/report/csv.h"

#include "core/base/error.h"

namespace strata {
namespace {

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

CsvText::CsvText(const std::vector<std::string>& titles) : columns_(titles.size()) {
  row(titles);
}

void CsvText::row(const std::vector<std::string>& cells) {
  if (cells.size() != columns_)
    throw Error("a row has {} cells, expected {} (one per column)", cells.size(), columns_);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) text_ += ',';
    text_ += quoted(cells[c]);
  }
  text_ += '\n';
}

}  // namespace strata
