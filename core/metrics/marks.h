#pragma once
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/utf8.h"

namespace strata {

// Rules about characters that several scorers share.

// Their rules for full stops and commas next to digits are about ASCII only.
constexpr bool isDigit(char32_t c) {
  return c >= U'0' && c <= U'9';
}
constexpr bool isStop(char32_t c) {
  return c == U'.' || c == U',';
}
// ASCII punctuation and symbols.
constexpr bool isAsciiMark(char32_t c) {
  return (c >= U'!' && c <= U'/') || (c >= U':' && c <= U'@') || (c >= U'[' && c <= U'`') ||
         (c >= U'{' && c <= U'~');
}
// ASCII punctuation that is always a separate word: all but . , - and the apostrophe.
constexpr bool isAlwaysApart(char32_t c) {
  return isAsciiMark(c) && !isStop(c) && c != U'-' && c != U'\'';
}

using CodeRange = std::pair<char32_t, char32_t>;  // both ends inclusive

template <std::size_t N>
bool isIn(const CodeRange (&ranges)[N], char32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges), [&](const CodeRange& range) {
    return code >= range.first && code <= range.second;
  });
}

inline void lowercaseAscii(std::string& text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Valid UTF-8 with spaces around each character that `matches`.
template <typename Matches>
void appendWithApart(std::string_view text, Matches matches, std::string& out) {
  forEachCharacter(text, [&](char32_t code, std::string_view bytes) {
    if (matches(code)) {
      out.append(" ").append(bytes).append(" ");
    } else {
      out += bytes;
    }
  });
}

// The following work on code points or, since their rules name ASCII only, on bytes: if a rule
// accepts anything else, the nearest byte of it will do.

// Puts spaces around each character that `matches`.
template <typename Character, typename Matches>
std::basic_string<Character> withEachApart(const std::basic_string<Character>& text,
                                           Matches matches) {
  constexpr Character kSpace = ' ';
  std::basic_string<Character> out;
  out.reserve(text.size() + text.size() / 4);
  for (const Character c : text) {
    if (matches(c)) {
      out += {kSpace, c, kSpace};
    } else {
      out += c;
    }
  }
  return out;
}

enum class OfPair { kFirst, kSecond };

// Puts spaces around one character of each pair of neighbours that `matches`, from left to right,
// no character being in two pairs.
template <typename Character, typename Matches>
std::basic_string<Character> withPairsApart(const std::basic_string<Character>& text, OfPair which,
                                            Matches matches) {
  constexpr Character kSpace = ' ';
  std::basic_string<Character> out;
  out.reserve(text.size() + text.size() / 4);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !matches(text[i], text[i + 1])) {
      out += text[i];
      continue;
    }
    if (which == OfPair::kFirst) {
      out += {kSpace, text[i], kSpace, text[i + 1]};
    } else {
      out += {text[i], kSpace, text[i + 1], kSpace};
    }
    ++i;
  }
  return out;
}

// Full stops and commas stay between digits, dashes unless after a digit; at both ends there is a
// space, so that they have a neighbour.
template <typename Character>
std::basic_string<Character> withStopsApart(std::basic_string<Character> text) {
  text = withPairsApart(text, OfPair::kSecond,
                        [](char32_t a, char32_t b) { return !isDigit(a) && isStop(b); });
  text = withPairsApart(text, OfPair::kFirst,
                        [](char32_t a, char32_t b) { return isStop(a) && !isDigit(b); });
  return withPairsApart(text, OfPair::kSecond,
                        [](char32_t a, char32_t b) { return isDigit(a) && b == U'-'; });
}

}  // namespace strata
