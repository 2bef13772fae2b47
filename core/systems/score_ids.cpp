#include "core/systems/score_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/parse_number.h"
#include "core/systems/score_table.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::string_view kDigits = "0123456789";

// A whole number, also written as a decimal one ("3.0").
std::optional<std::int64_t> wholeNumber(std::string_view text) {
  constexpr double kMost = 1e15;
  const auto value = scoreValue(text);
  if (!value || !(std::abs(*value) <= kMost) || *value != std::floor(*value)) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

// What a name has before the digits at its end.
std::string_view startOfName(std::string_view name) {
  return name.substr(0, name.find_last_not_of(kDigits) + 1);  // npos + 1 is 0
}

bool hasLetter(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
  });
}

std::optional<std::vector<std::int64_t>> numbersOf(const std::vector<std::string_view>& cells) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view cell : cells) {
    if (const auto number = wholeNumber(cell)) numbers.push_back(*number);
  }
  if (numbers.size() == cells.size()) return numbers;
  numbers.clear();
  const std::string_view start = startOfName(trimmed(cells.front()));
  if (!hasLetter(start)) return std::nullopt;  // "0.1", "0,1"
  for (std::string_view cell : cells) {
    cell = trimmed(cell);
    if (startOfName(cell) != start) return std::nullopt;
    const auto number = parseNumber<std::int64_t>(cell.substr(start.size()));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// Whether the numbers are 0 to n-1 or 1 to n in some order.
bool isComplete(std::vector<std::int64_t> numbers) {
  std::ranges::sort(numbers);
  const std::int64_t begin = numbers.front();
  if (begin != 0 && begin != 1) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != begin + static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

std::string_view systemOf(const IdColumn& ids, std::size_t cell) {
  return ids.systems.empty() ? std::string_view() : ids.systems[cell];
}

}  // namespace

bool isIdTitle(std::string_view title) {
  std::string name(trimmed(title));
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  for (const std::string_view known : {"", "#", "id", "no", "no.", "nr", "nr.", "number", "seg",
                                       "segment", "sent", "sentence", "line", "row", "item"}) {
    if (name == known) return true;
  }
  for (const std::string_view end :
       {"_id", "-id", " id", ".id", "segid", "segmentid", "sentid", "sentenceid", "lineid", "docid",
        "idx", "index", "_no", "_nr", "_number", "-number", " number"}) {
    if (name.ends_with(end)) return true;
  }
  return name.starts_with("unnamed:");
}

std::optional<std::vector<std::int64_t>> fittingNumbers(const IdColumn& ids) {
  if (ids.cells.empty()) return std::nullopt;
  const auto numbers = numbersOf(ids.cells);
  if (!numbers || isComplete(*numbers)) return numbers;
  std::map<std::string_view, std::vector<std::int64_t>> bySystem;
  for (std::size_t i = 0; i < numbers->size(); ++i)
    bySystem[systemOf(ids, i)].push_back((*numbers)[i]);
  const bool fits =
      std::ranges::all_of(bySystem, [](const auto& each) { return isComplete(each.second); });
  return fits ? numbers : std::nullopt;
}

bool isInOrder(const IdColumn& ids, const std::vector<std::int64_t>& numbers) {
  std::map<std::string_view, std::int64_t> last;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [before, first] = last.try_emplace(systemOf(ids, i), numbers[i]);
    if (!first && before->second > numbers[i]) return false;
    before->second = numbers[i];
  }
  return true;
}

std::string misfitOf(const IdColumn& ids) {
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> lines;  // by system and id
  std::size_t wholes = 0;
  for (const std::string_view cell : ids.cells) wholes += wholeNumber(cell) ? 1 : 0;
  const bool numbered = 2 * wholes >= ids.cells.size();
  for (std::size_t i = 0; i < ids.cells.size(); ++i) {
    const std::string_view cell = trimmed(ids.cells[i]);
    const std::size_t line = ids.firstLine + i;
    if (cell.empty()) return fmt::format("line {} has no '{}'", line, ids.title);
    if (numbered && !wholeNumber(cell))
      return fmt::format("line {}: '{}' of column '{}' is not a number of a sentence", line, cell,
                         ids.title);
    const auto [seen, added] = lines.try_emplace({systemOf(ids, i), cell}, line);
    if (!added)
      return fmt::format("line {}: '{}' of column '{}' is in line {}, too", line, cell, ids.title,
                         seen->second);
  }
  if (!numbered) return {};
  return fmt::format("the numbers of column '{}' are neither 0 to {} nor 1 to {}", ids.title,
                     ids.cells.size() - 1, ids.cells.size());
}

}  // namespace strata
