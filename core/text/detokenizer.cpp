#include "core/text/detokenizer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/utf8.h"
#include "core/text/casing.h"

namespace strata {
namespace {

using Words = std::vector<std::string_view>;

// Splits at each single space: consecutive spaces give empty words, trailing empty words are
// dropped.
void splitAtSpaces(std::string_view text, Words& words) {
  words.clear();
  while (text.ends_with(' ')) text.remove_suffix(1);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

constexpr std::pair<std::string_view, char> kEntities[] = {
    {"&amp;", '&'}, {"&apos;", '\''}, {"&quot;", '"'}, {"&lt;", '<'},
    {"&gt;", '>'},  {"&#124;", '|'},  {"&#91;", '['},  {"&#93;", ']'},
    {"&bar;", '|'}, {"&bra;", '['},   {"&ket;", ']'},
};

// The entity at the start of the text; null: none.
const std::pair<std::string_view, char>* entityAt(std::string_view text) {
  if (text.empty() || text.front() != '&') return nullptr;
  const auto* found = std::find_if(std::begin(kEntities), std::end(kEntities),
                                   [&](const auto& e) { return text.starts_with(e.first); });
  return found == std::end(kEntities) ? nullptr : found;
}

// Undoes aggressive hyphens and entities.
void unescape(std::string_view line, std::string& out) {
  constexpr std::string_view kHyphen = " @-@ ";
  out.assign(" ").append(line).push_back(' ');
  std::size_t to = 0;
  for (std::size_t from = 0; from < out.size();) {
    const std::string_view rest = std::string_view(out).substr(from);
    if (rest.starts_with(kHyphen)) {
      out[to++] = '-';
      from += kHyphen.size();
      continue;
    }
    if (const auto* entity = entityAt(rest)) {
      out[to++] = entity->second;
      from += entity->first.size();
    } else {
      out[to++] = out[from++];
    }
  }
  out.resize(to);
}

// Chinese, Japanese and Korean characters, by the ranges of the reference.
bool isCjk(char32_t c) {
  constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0x1100, 0x11FF}, {0x2E80, 0xA4CF}, {0xA840, 0xA87F}, {0xAC00, 0xD7AF},
      {0xF900, 0xFAFF}, {0xFE30, 0xFE4F}, {0xFF65, 0xFFDC}, {0x20000, 0x2FFFF},
  };
  return c >= 0x1100 && std::any_of(std::begin(kRanges), std::end(kRanges), [&](const auto& range) {
           return c >= range.first && c <= range.second;
         });
}

char32_t firstOf(std::string_view word) {
  std::size_t position = 0;
  return word.empty() ? 0 : decodeUtf8(word, position);
}

char32_t lastOf(std::string_view word) {
  std::size_t position = word.size();
  return word.empty() ? 0 : decodeUtf8Before(word, position);
}

template <typename Accepts>
bool consistsOf(std::string_view word, Accepts accepts) {
  for (std::size_t i = 0; i < word.size();) {
    if (!accepts(decodeUtf8(word, i))) return false;
  }
  return !word.empty();
}

bool isDigits(std::string_view word) {
  return consistsOf(word, [](char32_t c) { return c >= '0' && c <= '9'; });
}

bool isOneOf(char32_t c, std::u32string_view characters) {
  return characters.find(c) != std::u32string_view::npos;
}

bool equalsIgnoringCase(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
         });
}

constexpr std::string_view kFinnishCases[] = {
    "N",   "n",    "A",    "a",   "Ä",   "ä",   "ssa", "Ssa", "ssä", "Ssä", "sta",
    "stä", "Sta",  "Stä",  "hun", "Hun", "hyn", "Hyn", "han", "Han", "hän", "Hän",
    "hön", "Hön",  "un",   "Un",  "yn",  "Yn",  "an",  "An",  "än",  "Än",  "ön",
    "Ön",  "seen", "Seen", "lla", "Lla", "llä", "Llä", "lta", "Lta", "ltä", "Ltä",
    "lle", "Lle",  "ksi",  "Ksi", "kse", "Kse", "tta", "Tta", "ine", "Ine",
};
constexpr std::string_view kFinnishPossessives[] = {"", "ni", "si", "mme", "nne", "nsa"};
constexpr std::string_view kFinnishClitics[] = {"",   "ko", "kö",   "han",  "hän",
                                                "pa", "pä", "kaan", "kään", "kin"};

// Whether `word` is a Finnish case suffix, with or without a possessive suffix and a clitic.
bool isFinnishSuffix(std::string_view word) {
  for (const std::string_view ending : kFinnishCases) {
    if (!word.starts_with(ending)) continue;
    for (const std::string_view possessive : kFinnishPossessives) {
      const std::string_view rest = word.substr(ending.size());
      if (!rest.starts_with(possessive)) continue;
      const std::string_view clitic = rest.substr(possessive.size());
      if (std::find(std::begin(kFinnishClitics), std::end(kFinnishClitics), clitic) !=
          std::end(kFinnishClitics)) {
        return true;
      }
    }
  }
  return false;
}

void collapseSpaces(std::string_view text, std::string& out) {
  out.clear();
  for (const char c : text) {
    if (c == ' ' && (out.empty() || out.back() == ' ')) continue;
    out.push_back(c);
  }
  if (out.ends_with(' ')) out.pop_back();
}

}  // namespace

std::string withoutEntities(std::string_view token) {
  std::string text;
  while (!token.empty()) {
    const auto* entity = entityAt(token);
    text += entity != nullptr ? entity->second : token.front();
    token.remove_prefix(entity != nullptr ? entity->first.size() : 1);
  }
  return text;
}

