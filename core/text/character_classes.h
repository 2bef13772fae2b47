#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/utf8.h"

namespace strata {

inline constexpr std::uint8_t kUnicodeMajor = 14;  // the version of the reference tools' Perl

// Character classes as the Moses scripts see them: Perl's, with the tables of Unicode 14.
enum CharacterClass : std::uint8_t {
  kAlphabetic = 1,        // property Alphabetic
  kAlphanumeric = 2,      // Alphabetic or decimal digit
  kNumber = 4,            // general category N
  kLowercase = 8,         // property Lowercase
  kLowercaseLetter = 16,  // general category Ll
  kWhiteSpace = 32,       // property White_Space, Perl's \s
  kCurrency = 64,         // general category Sc
  kCasedLetter = 128,     // general categories Ll, Lu and Lt
};

// Whether Unicode 14 has the code point.
bool isAssigned(char32_t codePoint);

namespace detail {
// One byte of CharacterClass flags for each code point of the basic plane; built on first use.
const std::uint8_t* basicPlaneClasses();
std::uint8_t supplementaryClasses(char32_t codePoint);
}  // namespace detail

// Looks up character classes; cheap to create and copy, thread-safe.
class CharacterClasses {
 public:
  CharacterClasses() : basic_(detail::basicPlaneClasses()) {}

  // The CharacterClass flags of a code point.
  std::uint8_t of(char32_t codePoint) const {
    return codePoint < 0x10000 ? basic_[codePoint] : detail::supplementaryClasses(codePoint);
  }
  bool is(char32_t codePoint, std::uint8_t flags) const { return (of(codePoint) & flags) != 0; }

 private:
  const std::uint8_t* basic_;
};

// Writes valid UTF-8 with one space for each run of white space, none at the ends, and without the
// characters that `dropped` accepts; replaces the content of `out`.
template <typename Dropped>
void collapseWhiteSpace(std::string_view text, std::string& out, Dropped dropped) {
  const CharacterClasses classes;
  out.clear();
  bool pendingSpace = false;
  forEachCharacter(text, [&](char32_t codePoint, std::string_view bytes) {
    if (classes.is(codePoint, kWhiteSpace)) {
      pendingSpace = true;
    } else if (!dropped(codePoint)) {
      if (pendingSpace && !out.empty()) out.push_back(' ');
      pendingSpace = false;
      out += bytes;
    }
  });
}

// Whether collapseWhiteSpace may change the text, or it has control characters. May be true of text
// that it leaves as it is, but false only of such.
bool mayNeedCollapsing(std::string_view text);

// Whether valid UTF-8 text is empty or only white space.
bool isBlank(std::string_view text);

// The first white space at or after `position`, or the end of `text` (valid UTF-8).
std::size_t findWhiteSpace(std::string_view text, std::size_t position);

// The first character at or after `position` that is not white space, or the end of `text` (valid
// UTF-8).
std::size_t skipWhiteSpace(std::string_view text, std::size_t position);

}  // namespace strata
