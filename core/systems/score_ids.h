// Numbers and names of sentences in a file of scores.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Whether a column of this title has ids: id, segment_id, index, line, ...; the nameless first
// column that pandas writes.
bool isIdTitle(std::string_view title);

// A column of ids, in a file's order.
struct IdColumn {
  std::string title;
  std::vector<std::string_view> cells;
  std::vector<std::string_view> systems = {};  // of each cell; empty: all of one system
  std::size_t firstLine = 1;                   // of the first cell in the file
};

// The numbers of the cells, if all of them are whole numbers, or names that begin alike and end in
// one, and if they are 0 to n-1 or 1 to n, of each system or of all cells.
std::optional<std::vector<std::int64_t>> fittingNumbers(const IdColumn& ids);

// Whether the numbers ascend in each system, so that they change no order.
bool isInOrder(const IdColumn& ids, const std::vector<std::int64_t>& numbers);

// Why the column cannot order the rows, with the line; empty if it has names, each of which occurs
// once in a system.
std::string misfitOf(const IdColumn& ids);

}  // namespace strata
