#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Calls `use` with each word of a line: the parts between U+0020.
template <typename Use>
void forEachWord(std::string_view line, Use use) {
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    if (end > begin) use(line.substr(begin, end - begin));
    begin = end + 1;
  }
}

inline std::vector<std::string> wordsOf(std::string_view line) {
  std::vector<std::string> words;
  forEachWord(line, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

}  // namespace strata
