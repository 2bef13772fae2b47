#include "core/text/punctuation.h"

#include <algorithm>
#include <cstddef>

#include "core/text/replace.h"

// The reference is a list of substitutions on bytes; their order is part of the result.

namespace strata {
namespace {

struct Replacement {
  std::string_view from;
  std::string_view to;
};

constexpr std::string_view kNoBreakSpace = "\u00A0";

void collapseSpaces(std::string& text) {
  if (text.find("  ") == std::string::npos) return;
  const auto both = [](char a, char b) { return a == ' ' && b == ' '; };
  text.erase(std::unique(text.begin(), text.end(), both), text.end());
}

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isSpace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
bool isEndMark(char c) {
  return std::string_view(".!:?;,").find(c) != std::string_view::npos;
}

// Perl's s/([x])MIDDLE([y])/$1TO$2/g: both neighbours are consumed, so matches never overlap.
template <typename Before, typename After>
void replaceBetween(std::string& text, std::string& scratch, const Replacement& rule, Before before,
                    After after) {
  std::size_t found = text.find(rule.from);
  if (found == std::string::npos) return;
  scratch.clear();
  std::size_t begin = 0;
  for (; found != std::string::npos; found = text.find(rule.from, found + 1)) {
    const std::size_t next = found + rule.from.size();
    if (found <= begin || next >= text.size() || !before(text[found - 1]) || !after(text[next]))
      continue;
    scratch.append(text, begin, found - begin);
    scratch += rule.to;
    scratch.push_back(text[next]);
    begin = next + 1;
  }
  scratch.append(text, begin);
  text.swap(scratch);
}

// Removes the spaces, except the first and last character, for whose position `matches` is true.
template <typename Matches>
void eraseSpaces(std::string& text, Matches matches) {
  std::size_t to = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    // Bytes before i move only to positions before i - 1, so `matches` sees the original text.
    if (text[i] == ' ' && i > 0 && i + 1 < text.size() && matches(i)) continue;
    text[to++] = text[i];
  }
  text.resize(to);
}

void normalizeSpacing(std::string& text, std::string& scratch) {
  if (text.find('\r') != std::string::npos) std::erase(text, '\r');
  replaceAll(text, "(", " (", scratch);
  replaceAll(text, ")", ") ", scratch);
  collapseSpaces(text);
  eraseSpaces(text, [&](std::size_t i) { return text[i - 1] == ')' && isEndMark(text[i + 1]); });
  replaceAll(text, "( ", "(", scratch);
  replaceAll(text, " )", ")", scratch);
  eraseSpaces(text, [&](std::size_t i) { return isDigit(text[i - 1]) && text[i + 1] == '%'; });
  replaceAll(text, " :", ":", scratch);
  replaceAll(text, " ;", ";", scratch);
}

void normalizeQuotes(std::string& text, std::string& scratch) {
  for (const Replacement& rule :
       {Replacement{"„", "\""}, {"“", "\""}, {"”", "\""}, {"–", "-"}, {"—", " - "}}) {
    replaceAll(text, rule.from, rule.to, scratch);
  }
  collapseSpaces(text);
  replaceAll(text, "´", "'", scratch);
  replaceBetween(text, scratch, {"‘", "'"}, isLetter, isLetter);
  replaceBetween(text, scratch, {"’", "'"}, isLetter, isLetter);
  for (const Replacement& rule : {Replacement{"‘", "'"}, {"‚", "'"}, {"’", "\""}}) {
    replaceAll(text, rule.from, rule.to, scratch);
  }
}

// French quotes and no-break spaces.
void normalizePseudoSpaces(std::string& text, std::string& scratch) {
  for (const Replacement& rule : {
           Replacement{"…", "..."},
           {"\u00A0«\u00A0", " \""},
           {"«\u00A0", "\""},
           {"«", "\""},
           {"\u00A0»\u00A0", "\" "},
           {"\u00A0»", "\""},
           {"»", "\""},
           {"\u00A0%", "%"},
           {"nº\u00A0", "nº "},
           {"\u00A0:", ":"},
           {"\u00A0ºC", " ºC"},
           {"\u00A0cm", " cm"},
           {"\u00A0?", "?"},
           {"\u00A0!", "!"},
           {"\u00A0;", ";"},
           {",\u00A0", ", "},
       }) {
    replaceAll(text, rule.from, rule.to, scratch);
  }
}

// "quotation," with the comma inside: s/"([,.]+)/$1"/g.
void quotesAfterMarks(std::string& text) {
  for (std::size_t quote = text.find('"'); quote != std::string::npos;
       quote = text.find('"', quote + 1)) {
    std::size_t end = quote + 1;
    while (end < text.size() && (text[end] == ',' || text[end] == '.')) ++end;
    std::rotate(text.begin() + quote, text.begin() + quote + 1, text.begin() + end);
    quote = end - 1;
  }
}

// "quotation" with the full stop outside: s/(\.+)"(\s*[^<])/"$1$2/g.
void quotesBeforeStops(std::string& text) {
  std::size_t begin = 0;  // end of the last match
  for (std::size_t quote = text.find('"'); quote != std::string::npos;
       quote = text.find('"', quote + 1)) {
    if (quote <= begin || text[quote - 1] != '.') continue;
    std::size_t end = quote + 1;
    while (end < text.size() && isSpace(text[end])) ++end;
    if (end < text.size() && text[end] != '<') {
      ++end;
    } else if (end == quote + 1) {
      continue;  // nothing follows, or an XML tag
    }
    std::size_t dots = quote;
    while (dots > begin && text[dots - 1] == '.') --dots;
    std::rotate(text.begin() + dots, text.begin() + quote, text.begin() + quote + 1);
    begin = end;
    quote = end - 1;
  }
}

}  // namespace

PunctuationNormalizer::PunctuationNormalizer(const PunctuationOptions& options)
    : penn_(options.penn) {
  const std::string& language = options.language;
  const bool czech = language == "cs" || language == "cz";
  quotes_ = language == "en" ? Quotes::kEnglish : czech ? Quotes::kAsTheyAre : Quotes::kContinental;
  thousands_ = czech || language == "de" || language == "es" || language == "fr" ? ',' : '.';
}

void PunctuationNormalizer::normalize(std::string_view line, std::string& out) const {
  thread_local std::string scratch;
  out.assign(line);
  const bool ascii = std::none_of(line.begin(), line.end(), [](char c) { return (c & 0x80) != 0; });
  normalizeSpacing(out, scratch);
  if (!penn_) {
    std::replace(out.begin(), out.end(), '`', '\'');
    replaceAll(out, "''", " \" ", scratch);
  }
  if (!ascii) {
    normalizeQuotes(out, scratch);
  } else {
    collapseSpaces(out);
  }
  replaceAll(out, "''", "\"", scratch);
  if (!ascii) normalizePseudoSpaces(out, scratch);
  collapseSpaces(out);
  if (quotes_ == Quotes::kEnglish) {
    quotesAfterMarks(out);
  } else if (quotes_ == Quotes::kContinental) {
    replaceAll(out, ",\"", "\",", scratch);
    quotesBeforeStops(out);
  }
  if (!ascii) {
    replaceBetween(out, scratch, {kNoBreakSpace, std::string_view(&thousands_, 1)}, isDigit,
                   isDigit);
  }
}

}  // namespace strata
