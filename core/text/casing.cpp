#include "core/text/casing.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <cstdint>
#include <memory>

#include "core/base/error.h"
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

icu::StringPiece pieceOf(std::string_view text) {
  return {text.data(), static_cast<std::int32_t>(text.size())};
}

void check(UErrorCode status) {
  if (U_FAILURE(status) != 0) throw Error("cannot change a line's case: {}", u_errorName(status));
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

void lowercaseIn(const std::string& casing, std::string_view text, std::string& out) {
  if (casing.empty()) return lowercase(text, out);
  out.clear();
  icu::StringByteSink<std::string> sink(&out);
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToLower(casing.c_str(), 0, pieceOf(text), sink, nullptr, status);
  check(status);
}

void appendUppercasedFirst(std::string_view word, std::string& out) {
  if (word.empty()) return;
  std::size_t rest = 0;
  appendUppercased(decodeUtf8(word, rest), out);
  out += word.substr(rest);
}

void appendUppercasedFirstIn(const std::string& casing, std::string_view word, std::string& out) {
  if (casing.empty()) return appendUppercasedFirst(word, out);
  icu::StringByteSink<std::string> sink(&out);
  UErrorCode status = U_ZERO_ERROR;
  constexpr std::uint32_t kFirstLetterOnly =
      U_TITLECASE_WHOLE_STRING | U_TITLECASE_NO_BREAK_ADJUSTMENT | U_TITLECASE_NO_LOWERCASE;
  icu::CaseMap::utf8ToTitle(casing.c_str(), kFirstLetterOnly, nullptr, pieceOf(word), sink, nullptr,
                            status);
  check(status);
}

}  // namespace strata
