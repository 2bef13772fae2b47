#include "core/metrics/mteval_words.h"

#include <unicode/uchar.h>

#include <cstdint>
#include <utility>

#include "core/base/utf8.h"
#include "core/metrics/marks.h"
#include "core/text/casing.h"
#include "core/text/character_classes.h"
#include "core/text/replace.h"
#include "core/text/words.h"

namespace strata {
namespace {

// U_GC_..._MASK bit of a character's general category; none if it is newer than the tables.
std::uint32_t categoryOf(char32_t c) {
  UVersionInfo age;
  u_charAge(static_cast<UChar32>(c), age);
  return age[0] == 0 || age[0] > kUnicodeMajor ? 0 : U_GET_GC_MASK(static_cast<UChar32>(c));
}
bool isNumber(char32_t c) {
  return (categoryOf(c) & U_GC_N_MASK) != 0;
}
bool isPunctuation(char32_t c) {
  return (categoryOf(c) & U_GC_P_MASK) != 0;
}
bool isSymbol(char32_t c) {
  return (categoryOf(c) & U_GC_S_MASK) != 0;
}

// The script decodes the entities of its input once. Escaping a line and decoding it gives the line
// back; text that looked like an entity before is first unescaped and then decoded, if its name
// comes after the ampersand's in the script's order. So &quot; and &amp; stay.
std::string withoutEntities(std::string_view line, bool international) {
  std::string text(line);
  replaceAll(text, "&lt;", "<");
  replaceAll(text, "&gt;", ">");
  if (international) replaceAll(text, "&apos;", "'");
  return text;
}

// Code points, with one space for each run of white space.
std::u32string decoded(std::string_view text) {
  const CharacterClasses classes;
  std::u32string out;
  out.reserve(text.size() + 2);
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = decodeUtf8(text, at);
    if (!classes.is(c, kWhiteSpace)) {
      out += c;
    } else if (out.empty() || out.back() != U' ') {
      out += U' ';
    }
  }
  return out;
}

// Unicode punctuation unless it has numbers on both sides (the line's ends count as numbers), and
// symbols.
std::u32string withUnicodeMarksApart(std::u32string text) {
  text = withPairsApart(text, OfPair::kSecond,
                        [](char32_t a, char32_t b) { return !isNumber(a) && isPunctuation(b); });
  text = withPairsApart(text, OfPair::kFirst,
                        [](char32_t a, char32_t b) { return isPunctuation(a) && !isNumber(b); });
  return withEachApart(text, isSymbol);
}

}  // namespace

std::vector<std::string> mtevalWords(std::string_view line, const MtevalOptions& options) {
  checkUtf8(line);
  std::string text = withoutEntities(line, options.international);
  if (!options.caseSensitive) {
    if (options.international) {
      text = lowercased(text);
    } else {
      lowercaseAscii(text);
    }
  }
  std::u32string characters = decoded(text);
  characters = options.international
                   ? withUnicodeMarksApart(std::move(characters))
                   : withStopsApart(U' ' + withEachApart(characters, isAlwaysApart) + U' ');
  std::string words;
  for (const char32_t c : characters) appendUtf8(words, c);
  return wordsOf(words);
}

}  // namespace strata
