#include "core/text/casing.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <memory>

#include "core/base/utf8.h"
#include "core/text/character_classes.h"

namespace strata {
namespace {

constexpr char32_t kTableEnd = 0x10000;
constexpr char32_t kCapitalIWithDot = 0x130;

char32_t lowerOf(char32_t codePoint) {
  if (!isAssigned(codePoint)) return codePoint;
  return static_cast<char32_t>(u_tolower(static_cast<UChar32>(codePoint)));
}

const char16_t* lowerTable() {
  static const std::unique_ptr<char16_t[]> table = [] {
    auto built = std::make_unique<char16_t[]>(kTableEnd);
    for (char32_t c = 0; c < kTableEnd; ++c) built[c] = static_cast<char16_t>(lowerOf(c));
    return built;
  }();
  return table.get();
}

void appendUppercased(char32_t codePoint, std::string& out) {
  if (!isAssigned(codePoint)) {
    appendUtf8(out, codePoint);
    return;
  }
  icu::UnicodeString letters(static_cast<UChar32>(codePoint));
  letters.toUpper(icu::Locale::getRoot()).toUTF8String(out);
}

}  // namespace

void lowercase(std::string_view text, std::string& out) {
  const char16_t* table = lowerTable();
  out.clear();
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const char byte = text[i];
    if (static_cast<unsigned char>(byte) < 0x80) {
      out.push_back(byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte);
      ++i;
      continue;
    }
    const char32_t codePoint = decodeUtf8(text, i);
    if (codePoint == kCapitalIWithDot) {
      out += "i\u0307";
    } else {
      appendUtf8(out, codePoint < kTableEnd ? table[codePoint] : lowerOf(codePoint));
    }
  }
}

void appendUppercasedFirst(std::string_view word, std::string& out) {
  if (word.empty()) return;
  std::size_t rest = 0;
  appendUppercased(decodeUtf8(word, rest), out);
  out += word.substr(rest);
}

}  // namespace strata
