#pragma once
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Reads the word tables (resources/generator/*.tsv): one row per line, columns separated by tabs.
// Lines that begin with # are comments; the first other line has the column names.
namespace strata::generator {

// One row. Invalid values are Errors with file and line; `column` must be one of the columns given
// to readWordTable.
class WordRow {
 public:
  WordRow(std::string place, std::map<std::string_view, std::string> fields);

  const std::string& text(std::string_view column) const { return fields_.at(column); }
  std::string textOrNothing(std::string_view column) const;  // empty for "-"
  const std::string& oneOf(std::string_view column,
                           std::initializer_list<std::string_view> allowed) const;
  char letter(std::string_view column, std::string_view allowed) const;  // exactly one
  const std::string& letters(std::string_view column, std::string_view allowed) const;

  [[noreturn]] void refuse(std::string_view column, std::string_view expected) const;

 private:
  std::string place_;  // "nouns.tsv:7"
  std::map<std::string_view, std::string> fields_;
};

// The rows in order. Different column names, a row with more or fewer columns, an empty field,
// spaces around a field and a table without rows are Errors with file and line. The strings in
// `columns` must outlive the rows.
std::vector<WordRow> readWordTable(std::string_view file, std::string_view text,
                                   const std::vector<std::string_view>& columns);

}  // namespace strata::generator
