#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace strata {

// Replaces every `from`, which is not empty, by `to`, left to right; the replacement is not
// searched again. `scratch` is a buffer, for callers with many texts.
inline void replaceAll(std::string& text, std::string_view from, std::string_view to,
                       std::string& scratch) {
  std::size_t found = text.find(from);
  if (found == std::string::npos) return;
  scratch.clear();
  std::size_t begin = 0;
  for (; found != std::string::npos; found = text.find(from, begin)) {
    scratch.append(text, begin, found - begin);
    scratch += to;
    begin = found + from.size();
  }
  scratch.append(text, begin);
  text.swap(scratch);
}

inline void replaceAll(std::string& text, std::string_view from, std::string_view to) {
  std::string scratch;
  replaceAll(text, from, to, scratch);
}

// Tabs and line ends as spaces.
inline std::string onOneLine(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

}  // namespace strata
