#include "core/metrics/tokenizers.h"

#include <unicode/uchar.h>

#include <array>
#include <cstdint>

#include "core/base/utf8.h"
#include "core/metrics/marks.h"
#include "core/metrics/metric.h"
#include "core/metrics/python_text.h"
#include "core/text/replace.h"

namespace strata {
namespace {

// sacreBLEU's tokenizers are chains of replacements that only insert spaces into the line. Their
// combined result is decided here at each character from its neighbours, in one pass.
enum class Kind : std::uint8_t {
  kOther,
  kSpace,
  kNumber,
  kAlone,  // a separate word
  kStop,   // a separate word unless next to numbers
  kDash    // a separate word after a number
};

// The character kinds of a tokenizer, those of ASCII in a table.
class Kinds {
 public:
  using KindOf = Kind (*)(char32_t);

  explicit Kinds(KindOf kindOf) : kindOf_(kindOf) {
    for (std::size_t code = 0; code < ascii_.size(); ++code)
      ascii_[code] = kindOf(static_cast<char32_t>(code));
  }

  // The kind of the character at text[position]; moves `position` past it. `text` is valid UTF-8.
  Kind next(std::string_view text, std::size_t& position) const {
    const auto byte = static_cast<unsigned char>(text[position]);
    if (byte >= ascii_.size()) return kindOf_(decodeUtf8(text, position));
    ++position;
    return ascii_[byte];
  }

 private:
  KindOf kindOf_;
  std::array<Kind, 128> ascii_{};
};

// The rules for stops are, first: one after anything but a number is split off on both sides,
// unless the character before is a stop that was split off. Then: one before anything but a number
// is split off. `edge` is what the tool sees on either side of the line: a space if it has inserted
// one, otherwise nothing matches its rules, as if there were a number.
void cut(std::string_view text, const Kinds& kinds, Kind edge,
         std::vector<std::string_view>& words) {
  std::size_t wordStart = 0;
  const auto take = [&](std::size_t end) {
    if (end > wordStart) words.push_back(text.substr(wordStart, end - wordStart));
    wordStart = end;
  };
  Kind before = edge;
  bool setApart = false;  // the previous stop was split off by the first rule
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    const Kind kind = kinds.next(text, i);
    bool alone =
        kind == Kind::kAlone || (kind == Kind::kDash && before == Kind::kNumber && start > 0);
    if (kind == Kind::kStop) {
      setApart = before != Kind::kNumber && !setApart;
      std::size_t ahead = i;
      const Kind after = i < text.size() ? kinds.next(text, ahead) : edge;
      alone = setApart || after != Kind::kNumber;
    } else {
      setApart = false;
    }
    if (kind == Kind::kSpace) {
      take(start);
      wordStart = i;
    } else if (alone) {
      take(start);
      take(i);
    }
    before = kind;
  }
  take(text.size());
}

Kind kindBySpace(char32_t code) {
  return isPythonSpace(code) ? Kind::kSpace : Kind::kOther;
}

// 13a and zh: their rules name ASCII only.
Kind westernKind(char32_t code) {
  if (isPythonSpace(code)) return Kind::kSpace;
  if (isDigit(code)) return Kind::kNumber;
  if (isStop(code)) return Kind::kStop;
  if (code == '-') return Kind::kDash;
  return isAsciiMark(code) && code != '\'' ? Kind::kAlone : Kind::kOther;
}

Kind internationalKind(char32_t code) {
  if (isPythonSpace(code)) return Kind::kSpace;
  const auto category = U_GET_GC_MASK(static_cast<UChar32>(code));
  if ((category & U_GC_P_MASK) != 0) return Kind::kStop;
  if ((category & U_GC_N_MASK) != 0) return Kind::kNumber;
  return (category & U_GC_S_MASK) != 0 ? Kind::kAlone : Kind::kOther;
}

void cut13a(std::string_view line, LineWords& out) {
  static const Kinds kinds(westernKind);
  const auto has = [&](char c) { return line.find(c) != std::string_view::npos; };
  if (has('<') || has('&') || has('\n')) {
    std::string& text = out.rewritten;
    text = line;
    replaceAll(text, "<skipped>", "");
    replaceAll(text, "-\n", "");
    replaceAll(text, "\n", " ");
    decodeEntities(text);
    line = text;
  }
  cut(line, kinds, Kind::kSpace, out.words);
}

void cutInternational(std::string_view line, LineWords& out) {
  static const Kinds kinds(internationalKind);
  cut(line, kinds, Kind::kNumber, out.words);
}

void cutAtSpace(std::string_view line, LineWords& out) {
  static const Kinds kinds(kindBySpace);
  cut(line, kinds, Kind::kSpace, out.words);
}

void cutCharacters(std::string_view line, LineWords& out) {
  forEachCharacter(line, [&](char32_t code, std::string_view bytes) {
    if (!isPythonSpace(code)) out.words.push_back(bytes);
  });
}

// The characters that sacreBLEU's zh treats as Chinese. Two of its ranges, meant for characters
// above U+FFFF, are read by Python as U+2001-U+2A6D and U+2F81-U+2FA1; they are kept, since the
// scores depend on them.
bool isChinese(char32_t code) {
  constexpr CodeRange ranges[] = {
      {0x3400, 0x4DB5}, {0x4E00, 0x9FA5}, {0x9FA6, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
      {0xFA70, 0xFAD9}, {0x2001, 0x2A6D}, {0x2F81, 0x2FA1}, {0xFF00, 0xFFEF}, {0x2E80, 0x2EFF},
      {0x3000, 0x303F}, {0x31C0, 0x31EF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3100, 0x312F},
      {0x31A0, 0x31BF}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0x2600, 0x26FF}, {0x2700, 0x27BF},
      {0x3200, 0x32FF}, {0x3300, 0x33FF}};
  return isIn(ranges, code);
}

// Chinese characters become words before the western rules, which see the inserted spaces.
void cutChinese(std::string_view line, LineWords& out) {
  static const Kinds kinds(westernKind);
  std::string& text = out.rewritten;
  text.clear();
  appendWithApart(withoutStartSpace(line), isChinese, text);
  cut(text, kinds, Kind::kNumber, out.words);
}

}  // namespace

void splitBleuWords(std::string_view line, BleuTokenizer tokenizer, bool lowercase,
                    LineWords& out) {
  checkUtf8(line);
  out.words.clear();
  if (lowercase) {
    pythonLower(line, out.lower);
    line = out.lower;
  }
  line = withoutEndSpace(line);
  switch (tokenizer) {
    case BleuTokenizer::k13a:
      return cut13a(line, out);
    case BleuTokenizer::kInternational:
      return cutInternational(line, out);
    case BleuTokenizer::kCharacter:
      return cutCharacters(line, out);
    case BleuTokenizer::kChinese:
      return cutChinese(line, out);
    case BleuTokenizer::kNone:
      return cutAtSpace(line, out);
  }
}

std::vector<std::string> bleuWords(std::string_view line, BleuTokenizer tokenizer, bool lowercase) {
  LineWords split;
  splitBleuWords(line, tokenizer, lowercase, split);
  return {split.words.begin(), split.words.end()};
}

}  // namespace strata
