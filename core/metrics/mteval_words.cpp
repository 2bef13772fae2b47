#include "core/metrics/mteval_words.h"

#include <unicode/uchar.h>

#include <cstdint>
#include <utility>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/metrics/marks.h"
#include "core/text/casing.h"
#include "core/text/character_classes.h"

namespace strata {
namespace {

constexpr std::uint8_t kUnicodeMajor = 14;

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

// ASCII punctuation that is always a separate word: all but . , - and the apostrophe.
bool isAlwaysSplit(char32_t c) {
  return (c >= U' ' && c <= U'/' && c != U'\'' && c != U'-' && !isStop(c)) ||
         (c >= U':' && c <= U'@') || (c >= U'[' && c <= U'`') || (c >= U'{' && c <= U'~');
}

// The script decodes the entities of its input once. Escaping a line and decoding it gives the line
// back; text that looked like an entity before is first unescaped and then decoded, if its name
// comes after the ampersand's in the script's order. So &quot; and &amp; stay.
std::string withoutEntities(std::string_view line, bool international) {
  std::string text(line);
  if (text.find('&') == std::string::npos) return text;
  const auto replaceAll = [&](std::string_view from, char to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
      text.replace(at, from.size(), 1, to);
    }
  };
  replaceAll("&lt;", '<');
  replaceAll("&gt;", '>');
  if (international) replaceAll("&apos;", '\'');
  return text;
}

void lowercaseAscii(std::string& text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
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

// Inserts a space between matching pairs of neighbours.
enum class Around { kBefore, kBehind };

// Left to right; a character belongs to one pair only.
template <typename Matches>
void splitPairs(std::u32string& text, Around around, Matches matches) {
  std::u32string out;
  out.reserve(text.size() + text.size() / 4);
  std::size_t i = 0;
  while (i + 1 < text.size()) {
    if (!matches(text[i], text[i + 1])) {
      out += text[i++];
      continue;
    }
    if (around == Around::kBefore) out += U' ';
    out += text[i];
    out += U' ';
    out += text[i + 1];
    if (around == Around::kBehind) out += U' ';
    i += 2;
  }
  if (i < text.size()) out += text[i];
  text = std::move(out);
}

template <typename Matches>
void splitEach(std::u32string& text, Matches matches) {
  std::u32string out;
  out.reserve(text.size() + text.size() / 4);
  for (const char32_t c : text) {
    if (matches(c)) {
      out += {U' ', c, U' '};
    } else {
      out += c;
    }
  }
  text = std::move(out);
}

// Punctuation of Western languages; . and , stay between digits, - unless after a digit.
void splitDefault(std::u32string& text) {
  text = U' ' + text + U' ';  // so that stops at both ends have a neighbour
  splitEach(text, isAlwaysSplit);
  splitPairs(text, Around::kBehind,
             [](char32_t a, char32_t b) { return !isDigit(a) && isStop(b); });
  splitPairs(text, Around::kBefore,
             [](char32_t a, char32_t b) { return isStop(a) && !isDigit(b); });
  splitPairs(text, Around::kBehind, [](char32_t a, char32_t b) { return isDigit(a) && b == U'-'; });
}

// Unicode punctuation unless it has numbers on both sides (the line's ends count as numbers), and
// symbols.
void splitInternational(std::u32string& text) {
  splitPairs(text, Around::kBehind,
             [](char32_t a, char32_t b) { return !isNumber(a) && isPunctuation(b); });
  splitPairs(text, Around::kBefore,
             [](char32_t a, char32_t b) { return isPunctuation(a) && !isNumber(b); });
  splitEach(text, isSymbol);
}

}  // namespace

std::vector<std::string> mtevalWords(std::string_view line, const MtevalOptions& options) {
  if (const auto bad = firstInvalidUtf8(line))
    throw Error("byte {} of the line is not UTF-8", *bad);
  std::string text = withoutEntities(line, options.international);
  if (!options.caseSensitive) {
    if (options.international) {
      text = lowercased(text);
    } else {
      lowercaseAscii(text);
    }
  }
  std::u32string characters = decoded(text);
  if (options.international) {
    splitInternational(characters);
  } else {
    splitDefault(characters);
  }
  std::vector<std::string> words;
  bool inside = false;
  for (const char32_t c : characters) {
    if (c == U' ') {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    appendUtf8(words.back(), c);
  }
  return words;
}

}  // namespace strata
