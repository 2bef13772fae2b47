#include "core/text/character_classes.h"

#include <unicode/uchar.h>

#include <memory>

namespace strata {
namespace {

constexpr char32_t kBasicPlaneEnd = 0x10000;

// Characters of Unicode 14 or older that became alphabetic or lower case with Unicode 15.
std::uint8_t withoutLaterClasses(char32_t codePoint, std::uint8_t flags) {
  switch (codePoint) {
    case 0x0C04:
    case 0x0F82:
    case 0x0F83:
    case 0x11080:
    case 0x11081:
      return flags & static_cast<std::uint8_t>(~(kAlphabetic | kAlphanumeric));
    case 0x10FC:
    case 0xA7F2:
    case 0xA7F3:
    case 0xA7F4:
    case 0xAB69:
      return flags & static_cast<std::uint8_t>(~kLowercase);
    default:
      return flags;
  }
}

std::uint8_t classesOf(char32_t codePoint) {
  const auto c = static_cast<UChar32>(codePoint);
  UVersionInfo age;
  u_charAge(c, age);
  if (age[0] == 0 || age[0] > kUnicodeMajor) return 0;
  std::uint8_t flags = 0;
  const std::uint32_t category = U_GET_GC_MASK(c);
  if (u_hasBinaryProperty(c, UCHAR_ALPHABETIC)) flags |= kAlphabetic | kAlphanumeric;
  if ((category & U_GC_ND_MASK) != 0) flags |= kAlphanumeric;
  if ((category & U_GC_N_MASK) != 0) flags |= kNumber;
  if ((category & U_GC_LL_MASK) != 0) flags |= kLowercaseLetter;
  if ((category & (U_GC_LL_MASK | U_GC_LU_MASK | U_GC_LT_MASK)) != 0) flags |= kCasedLetter;
  if ((category & U_GC_SC_MASK) != 0) flags |= kCurrency;
  if (u_hasBinaryProperty(c, UCHAR_LOWERCASE)) flags |= kLowercase;
  if (u_hasBinaryProperty(c, UCHAR_WHITE_SPACE)) flags |= kWhiteSpace;
  return withoutLaterClasses(codePoint, flags);
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

namespace detail {

const std::uint8_t* basicPlaneClasses() {
  static const std::unique_ptr<std::uint8_t[]> table = buildBasicPlane();
  return table.get();
}

std::uint8_t supplementaryClasses(char32_t codePoint) {
  return classesOf(codePoint);
}

}  // namespace detail

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
