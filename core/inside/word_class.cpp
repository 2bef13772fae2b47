#include "core/inside/word_class.h"

#include <functional>
#include <map>
#include <set>

#include "core/base/parse_number.h"
#include "core/base/utf8.h"
#include "core/text/casing.h"
#include "core/text/character_classes.h"
#include "core/text/detokenizer.h"
#include "core/text/words.h"
#include "embedded/wordLists.h"

namespace strata {
namespace {

struct WordList {
  std::set<std::string, std::less<>> function, number;
};

// Words below [function] and [number]; # begins a comment.
WordList readWordList(std::string_view text) {
  WordList list;
  auto* section = &list.function;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    forEachWord(line.substr(0, line.find('#')), [&](std::string_view word) {
      if (word == "[function]") {
        section = &list.function;
      } else if (word == "[number]") {
        section = &list.number;
      } else {
        section->emplace(word);
      }
    });
  }
  return list;
}

// By language.
const std::map<std::string, WordList, std::less<>>& wordLists() {
  static const auto lists = [] {
    std::map<std::string, WordList, std::less<>> made;
    for (const auto& [file, text] : embedded::wordLists())
      made.emplace(file.substr(0, file.find('.')), readWordList(text));
    return made;
  }();
  return lists;
}

WordClass classOfKind(char kind) {
  if (kind == '.') return WordClass::kPunctuation;
  if (kind == 'c') return WordClass::kNumber;
  // Else a noun, verb, adjective, adverb or name.
  return kind == 'p' || kind == 'd' || kind == 'f' ? WordClass::kFunction : WordClass::kContent;
}

bool readNumber(std::string_view text, int& number) {
  const auto parsed = parseNumber<int>(text);
  number = parsed.value_or(number);
  return parsed.has_value();
}

std::vector<std::string_view> splitAtColons(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t colon = 0; colon != std::string_view::npos;) {
    colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
  }
  return parts;
}

}  // namespace

std::string_view nameOf(WordClass wordClass) {
  constexpr std::array<std::string_view, 6> kNames{"function word", "content word", "punctuation",
                                                   "number",        "unknown",      "end"};
  return kNames[static_cast<std::size_t>(wordClass)];
}

bool hasWordList(std::string_view language) {
  return wordLists().contains(language);
}

WordClass wordClassOf(std::string_view word, std::string_view language) {
  if (word == "</s>") return WordClass::kEnd;
  if (word == "<unk>") return WordClass::kUnknown;
  const CharacterClasses classes;
  const std::string text = withoutEntities(word);
  bool letters = false, digits = false;
  forEachCharacter(text, [&](char32_t character, std::string_view) {
    letters = letters || classes.is(character, kAlphabetic);
    digits = digits || classes.is(character, kNumber);
  });
  if (!letters) return digits ? WordClass::kNumber : WordClass::kPunctuation;
  const auto list = wordLists().find(language);
  if (list == wordLists().end()) return WordClass::kContent;
  const std::string lower = lowercased(text);
  if (list->second.number.contains(lower)) return WordClass::kNumber;
  return list->second.function.contains(lower) ? WordClass::kFunction : WordClass::kContent;
}

std::vector<GoldWord> goldWords(std::string_view line) {
  std::vector<GoldWord> words;
  for (const std::string& field : wordsOf(line)) {
    auto parts = splitAtColons(field);
    int head = 0, antecedent = 0;
    if (readNumber(parts.back(), antecedent)) parts.pop_back();
    if (parts.size() < 3 || parts.back().size() != 1 || !readNumber(parts.front(), head)) return {};
    words.push_back({head, classOfKind(parts.back().front())});
  }
  return words;
}

}  // namespace strata
