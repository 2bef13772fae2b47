#include "core/text/tokenizer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/text/dot_runs.h"
#include "core/text/replace.h"

// Moses's tokenizer.perl is a list of substitutions, each over the full line. Every step here is
// one of them (or several that do not interact), and a step whose trigger is not in the line is
// skipped.

namespace strata {
namespace {

using detail::kDotMark;
using detail::kRunDot;
using detail::markDotRuns;
using detail::markDotRunsLiterally;
using detail::restoreDotRunsLiterally;

bool contains(std::string_view text, char c) {
  return std::memchr(text.data(), c, text.size()) != nullptr;
}

// ASCII characters that need no space around them: letters, digits, space . ' ` , -
constexpr std::array<bool, 128> kPlainAscii = [] {
  std::array<bool, 128> plain{};
  for (char c = '0'; c <= '9'; ++c) plain[static_cast<unsigned char>(c)] = true;
  for (char c = 'a'; c <= 'z'; ++c) plain[static_cast<unsigned char>(c)] = true;
  for (char c = 'A'; c <= 'Z'; ++c) plain[static_cast<unsigned char>(c)] = true;
  for (const char c : {' ', '.', '\'', '`', ',', '-'}) plain[static_cast<unsigned char>(c)] = true;
  return plain;
}();

constexpr std::array<std::string_view, 128> kEscapes = [] {
  std::array<std::string_view, 128> entities{};
  entities['&'] = "&amp;";
  entities['|'] = "&#124;";
  entities['<'] = "&lt;";
  entities['>'] = "&gt;";
  entities['\''] = "&apos;";
  entities['"'] = "&quot;";
  entities['['] = "&#91;";
  entities[']'] = "&#93;";
  return entities;
}();

// Writes entities (if requested) and the full stops of runs.
void finish(std::string_view text, bool escape, std::string& out) {
  out.clear();
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    std::string_view replacement;
    if (text[i] == kRunDot) {
      replacement = ".";
    } else if (escape && byte < 0x80) {
      replacement = kEscapes[byte];
    }
    if (replacement.empty()) continue;
    out.append(text, begin, i - begin);
    out += replacement;
    begin = i + 1;
  }
  out.append(text, begin);
}

// What may be next to a mark for a substitution to apply: any of (or, if negated, none of) the
// classes.
struct Neighbour {
  std::uint8_t flags;
  bool negated = false;
  bool accepts(char32_t codePoint, const CharacterClasses& classes) const {
    return classes.is(codePoint, flags) != negated;
  }
};

// Perl's s/([before])MARK([after])/$1 SEPARATED $2/g: both neighbours are consumed, so matches
// never overlap.
struct BetweenRule {
  Neighbour before;
  Neighbour after;
  std::string_view replacement;
  bool afterIsS = false;  // only the letter s may follow
};

void substituteApostrophes(std::string& text, std::string& scratch, const BetweenRule& rule,
                           const CharacterClasses& classes) {
  scratch.clear();
  std::size_t begin = 0;  // end of the last match
  for (std::size_t mark = text.find('\''); mark != std::string::npos;
       mark = text.find('\'', mark + 1)) {
    if (mark <= begin || mark + 1 >= text.size()) continue;
    std::size_t before = mark;
    std::size_t after = mark + 1;
    if (!rule.before.accepts(decodeUtf8Before(text, before), classes)) continue;
    if (!rule.after.accepts(decodeUtf8(text, after), classes)) continue;
    if (rule.afterIsS && text[mark + 1] != 's') continue;
    scratch.append(text, begin, mark - begin);
    scratch += rule.replacement;
    scratch.append(text, mark + 1, after - mark - 1);
    begin = after;
    mark = after - 1;
  }
  if (begin == 0) return;
  scratch.append(text, begin);
  text.swap(scratch);
}

}  // namespace

Tokenizer::Tokenizer(TokenizerOptions options)
    : options_(std::move(options)), prefixes_(options_.language) {
  const std::string& language = options_.language;
  if (language == "en") {
    apostrophe_ = Apostrophe::kEnglish;
  } else if (language == "fr" || language == "it" || language == "ga" || language == "ca") {
    apostrophe_ = Apostrophe::kLeft;
  } else if (language == "so" || language == "tdt") {
    apostrophe_ = Apostrophe::kGlottal;
  } else {
    apostrophe_ = Apostrophe::kAlone;
  }
  colonInWords_ = language == "fi" || language == "sv";
  middleDotInWords_ = language == "ca";
  glottalInWords_ = language == "tdt";
}

