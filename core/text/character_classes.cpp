#include "core/text/character_classes.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <memory>

namespace strata {
namespace {

constexpr char32_t kBasicPlaneEnd = 0x10000;

// Characters of Unicode 14 or older that became alphabetic or lower case with Unicode 15.
constexpr std::array<char32_t, 5> kLaterAlphabetic{0x0C04, 0x0F82, 0x0F83, 0x11080, 0x11081};
constexpr std::array<char32_t, 5> kLaterLowercase{0x10FC, 0xA7F2, 0xA7F3, 0xA7F4, 0xAB69};

// Whether a character had the property in Unicode 14.
bool has(char32_t codePoint, UProperty property, const std::array<char32_t, 5>& later) {
  return u_hasBinaryProperty(static_cast<UChar32>(codePoint), property) &&
         std::ranges::find(later, codePoint) == later.end();
}

std::uint8_t classesOf(char32_t codePoint) {
  if (!isAssigned(codePoint)) return 0;
  const auto c = static_cast<UChar32>(codePoint);
  std::uint8_t flags = 0;
  const std::uint32_t category = U_GET_GC_MASK(c);
  if (has(codePoint, UCHAR_ALPHABETIC, kLaterAlphabetic)) flags |= kAlphabetic;
  if ((flags & kAlphabetic) != 0 || (category & U_GC_ND_MASK) != 0) flags |= kAlphanumeric;
  if ((category & U_GC_N_MASK) != 0) flags |= kNumber;
  if ((category & U_GC_LL_MASK) != 0) flags |= kLowercaseLetter;
  if ((category & (U_GC_LL_MASK | U_GC_LU_MASK | U_GC_LT_MASK)) != 0) flags |= kCasedLetter;
  if ((category & U_GC_SC_MASK) != 0) flags |= kCurrency;
  if (has(codePoint, UCHAR_LOWERCASE, kLaterLowercase)) flags |= kLowercase;
  if (u_hasBinaryProperty(c, UCHAR_WHITE_SPACE)) flags |= kWhiteSpace;
  return flags;
}

std::unique_ptr<std::uint8_t[]> buildBasicPlane() {
  auto table = std::make_unique<std::uint8_t[]>(kBasicPlaneEnd);
  for (char32_t c = 0; c < kBasicPlaneEnd; ++c) table[c] = classesOf(c);
  return table;
}

// The first character at or after `position` that is white space, or is not; else the end.
std::size_t firstWhere(std::string_view text, std::size_t position, bool isWhiteSpace) {
  const CharacterClasses classes;
  while (position < text.size()) {
    std::size_t next = position;
    if (classes.is(decodeUtf8(text, next), kWhiteSpace) == isWhiteSpace) break;
    position = next;
  }
  return position;
}

}  // namespace

bool isAssigned(char32_t codePoint) {
  UVersionInfo age;
  u_charAge(static_cast<UChar32>(codePoint), age);
  return age[0] != 0 && age[0] <= kUnicodeMajor;
}

namespace detail {

const std::uint8_t* basicPlaneClasses() {
  static const std::unique_ptr<std::uint8_t[]> table = buildBasicPlane();
  return table.get();
}

std::uint8_t supplementaryClasses(char32_t codePoint) {
  return classesOf(codePoint);
}

}  // namespace detail

bool mayNeedCollapsing(std::string_view text) {
  // The first bytes of characters beyond ASCII that are white space.
  const auto mayBeginSpace = [](unsigned char byte) {
    return byte == 0xC2 || (byte >= 0xE1 && byte <= 0xE3);
  };
  char previous = ' ';
  for (const char c : text) {
    if (c == ' ' ? previous == ' ' : static_cast<unsigned char>(c) < 0x20 || mayBeginSpace(c))
      return true;
    previous = c;
  }
  return previous == ' ';
}

bool isBlank(std::string_view text) {
  return skipWhiteSpace(text, 0) == text.size();
}

std::size_t findWhiteSpace(std::string_view text, std::size_t position) {
  return firstWhere(text, position, true);
}

std::size_t skipWhiteSpace(std::string_view text, std::size_t position) {
  return firstWhere(text, position, false);
}

}  // namespace strata
