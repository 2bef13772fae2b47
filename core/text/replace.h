#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace strata {

// Replaces every `from`, which is not empty, by `to`, left to right; the replacement is not
// searched again.
inline void replaceAll(std::string& text, std::string_view from, std::string_view to) {
  std::string result;
  std::size_t begin = 0;
  for (std::size_t found = text.find(from); found != std::string::npos;
       found = text.find(from, begin)) {
    result.append(text, begin, found - begin);
    result += to;
    begin = found + from.size();
  }
  if (begin == 0) return;
  result.append(text, begin);
  text.swap(result);
}

// Tabs and line ends as spaces.
inline std::string onOneLine(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

}  // namespace strata