void Tokenizer::tokenize(std::string_view line, std::string& out) const {
  if (isBlank(line)) {
    out.assign(line);
    return;
  }
  thread_local std::string text, scratch;
  if (mayNeedCollapsing(line)) {
    collapseWhiteSpace(line, scratch, [](char32_t c) { return c < 0x20; });  // control characters
    separateSpecials(scratch, text);
  } else {
    separateSpecials(line, text);
  }
  if (options_.aggressive && contains(text, '-')) splitHyphens(text, scratch);
  const bool holdsMark = text.find(kDotMark) != std::string::npos;
  if (holdsMark) {
    markDotRunsLiterally(text);
  } else if (text.find("..") != std::string::npos) {
    markDotRuns(text, scratch);
  }
  if (contains(text, ',')) splitCommas(text, scratch);
  if (contains(text, '\'')) splitApostrophes(text, scratch);
  splitFullStops(text, scratch);
  // A full stop and apostrophe at the end; the space after it is the reference's.
  if (scratch.ends_with(".'")) scratch.replace(scratch.size() - 2, 2, " . ' ");
  if (holdsMark) restoreDotRunsLiterally(scratch);
  finish(scratch, options_.escape, out);
}

// Spaces around every character that is not alphanumeric, a space or one of . ' ` , - (or allowed
// inside words by the language).
void Tokenizer::separateSpecials(std::string_view text, std::string& out) const {
  const auto surround = [&](std::string_view character) {
    out.push_back(' ');
    out += character;
    out.push_back(' ');
  };
  const auto lowercaseFollows = [&](std::size_t next) {
    return next < text.size() && classes_.is(decodeUtf8(text, next), kLowercaseLetter);
  };
  out.clear();
  std::size_t plain = 0;  // begin of the text not yet copied
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      ++i;
      if (byte == ':' && colonInWords_      ? lowercaseFollows(i)
          : byte == '\'' && glottalInWords_ ? lowercaseFollows(i)
                                            : kPlainAscii[byte]) {
        continue;
      }
    } else {
      const char32_t codePoint = decodeUtf8(text, i);
      if (middleDotInWords_ && codePoint == 0xB7) {
        // The reference treats the two bytes of the dot as characters: its rule applies only after
        // U+00C2.
        const bool afterMark = begin >= plain + 2 && text.substr(begin - 2, 2) == "\u00C2";
        if (!afterMark || lowercaseFollows(i)) continue;
        out.append(text, plain, begin - 2 - plain);
        surround(text.substr(begin - 2, i - begin + 2));
        plain = i;
        continue;
      }
      if (classes_.is(codePoint, kAlphanumeric)) continue;
    }
    out.append(text, plain, begin - plain);
    surround(text.substr(begin, i - begin));
    plain = i;
  }
  out.append(text, plain);
}

void Tokenizer::splitHyphens(std::string& text, std::string& scratch) const {
  scratch.clear();
  std::size_t begin = 0;
  for (std::size_t hyphen = text.find('-'); hyphen != std::string::npos;
       hyphen = text.find('-', hyphen + 1)) {
    if (hyphen == 0 || hyphen + 1 >= text.size()) continue;
    std::size_t before = hyphen;
    std::size_t after = hyphen + 1;
    if (!classes_.is(decodeUtf8Before(text, before), kAlphanumeric)) continue;
    if (!classes_.is(decodeUtf8(text, after), kAlphanumeric)) continue;
    scratch.append(text, begin, hyphen - begin);
    scratch += " @-@ ";
    begin = hyphen + 1;
  }
  if (begin == 0) return;
  scratch.append(text, begin);
  text.swap(scratch);
}

