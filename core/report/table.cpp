#include "core/report/table.h"

#include <fmt/ranges.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/text/replace.h"

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

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string fill(width - std::min(width, displayWidth(cell)), ' ');
  return align == Align::kRight ? fill + cell : cell + fill;
}

using Lines = std::vector<std::vector<std::string>>;

// As readers see them.
Lines linesOf(const Table& table) {
  Lines lines = table.lines(&Cell::text);
  for (auto& line : lines) {
    std::ranges::transform(line, line.begin(),
                           [](const std::string& cell) { return printable(onOneLine(cell)); });
  }
  return lines;
}

void addLine(const std::vector<std::string>& cells, const Table& table,
             const std::vector<std::size_t>& widths, std::string& out) {
  std::string line;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (c > 0) line += kGap;
    line += padded(cells[c], widths[c], table.columns[c].align);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

void addCell(Table& table, TableColumn column, Cell cell) {
  if (table.rows.size() == 1) table.columns.push_back(std::move(column));
  table.rows.back().push_back(std::move(cell));
}

}  // namespace

std::vector<TableColumn> textThenNumbers(const std::vector<std::string>& titles) {
  std::vector<TableColumn> columns;
  for (const std::string& title : titles)
    columns.push_back({title, columns.empty() ? Align::kLeft : Align::kRight});
  return columns;
}

void Table::beginRow(std::string title, Cell cell) {
  rows.emplace_back();
  addText(std::move(title), std::move(cell));
}

void Table::addText(std::string title, Cell cell) {
  addCell(*this, {std::move(title), Align::kLeft}, std::move(cell));
}

void Table::addNumber(std::string title, Cell cell) {
  addCell(*this, {std::move(title), Align::kRight}, std::move(cell));
}

bool Table::isMarked(std::size_t row) const {
  return std::ranges::find(marked, row) != marked.end();
}

void Table::requireWholeRows() const {
  for (const auto& row : rows) {
    if (row.size() != columns.size())
      throw Error("a row has {} cells, expected {} (one per column)", row.size(), columns.size());
  }
}

std::vector<std::vector<std::string>> Table::lines(std::string (Cell::*text)() const) const {
  requireWholeRows();
  Lines lines(1);
  for (const TableColumn& column : columns) lines[0].push_back((Cell(column.title).*text)());
  for (const auto& row : rows) {
    auto& line = lines.emplace_back();
    for (const Cell& cell : row) line.push_back((cell.*text)());
  }
  return lines;
}

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
  const Lines lines = linesOf(table);
  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c)
      widths[c] = std::max(widths[c], displayWidth(line[c]));
  }
  std::string out = table.caption.empty() ? "" : table.caption + "\n";
  addLine(lines[0], table, widths, out);
  std::vector<std::string> rules;
  for (const std::size_t width : widths) {
    std::string& rule = rules.emplace_back();
    for (std::size_t i = 0; i < width; ++i) rule += kRule;
  }
  addLine(rules, table, widths, out);
  for (std::size_t i = 1; i < lines.size(); ++i) addLine(lines[i], table, widths, out);
  return out;
}

std::string tsvTable(const Table& table) {
  std::string out;
  for (const auto& line : linesOf(table)) out += fmt::format("{}\n", fmt::join(line, "\t"));
  return out;
}

}  // namespace strata
