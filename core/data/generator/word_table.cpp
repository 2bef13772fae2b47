#include "core/data/generator/word_table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/text/words.h"

namespace strata::generator {
namespace {

using Fields = std::vector<std::string_view>;

Fields split(std::string_view line) {
  Fields fields;
  for (std::size_t begin = 0;;) {
    const std::size_t end = line.find('\t', begin);
    fields.push_back(line.substr(begin, end - begin));
    if (end == std::string_view::npos) return fields;
    begin = end + 1;
  }
}

WordRow rowOf(const std::string& place, const Fields& fields, const Fields& columns) {
  if (fields.size() != columns.size()) {
    throw Error("{}: expected {} columns with a tab between them ({}), found {}", place,
                columns.size(), fmt::join(columns, ", "), fields.size());
  }
  std::map<std::string_view, std::string> named;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string_view field = fields[c];
    if (field.empty()) throw Error("{}: {} is empty; write - for no value", place, columns[c]);
    if (field.front() == ' ' || field.find_last_of(" \r") == field.size() - 1)
      throw Error("{}: {} is '{}': remove the spaces around it", place, columns[c], field);
    named.emplace(columns[c], field);
  }
  return {place, std::move(named)};
}

}  // namespace

WordRow::WordRow(std::string place, std::map<std::string_view, std::string> fields)
    : place_(std::move(place)), fields_(std::move(fields)) {}

std::string WordRow::textOrNothing(std::string_view column) const {
  return text(column) == "-" ? "" : text(column);
}

const std::string& WordRow::oneOf(std::string_view column,
                                  std::initializer_list<std::string_view> allowed) const {
  const std::string& field = text(column);
  if (std::ranges::find(allowed, field) == allowed.end())
    refuse(column, fmt::format("one of {}", fmt::join(allowed, ", ")));
  return field;
}

char WordRow::letter(std::string_view column, std::string_view allowed) const {
  const std::string& field = text(column);
  if (field.size() != 1 || allowed.find(field) == std::string_view::npos)
    refuse(column, fmt::format("one of the letters {}", allowed));
  return field.front();
}

const std::string& WordRow::letters(std::string_view column, std::string_view allowed) const {
  const std::string& field = text(column);
  if (field.find_first_not_of(allowed) != std::string::npos)
    refuse(column, fmt::format("only the letters {}", allowed));
  return field;
}

void WordRow::refuse(std::string_view column, std::string_view expected) const {
  throw Error("{}: {} is '{}', expected {}", place_, column, text(column), expected);
}

std::vector<WordRow> readWordTable(std::string_view file, std::string_view text,
                                   const std::vector<std::string_view>& columns) {
  std::vector<WordRow> rows;
  bool named = false;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = takeLine(text);
    if (line.starts_with('#')) continue;
    const std::string place = fmt::format("{}:{}", file, number);
    const Fields fields = split(line);
    if (named) {
      rows.push_back(rowOf(place, fields, columns));
    } else if (fields != columns) {
      throw Error("{}: expected the column names ({}), found '{}'", place, fmt::join(columns, ", "),
                  line);
    }
    named = true;
  }
  if (rows.empty()) throw Error("{}: expected rows of words, found none", file);
  return rows;
}

}  // namespace strata::generator
