#pragma once
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Reads the tables of words (resources/generator/*.tsv): one row per line, a tab between columns.
// Lines that begin with # are comments; the first other line names the columns.
namespace strata::generator {

// One row. What a column may not hold is an Error with file and line; the names of columns are
// those that readWordTable was given.
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

// The rows in their order. Other columns than these, a row with more or fewer of them, an empty
// field, spaces around a field and a table without rows are Errors with file and line. The names in
// `columns` must outlive the rows.
std::vector<WordRow> readWordTable(std::string_view file, std::string_view text,
                                   const std::vector<std::string_view>& columns);

}  // namespace strata::generator
