#include "core/metrics/tokenizers.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>

#include "core/base/error.h"
#include "core/metrics/marks.h"
#include "core/metrics/python_text.h"
#include "core/text/replace.h"

namespace strata {
namespace {

// One character of a line: its code point and where its bytes are.
struct Character {
  UChar32 code;
  std::string_view bytes;
};

class Characters {
 public:
  explicit Characters(std::string_view text) : text_(text) {}

  bool next(Character& character) {
    if (at_ >= text_.size()) return false;
    const std::size_t start = at_;
    if (const auto byte = static_cast<unsigned char>(text_[at_]); byte < 0x80) {
      ++at_;
      character = {byte, text_.substr(start, 1)};
      return true;
    }
    UChar32 code = 0;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text_.data());
    U8_NEXT(bytes, at_, text_.size(), code);
    if (code < 0) throw Error("byte {} of the line is not UTF-8", start);
    character = {code, text_.substr(start, at_ - start)};
    return true;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

std::string_view withoutEndSpace(std::string_view line) {
  Characters characters(line);
  std::size_t end = 0;
  for (Character c; characters.next(c);) {
    if (!isPythonSpace(static_cast<char32_t>(c.code)))
      end = static_cast<std::size_t>(c.bytes.data() + c.bytes.size() - line.data());
  }
  return line.substr(0, end);
}

std::vector<std::string> splitAtSpace(std::string_view line) {
  std::vector<std::string> words;
  std::size_t start = 0;
  const auto take = [&](std::size_t end) {
    if (end > start) words.emplace_back(line.substr(start, end - start));
  };
  Characters characters(line);
  for (Character c; characters.next(c);) {
    if (!isPythonSpace(static_cast<char32_t>(c.code))) continue;
    const auto at = static_cast<std::size_t>(c.bytes.data() - line.data());
    take(at);
    start = at + c.bytes.size();
  }
  take(line.size());
  return words;
}

// ASCII punctuation that 13a always splits off: all but . , - ' and the digits' neighbours.
bool isAlwaysSplit(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

// Rewrites every pair of neighbours that `matches`, left to right, a character belonging to one
// pair only.
template <typename Matches, typename Write>
std::string rewritePairs(const std::string& text, Matches matches, Write write) {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  std::size_t i = 0;
  for (; i + 1 < text.size();) {
    if (matches(text[i], text[i + 1])) {
      write(out, text[i], text[i + 1]);
      i += 2;
    } else {
      out += text[i++];
    }
  }
  if (i < text.size()) out += text[i];
  return out;
}

// The rules that 13a and zh share. Bytes may stand for characters here: every rule names ASCII
// only, and a negated class takes a byte of a longer character as it would take the whole.
std::string splitWesternPunctuation(const std::string& line) {
  std::string text;
  text.reserve(line.size() * 2);
  for (const char c : line) {
    if (isAlwaysSplit(c)) {
      text += ' ';
      text += c;
      text += ' ';
    } else {
      text += c;
    }
  }
  text = rewritePairs(
      text, [](char a, char b) { return !isDigit(a) && isStop(b); },
      [](std::string& out, char a, char b) {
        out.append({a, ' ', b, ' '});
      });
  text = rewritePairs(
      text, [](char a, char b) { return isStop(a) && !isDigit(b); },
      [](std::string& out, char a, char b) {
        out.append({' ', a, ' ', b});
      });
  return rewritePairs(
      text, [](char a, char b) { return isDigit(a) && b == '-'; },
      [](std::string& out, char a, char b) {
        out.append({a, ' ', b, ' '});
      });
}

std::vector<std::string> words13a(std::string_view line) {
  std::string text(line);
  replaceAll(text, "<skipped>", "");
  replaceAll(text, "-\n", "");
  replaceAll(text, "\n", " ");
  if (text.find('&') != std::string::npos) {
    replaceAll(text, "&quot;", "\"");
    replaceAll(text, "&amp;", "&");
    replaceAll(text, "&lt;", "<");
    replaceAll(text, "&gt;", ">");
  }
  return splitAtSpace(splitWesternPunctuation(" " + text + " "));
}

bool isPunctuation(UChar32 code) {
  return (U_GET_GC_MASK(code) & U_GC_P_MASK) != 0;
}
bool isNumber(UChar32 code) {
  return (U_GET_GC_MASK(code) & U_GC_N_MASK) != 0;
}
bool isSymbol(UChar32 code) {
  return (U_GET_GC_MASK(code) & U_GC_S_MASK) != 0;
}

// Rewrites pairs of characters as rewritePairs does for bytes.
template <typename Matches>
std::string separatePairs(const std::string& text, Matches matches, bool spaceInFront) {
  std::vector<Character> all;
  all.reserve(text.size());
  Characters characters(text);
  for (Character c; characters.next(c);) all.push_back(c);
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i + 1 >= all.size() || !matches(all[i].code, all[i + 1].code)) {
      out += all[i].bytes;
      continue;
    }
    if (spaceInFront) out += ' ';
    out.append(all[i].bytes).append(" ").append(all[i + 1].bytes);
    if (!spaceInFront) out += ' ';
    ++i;
  }
  return out;
}

std::vector<std::string> wordsInternational(std::string_view line) {
  std::string text = separatePairs(
      std::string(line), [](UChar32 a, UChar32 b) { return !isNumber(a) && isPunctuation(b); },
      false);
  text = separatePairs(
      text, [](UChar32 a, UChar32 b) { return isPunctuation(a) && !isNumber(b); }, true);
  std::string out;
  Characters characters(text);
  for (Character c; characters.next(c);) {
    if (isSymbol(c.code)) {
      out.append(" ").append(c.bytes).append(" ");
    } else {
      out += c.bytes;
    }
  }
  return splitAtSpace(out);
}

std::vector<std::string> wordsCharacter(std::string_view line) {
  std::vector<std::string> words;
  Characters characters(line);
  for (Character c; characters.next(c);) {
    if (!isPythonSpace(static_cast<char32_t>(c.code))) words.emplace_back(c.bytes);
  }
  return words;
}

// The characters that sacreBLEU's zh takes for Chinese. Two of its ranges, meant for characters
// above U+FFFF, are read by Python as U+2001-U+2A6D and U+2F81-U+2FA1; they are kept, since the
// scores depend on them.
bool isChinese(UChar32 code) {
  constexpr std::pair<UChar32, UChar32> ranges[] = {
      {0x3400, 0x4DB5}, {0x4E00, 0x9FA5}, {0x9FA6, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
      {0xFA70, 0xFAD9}, {0x2001, 0x2A6D}, {0x2F81, 0x2FA1}, {0xFF00, 0xFFEF}, {0x2E80, 0x2EFF},
      {0x3000, 0x303F}, {0x31C0, 0x31EF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3100, 0x312F},
      {0x31A0, 0x31BF}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0x2600, 0x26FF}, {0x2700, 0x27BF},
      {0x3200, 0x32FF}, {0x3300, 0x33FF}};
  return std::any_of(std::begin(ranges), std::end(ranges), [&](const auto& range) {
    return code >= range.first && code <= range.second;
  });
}

std::string_view withoutStartSpace(std::string_view line) {
  Characters characters(line);
  for (Character c; characters.next(c);) {
    if (!isPythonSpace(static_cast<char32_t>(c.code)))
      return line.substr(static_cast<std::size_t>(c.bytes.data() - line.data()));
  }
  return {};
}

std::vector<std::string> wordsChinese(std::string_view line) {
  std::string text;
  Characters characters(withoutStartSpace(line));
  for (Character c; characters.next(c);) {
    if (isChinese(c.code)) {
      text.append(" ").append(c.bytes).append(" ");
    } else {
      text += c.bytes;
    }
  }
  return splitAtSpace(splitWesternPunctuation(text));
}

}  // namespace

std::vector<std::string> bleuWords(std::string_view line, BleuTokenizer tokenizer, bool lowercase) {
  std::string lower;
  if (lowercase) {
    pythonLower(line, lower);
    line = lower;
  }
  line = withoutEndSpace(line);
  switch (tokenizer) {
    case BleuTokenizer::k13a:
      return words13a(line);
    case BleuTokenizer::kInternational:
      return wordsInternational(line);
    case BleuTokenizer::kCharacter:
      return wordsCharacter(line);
    case BleuTokenizer::kChinese:
      return wordsChinese(line);
    case BleuTokenizer::kNone:
      return splitAtSpace(line);
  }
  return {};
}

std::string bleuTokenized(std::string_view line, BleuTokenizer tokenizer) {
  if (tokenizer == BleuTokenizer::kNone) return std::string(withoutEndSpace(line));
  std::string out;
  if (tokenizer ==
      BleuTokenizer::kCharacter) {  // white space counts as characters until the words are split
    Characters characters(withoutEndSpace(line));
    for (Character c; characters.next(c);) out.append(out.empty() ? "" : " ").append(c.bytes);
    return out;
  }
  for (const std::string& word : bleuWords(line, tokenizer, false))
    out.append(out.empty() ? "" : " ").append(word);
  return out;
}

}  // namespace strata
