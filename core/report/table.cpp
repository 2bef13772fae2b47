#include "core/report/table.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

#include "core/base/error.h"

namespace strata {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::string_view kRule = "\u2500";

std::size_t widthOf(UChar32 code) {
  if (code < 0) return 1;
  if (code >= 0x20 && code < 0x7F) return 1;
  const auto category = u_charType(code);
  if (category == U_NON_SPACING_MARK || category == U_ENCLOSING_MARK || category == U_FORMAT_CHAR ||
      category == U_CONTROL_CHAR) {
    return 0;
  }
  const int wide = u_getIntPropertyValue(code, UCHAR_EAST_ASIAN_WIDTH);
  return wide == U_EA_WIDE || wide == U_EA_FULLWIDTH ? 2 : 1;
}

std::string onOneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return text;
}

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string fill(width - std::min(width, displayWidth(cell)), ' ');
  return align == Align::kRight ? fill + cell : cell + fill;
}

void addLine(const std::vector<std::string>& cells, const Table& table,
             const std::vector<std::size_t>& widths, std::string& out) {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) line += kGap;
    line += padded(onOneLine(cells[c]), widths[c], table.columns[c].align);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

}  // namespace

std::size_t displayWidth(std::string_view text) {
  std::size_t width = 0;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    UChar32 code = 0;
    U8_NEXT(bytes, i, text.size(), code);
    width += widthOf(code);
  }
  return width;
}

std::string textTable(const Table& table) {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (const TableColumn& column : table.columns) {
    titles.push_back(column.title);
    widths.push_back(displayWidth(column.title));
  }
  for (const auto& row : table.rows) {
    if (row.size() != widths.size())
      throw Error("a row has {} cells, expected {} (one per column)", row.size(), widths.size());
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], displayWidth(onOneLine(row[c])));
  }
  std::string out = table.caption.empty() ? "" : table.caption + "\n";
  addLine(titles, table, widths, out);
  std::vector<std::string> rules;
  for (const std::size_t width : widths) {
    std::string& rule = rules.emplace_back();
    for (std::size_t i = 0; i < width; ++i) rule += kRule;
  }
  addLine(rules, table, widths, out);
  for (const auto& row : table.rows) addLine(row, table, widths, out);
  return out;
}

}  // namespace strata
