#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace strata {

// Parts of the lines of Python programs' logs.

inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// A number as Python prints it, nan and inf included; none if anything else follows it.
std::optional<double> numberIn(std::string_view text);
// A whole number of at most 15 digits.
std::optional<std::int64_t> wholeNumberIn(std::string_view text);

// "2022-05-12 10:11:12", "2022/05/12 10:11:12,123", "05/12/2022 10:11:12" or
// "2022-05-12T10:11:12.123456Z" at the beginning, without a zone in this computer's, as seconds
// since 1970; takes it away. None if the text begins otherwise.
std::optional<double> takeTime(std::string_view& text);

// Takes `part` away from the beginning; false if the text begins otherwise.
bool take(std::string_view& text, std::string_view part);

// What is before the next `part`, which is taken away with it; all if there is none.
std::string_view takeUntil(std::string_view& text, std::string_view part);

}  // namespace strata