// Commas become separate tokens except between numbers.
void Tokenizer::splitCommas(std::string& text, std::string& scratch) const {
  // 1. After anything but a number; the character before is consumed.
  scratch.clear();
  std::size_t begin = 0;
  for (std::size_t comma = text.find(','); comma != std::string::npos;
       comma = text.find(',', comma + 1)) {
    if (comma <= begin) continue;
    std::size_t before = comma;
    if (classes_.is(decodeUtf8Before(text, before), kNumber)) continue;
    scratch.append(text, begin, comma - begin);
    scratch += " , ";
    begin = comma + 1;
  }
  scratch.append(text, begin);
  // 2. Before anything but a number; the character after is consumed.
  text.clear();
  begin = 0;
  for (std::size_t comma = scratch.find(','); comma != std::string::npos;
       comma = scratch.find(',', comma + 1)) {
    if (comma < begin || comma + 1 >= scratch.size()) continue;
    std::size_t after = comma + 1;
    if (classes_.is(decodeUtf8(scratch, after), kNumber)) continue;
    text.append(scratch, begin, comma - begin);
    text += " , ";
    text.append(scratch, comma + 1, after - comma - 1);
    begin = after;
  }
  text.append(scratch, begin);
  // 3. After a number at the end of the line.
  if (text.size() >= 2 && text.back() == ',') {
    std::size_t before = text.size() - 1;
    if (classes_.is(decodeUtf8Before(text, before), kNumber))
      text.replace(text.size() - 1, 1, " ,");
  }
}

void Tokenizer::splitApostrophes(std::string& text, std::string& scratch) const {
  constexpr Neighbour kLetter{kAlphabetic};
  constexpr Neighbour kNoLetter{kAlphabetic, true};
  constexpr Neighbour kNeither{kAlphabetic | kNumber, true};
  constexpr Neighbour kDigit{kNumber};
  const auto apply = [&](const BetweenRule& rule) {
    substituteApostrophes(text, scratch, rule, classes_);
  };
  switch (apostrophe_) {
    case Apostrophe::kEnglish:
      apply({kNoLetter, kNoLetter, " ' "});
      apply({kNeither, kLetter, " ' "});
      apply({kLetter, kNoLetter, " ' "});
      apply({kLetter, kLetter, " '"});
      apply({.before = kDigit, .after = kLetter, .replacement = " '", .afterIsS = true});
      break;
    case Apostrophe::kLeft:
    case Apostrophe::kGlottal:
      apply({kNoLetter, kNoLetter, " ' "});
      apply({kNoLetter, kLetter, " ' "});
      apply({kLetter, kNoLetter, " ' "});
      if (apostrophe_ == Apostrophe::kLeft) apply({kLetter, kLetter, "' "});
      break;
    case Apostrophe::kAlone:
      replaceAll(text, "'", " ' ", scratch);
      break;
  }
}

// Joins the words with one space and separates the full stop of words that do not keep it.
void Tokenizer::splitFullStops(std::string_view text, std::string& out) const {
  out.clear();
  std::size_t end = text.size();
  while (end > 0 && text[end - 1] == ' ') --end;
  text = text.substr(0, end);
  for (std::size_t begin = 0; begin < text.size();) {
    if (text[begin] == ' ') {
      ++begin;
      continue;
    }
    const std::size_t space = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, space - begin);
    if (!out.empty()) out.push_back(' ');
    out += word;
    if (word.size() > 1 && word.back() == '.') {
      const bool last = space == text.size();
      if (last || !keepsFullStop(word.substr(0, word.size() - 1), text.substr(space + 1))) {
        out.replace(out.size() - 1, 1, " .");
      }
    }
    begin = space + 1;
  }
}

// Whether a word (given without its full stop) keeps it; `next` is the text after the word and one
// space.
bool Tokenizer::keepsFullStop(std::string_view word, std::string_view next) const {
  if (contains(word, '.')) {
    for (std::size_t i = 0; i < word.size();) {
      if (classes_.is(decodeUtf8(word, i), kAlphabetic)) return true;
    }
  }
  const NonbreakingPrefixes::Kind kind = prefixes_.find(word);
  if (kind == NonbreakingPrefixes::Kind::kAlways) return true;
  if (next.empty()) return false;
  std::size_t position = 0;
  if (classes_.is(decodeUtf8(next, position), kLowercase)) return true;
  return kind == NonbreakingPrefixes::Kind::kBeforeNumber && next.front() >= '0' &&
         next.front() <= '9';
}

}  // namespace strata
