#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/cell.h"

namespace strata {

enum class Align { kLeft, kRight };

struct TableColumn {
  std::string title;
  Align align = Align::kLeft;
};
// A column of texts, and columns of numbers after it.
std::vector<TableColumn> textThenNumbers(const std::vector<std::string>& titles);

// A table as values, for the terminal, pages, files and the window.
struct Table {
  std::string caption = {};  // may be empty
  std::vector<TableColumn> columns = {};
  std::vector<std::vector<Cell>> rows = {};  // as many cells as there are columns
  std::vector<std::size_t> marked = {};      // rows that stand out (the best, the baseline)

  void addColumn(std::string title) { columns.push_back({std::move(title), Align::kRight}); }
  // Adds a row with its first cell, a text, then its further cells one by one, each with the title
  // of its column: those of the table's first row make the columns.
  void beginRow(std::string title, Cell cell);
  void addText(std::string title, Cell cell);
  void addNumber(std::string title, Cell cell);
  bool isMarked(std::size_t row) const;
  // Throws an Error if a row has not as many cells as there are columns.
  void requireWholeRows() const;
  // The titles and the rows, each cell as `text` writes it. Throws as requireWholeRows().
  std::vector<std::vector<std::string>> lines(std::string (Cell::*text)() const) const;
};

// The table for a terminal: columns aligned by display width, two spaces between them, a rule below
// the titles. Each line ends with \n and has no trailing spaces. Line ends within cells become
// spaces.
std::string textTable(const Table& table);

// Titles and rows as readers see them, separated by tabs. Tabs and line ends within cells become
// spaces.
std::string tsvTable(const Table& table);

// Columns that a terminal uses for UTF-8 text: 2 for wide East Asian characters and emoji, 0 for
// combining marks and format characters, else 1. Bytes that are not UTF-8 count as 1 each.
std::size_t displayWidth(std::string_view text);

}  // namespace strata
