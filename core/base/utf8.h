#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

// UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing above U+10FFFF.

// Offset of the first byte of the first invalid UTF-8 sequence; none if all of `text` is valid.
std::optional<std::size_t> firstInvalidUtf8(std::string_view text);

inline bool isValidUtf8(std::string_view text) {
  return !firstInvalidUtf8(text).has_value();
}

// Decodes the code point that starts at text[position] and moves `position` past it. `text` must
// be valid and `position` inside it, at a first byte.
inline char32_t decodeUtf8(std::string_view text, std::size_t& position) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const char32_t first = byte(position);
  if (first < 0x80) {
    ++position;
    return first;
  }
  if (first < 0xE0) {
    position += 2;
    return (first & 0x1F) << 6 | (byte(position - 1) & 0x3Fu);
  }
  if (first < 0xF0) {
    position += 3;
    return (first & 0x0F) << 12 | (byte(position - 2) & 0x3Fu) << 6 | (byte(position - 1) & 0x3Fu);
  }
  position += 4;
  return (first & 0x07) << 18 | (byte(position - 3) & 0x3Fu) << 12 |
         (byte(position - 2) & 0x3Fu) << 6 | (byte(position - 1) & 0x3Fu);
}

// Passes each character of valid UTF-8 to `use`: code point and bytes.
template <typename Use>
void forEachCharacter(std::string_view text, Use use) {
  for (std::size_t end = 0; end < text.size();) {
    const std::size_t begin = end;
    const char32_t code = decodeUtf8(text, end);
    use(code, text.substr(begin, end - begin));
  }
}

// Decodes the code point that ends just before text[position] and moves `position` to its first
// byte. `text` must be valid and `position` above 0, at a first byte or the end.
inline char32_t decodeUtf8Before(std::string_view text, std::size_t& position) {
  do {
    --position;
  } while ((static_cast<unsigned char>(text[position]) & 0xC0) == 0x80);
  std::size_t forward = position;
  return decodeUtf8(text, forward);
}

// Appends one code point (at most U+10FFFF, no surrogate).
void appendUtf8(std::string& out, char32_t codePoint);

}  // namespace strata
