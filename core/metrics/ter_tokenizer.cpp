#include "core/metrics/ter_tokenizer.h"

#include <utility>

#include "core/base/utf8.h"
#include "core/metrics/marks.h"
#include "core/metrics/python_text.h"
#include "core/text/replace.h"

namespace strata {
namespace {

// The characters that become separate words with `asianSupport`: ideographs, radicals, strokes,
// compatibility forms. The third range is meant to end at U+32FF; sacreBLEU has U+3F22, and scores
// do not depend on it because U+3300-U+4DBF are split anyway. Its rules for kana look for them at
// the very start of the line, where there is always a space by then: they never apply.
bool isAsianWord(char32_t code) {
  constexpr CodeRange ranges[] = {{0x2E80, 0x2EFF}, {0x31C0, 0x31EF}, {0x3200, 0x4DBF},
                                  {0x4E00, 0x9FFF}, {0xF900, 0xFAFF}, {0xFE30, 0xFE4F}};
  return isIn(ranges, code);
}

// CJK and full-width punctuation.
bool isAsianPunctuation(char32_t code) {
  constexpr CodeRange ranges[] = {{0x3001, 0x3002}, {0x3008, 0x3011}, {0x3014, 0x301F},
                                  {0x30FB, 0x30FB}, {0xFF01, 0xFF02}, {0xFF08, 0xFF09},
                                  {0xFF0C, 0xFF0C}, {0xFF0E, 0xFF0E}, {0xFF1A, 0xFF1B},
                                  {0xFF1F, 0xFF1F}, {0xFF61, 0xFF65}};
  return isIn(ranges, code);
}

std::string normalized(std::string_view line) {
  std::string text(line);
  replaceAll(text, "\n-", "");
  replaceAll(text, "\n", " ");
  decodeEntities(text);
  text = " " + withEachApart(text, isAlwaysApart) + " ";
  replaceAll(text, "'s ", " 's ");
  return withStopsApart(std::move(text));
}

std::string withAsianWordsApart(const std::string& text) {
  std::string out;
  appendWithApart(
      text, [](char32_t code) { return isAsianWord(code) || isAsianPunctuation(code); }, out);
  return out;
}

std::string withoutPunctuation(const std::string& text, bool asian) {
  constexpr std::string_view removed = ".,?:;!\"()";
  std::string out;
  forEachCharacter(text, [&](char32_t code, std::string_view bytes) {
    const bool western = code < 0x80 && removed.find(bytes[0]) != std::string_view::npos;
    if (!western && !(asian && isAsianPunctuation(code))) out += bytes;
  });
  return out;
}

std::string joinedWords(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool between = false;
  forEachCharacter(text, [&](char32_t code, std::string_view bytes) {
    if (isPythonSpace(code)) {
      between = true;
      return;
    }
    if (between && !out.empty()) out += ' ';
    between = false;
    out += bytes;
  });
  return out;
}

}  // namespace

std::string terTokenized(std::string_view line, const TerOptions& options) {
  checkUtf8(line);
  line = withoutEndSpace(line);
  if (line.empty()) return "";
  std::string text(line);
  if (!options.caseSensitive) pythonLower(line, text);
  if (options.normalized) {
    text = normalized(text);
    if (options.asianSupport) text = withAsianWordsApart(text);
  }
  if (options.noPunctuation) text = withoutPunctuation(text, options.asianSupport);
  return joinedWords(text);
}

}  // namespace strata
