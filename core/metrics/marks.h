#pragma once

namespace strata {

// What the scorers' rules say of full stops and commas beside digits is about ASCII alone.
constexpr bool isDigit(char32_t c) {
  return c >= U'0' && c <= U'9';
}
constexpr bool isStop(char32_t c) {
  return c == U'.' || c == U',';
}

}  // namespace strata
