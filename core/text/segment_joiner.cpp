#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <map>

#include "core/base/utf8.h"
#include "core/text/segmentation.h"
#include "core/text/words.h"

namespace strata {
namespace {

// How a character takes to a space next to it.
enum class Edge {
  kWord,     // a letter or digit of a script with spaces, and all that is named nowhere below
  kWide,     // never: Chinese, Japanese, full-width characters, emoji
  kComplex,  // not among themselves: Thai, Lao, Khmer, Burmese
  kOpening,  // not after it
  kClosing,  // not before it
  kJoining,  // neither: a-b, a/b, AT&T
  kQuote     // opening and closing alternate
};

bool isJoiningMark(char32_t c) {
  return std::u32string_view(U"/&_~+=*^|\\@\u00B7").find(c) != std::u32string_view::npos;
}

Edge edgeOf(char32_t character) {
  const auto c = static_cast<UChar32>(character);
  const auto width = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
  const bool hangul = u_getIntPropertyValue(c, UCHAR_SCRIPT) == USCRIPT_HANGUL;
  if (u_getIntPropertyValue(c, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT) return Edge::kComplex;
  if (!hangul && (width == U_EA_WIDE || width == U_EA_FULLWIDTH || isUnspacedLetter(character)))
    return Edge::kWide;
  if (character == '"' || character == '\'') return Edge::kQuote;
  if (isJoiningMark(character)) return Edge::kJoining;
  switch (u_charType(c)) {
    case U_START_PUNCTUATION:
    case U_INITIAL_PUNCTUATION:
    case U_CURRENCY_SYMBOL:
      return Edge::kOpening;
    case U_END_PUNCTUATION:
    case U_FINAL_PUNCTUATION:
    case U_OTHER_SYMBOL:
      return Edge::kClosing;
    case U_OTHER_PUNCTUATION:
      return character == '#' || character == 0xBF || character == 0xA1 ? Edge::kOpening
                                                                        : Edge::kClosing;
    case U_DASH_PUNCTUATION:
      return Edge::kJoining;
    default:
      return Edge::kWord;
  }
}

bool isMark(char32_t c) {
  const auto mask = U_GET_GC_MASK(static_cast<UChar32>(c));
  return (mask & (U_GC_MN_MASK | U_GC_ME_MASK | U_GC_CF_MASK)) != 0;
}

Edge firstEdge(std::string_view word) {
  std::size_t position = 0;
  return edgeOf(decodeUtf8(word, position));
}

// Of the last character, which combining marks may follow.
Edge lastEdge(std::string_view word) {
  std::size_t position = word.size();
  char32_t last = decodeUtf8Before(word, position);
  while (position > 0 && isMark(last)) last = decodeUtf8Before(word, position);
  return edgeOf(last);
}

bool isAsciiDigit(char c) {
  return c >= '0' && c <= '9';
}

// Joins words from left to right.
class Joiner {
 public:
  explicit Joiner(std::string& out) : out_(out) {}

  void add(std::string_view word) {
    Edge first = firstEdge(word), last = lastEdge(word);
    if (first == Edge::kQuote && word.size() == 1) {
      bool& open = open_[word.front()];
      first = last = open ? Edge::kClosing : Edge::kOpening;
      open = !open;
    }
    if (!out_.empty() && wantsSpace(first) && !isTime(word)) out_.push_back(' ');
    out_ += word;
    afterDigit_ = last_ == Edge::kWord && isAsciiDigit(lastByte_) && word == ":";
    // A mark of ASCII after Chinese is one of Chinese.
    if (first != Edge::kClosing || last_ != Edge::kWide) last_ = last;
    lastByte_ = word.back();
  }

 private:
  bool wantsSpace(Edge next) const {
    if (last_ == Edge::kWide || next == Edge::kWide) return false;
    if (last_ == Edge::kComplex && next == Edge::kComplex) return false;
    return last_ != Edge::kOpening && last_ != Edge::kJoining && next != Edge::kClosing &&
           next != Edge::kJoining;
  }
  // Whether the word goes on with a time or a score: 10:30.
  bool isTime(std::string_view word) const { return afterDigit_ && isAsciiDigit(word.front()); }

  std::string& out_;
  Edge last_ = Edge::kWord;
  char lastByte_ = ' ';
  bool afterDigit_ = false;      // the last word is a colon after a digit
  std::map<char, bool> open_{};  // by quotation mark
};

}  // namespace

void joinSegments(std::string_view words, std::string& out) {
  out.clear();
  Joiner joiner(out);
  forEachWord(words, [&](std::string_view word) { joiner.add(word); });
}

}  // namespace strata