// Joins the words of one line from left to right.
struct Detokenizer::Joiner {
  const CharacterClasses& classes;
  Language language;
  const Words& words;
  std::string& text;
  bool space = true;  // whether the next word gets a space before it
  std::vector<std::pair<std::string_view, int>> quotes = {};

  void alone(std::string_view word) {
    if (space) text.push_back(' ');
    text += word;
    space = true;
  }
  void toTheLeft(std::string_view word) {
    text += word;
    space = true;
  }
  void toTheRight(std::string_view word) {
    if (space) text.push_back(' ');
    text += word;
    space = false;
  }

  bool alphabetic(char32_t c) const { return classes.is(c, kAlphabetic); }
  bool isOpening(std::string_view word) const {
    return consistsOf(word,
                      [&](char32_t c) { return isOneOf(c, U"([{¿¡") || classes.is(c, kCurrency); });
  }
  static bool isClosing(std::string_view word) {
    return consistsOf(word, [](char32_t c) { return isOneOf(c, U",.?!:;\\%}])"); });
  }
  static bool isQuote(std::string_view word) {
    return consistsOf(word, [](char32_t c) { return isOneOf(c, U"'\"„“`"); });
  }

  void run() {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view word = words[i];
      if (isCjk(firstOf(word))) {
        const bool follows = i > 0 && language != Language::kKorean && isCjk(lastOf(words[i - 1]));
        follows ? toTheLeft(word) : alone(word);
      } else if (isOpening(word)) {
        toTheRight(word);
      } else if (isClosing(word)) {
        if (language == Language::kFrench && word.size() == 1 &&
            isOneOf(firstOf(word), U"?!:;\\%")) {
          text.push_back(' ');
        }
        toTheLeft(word);
      } else if (joinsByLanguage(i)) {
        i += czechDash(i) ? 1 : 0;
      } else if (isQuote(word)) {
        quote(i);
      } else if (language == Language::kFinnish &&
                 words[i > 0 ? i - 1 : words.size() - 1].ends_with(':') && isFinnishSuffix(word)) {
        toTheLeft(lowercased(word));
      } else {
        alone(word);
      }
    }
  }

  // Contractions, numbers and dashes that only one language joins; false if word i is none of them.
  bool joinsByLanguage(std::size_t i) {
    const std::string_view word = words[i];
    switch (language) {
      case Language::kEnglish:
        if (i == 0 || !word.starts_with('\'') || !alphabetic(firstOf(word.substr(1))) ||
            !classes.is(lastOf(words[i - 1]), kAlphanumeric)) {
          return false;
        }
        toTheLeft(word);
        return true;
      case Language::kFrench:
      case Language::kItalian:
        if (i + 1 >= words.size() || !word.ends_with('\'') ||
            !alphabetic(lastOf(word.substr(0, word.size() - 1))) ||
            !alphabetic(firstOf(words[i + 1]))) {
          return false;
        }
        toTheRight(word);
        return true;
      case Language::kCzech:
        if (i > 1 && isDigits(words[i - 2]) && (words[i - 1] == "." || words[i - 1] == ",") &&
            isDigits(word)) {
          toTheLeft(word);
          return true;
        }
        if (!czechDash(i)) return false;
        toTheRight(word);
        text += words[i + 1];
        return true;
      default:
        return false;
    }
  }

  // Whether the Czech word i and the dash after it join the next word (-li, e-mail).
  bool czechDash(std::size_t i) const {
    if (language != Language::kCzech || i + 3 >= words.size()) return false;
    if (!alphabetic(lastOf(words[i])) || (words[i + 1] != "-" && words[i + 1] != "–")) return false;
    return equalsIgnoringCase(words[i + 2], "li") ||
           equalsIgnoringCase(words[i + 2].substr(0, 4), "mail");
  }

  int& countOf(std::string_view quoteMark) {
    for (auto& [mark, count] : quotes) {
      if (mark == quoteMark) return count;
    }
    return quotes.emplace_back(quoteMark, 0).second;
  }

  // Quotation marks open and close alternately.
  void quote(std::size_t i) {
    const std::string_view word = words[i];
    const bool curly = consistsOf(word, [](char32_t c) { return isOneOf(c, U"„“”"); });
    int& count = countOf(curly ? std::string_view("\"") : word);
    if (language == Language::kCzech && word == "„") count = 0;
    if (language == Language::kCzech && word == "“") count = 1;
    if (count % 2 != 0) {
      toTheLeft(word);
      ++count;
    } else if (language == Language::kEnglish && word == "'" && i > 0 &&
               words[i - 1].ends_with('s')) {
      toTheLeft(word);
    } else {
      toTheRight(word);
      ++count;
    }
  }
};

Detokenizer::Detokenizer(const DetokenizerOptions& options) {
  constexpr std::array<std::string_view, 6> kCodes{"cs", "en", "fi", "fr", "it", "ko"};
  language_ = static_cast<Language>(std::ranges::find(kCodes, options.language) - kCodes.begin());
}

bool Detokenizer::passesThrough(std::string_view line) const {
  return (line.size() > 2 && line.front() == '<' && line.back() == '>') || isBlank(line);
}

void Detokenizer::detokenize(std::string_view line, std::string& out) const {
  if (passesThrough(line)) {
    out.assign(line);
    return;
  }
  thread_local std::string unescaped;
  thread_local std::string joined;
  thread_local Words words;
  unescape(line, unescaped);
  splitAtSpaces(unescaped, words);
  joined.clear();
  Joiner{.classes = classes_, .language = language_, .words = words, .text = joined}.run();
  collapseSpaces(joined, out);
}

}  // namespace strata
