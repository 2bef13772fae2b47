#include "core/base/utf8.h"

#include <cstdint>
#include <cstring>

namespace strata {
namespace {

// Length of the valid sequence at text[i], 0 if there is none.
std::size_t sequenceLength(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const auto continues = [&](std::size_t k, unsigned low = 0x80, unsigned high = 0xBF) {
    return k < text.size() && byte(k) >= low && byte(k) <= high;
  };
  const unsigned first = byte(i);
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return continues(i + 1) ? 2 : 0;
  if (first < 0xF0) {
    // E0 must not be overlong, ED must not give a surrogate.
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return continues(i + 1, low, high) && continues(i + 2) ? 3 : 0;
  }
  if (first > 0xF4) return 0;
  const unsigned low = first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
  return continues(i + 1, low, high) && continues(i + 2) && continues(i + 3) ? 4 : 0;
}

}  // namespace

std::optional<std::size_t> firstInvalidUtf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    // Most text is ASCII: eight bytes at a time while no high bit is set.
    while (i + 8 <= text.size()) {
      std::uint64_t word;
      std::memcpy(&word, text.data() + i, 8);
      if ((word & 0x8080808080808080ull) != 0) break;
      i += 8;
    }
    if (i >= text.size()) break;
    const std::size_t length = sequenceLength(text, i);
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

void appendUtf8(std::string& out, char32_t codePoint) {
  const auto push = [&](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (codePoint < 0x80) {
    push(codePoint);
  } else if (codePoint < 0x800) {
    push(0xC0 | codePoint >> 6);
    push(0x80 | (codePoint & 0x3F));
  } else if (codePoint < 0x10000) {
    push(0xE0 | codePoint >> 12);
    push(0x80 | (codePoint >> 6 & 0x3F));
    push(0x80 | (codePoint & 0x3F));
  } else {
    push(0xF0 | codePoint >> 18);
    push(0x80 | (codePoint >> 12 & 0x3F));
    push(0x80 | (codePoint >> 6 & 0x3F));
    push(0x80 | (codePoint & 0x3F));
  }
}

}  // namespace strata
