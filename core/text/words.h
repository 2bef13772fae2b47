#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// SentencePiece's mark of a word's start.
inline constexpr std::string_view kWordStart = "\u2581";

// Calls `use` with each word of a line: the parts between U+0020.
template <typename Use>
void forEachWord(std::string_view line, Use use) {
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    if (end > begin) use(line.substr(begin, end - begin));
    begin = end + 1;
  }
}

// Cuts the next line off a text; only \n ends a line.
inline std::string_view takeLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// Without these characters at both ends.
inline std::string_view trimmed(std::string_view text, std::string_view characters = " \t") {
  const std::size_t first = std::min(text.find_first_not_of(characters), text.size());
  return text.substr(first, text.find_last_not_of(characters) + 1 - first);  // npos + 1 is 0
}

inline std::vector<std::string> wordsOf(std::string_view line) {
  std::vector<std::string> words;
  forEachWord(line, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

}  // namespace strata
