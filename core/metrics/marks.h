#pragma once

namespace strata {

// The scorers' rules for full stops and commas next to digits are about ASCII only.
constexpr bool isDigit(char32_t c) {
  return c >= U'0' && c <= U'9';
}
constexpr bool isStop(char32_t c) {
  return c == U'.' || c == U',';
}

}  // namespace strata
