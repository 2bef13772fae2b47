#pragma once
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace strata {

// The number that all of `text` is, in the form of std::from_chars: no space, no '+', in no
// locale; "inf" and "nan" are numbers of floating point. Nothing for other texts, and for what
// `Number` cannot hold.
template <typename Number>
std::optional<Number> parseNumber(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, value) != std::from_chars_result{end, {}}) return {};
  return value;
}

}  // namespace strata
