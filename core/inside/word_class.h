#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

enum class WordClass { kFunction, kContent, kPunctuation, kNumber, kUnknown, kEnd };
// The classes with a mean: kEnd, the end of the sentence, is not a word.
inline constexpr std::array kWordClasses{WordClass::kFunction, WordClass::kContent,
                                         WordClass::kPunctuation, WordClass::kNumber,
                                         WordClass::kUnknown};
std::string_view nameOf(WordClass wordClass);  // "function word", ...

// Whether there is a list of closed-class words for a language (resources/wordlists: "en", "de",
// "fr").
bool hasWordList(std::string_view language);

// The class of a full word by its spelling and, for function and number words, the language's list;
// case is ignored, and escapes of Moses's tokenizer are decoded. Without a list, a word of letters
// is a content word. `word` is valid UTF-8. Thread-safe.
WordClass wordClassOf(std::string_view word, std::string_view language);

// A generated dataset's annotation of one word.
struct GoldWord {
  int head = -1;  // index of the governing word; -1: the root
  WordClass wordClass = WordClass::kContent;
  bool operator==(const GoldWord&) const = default;
};

// Parses a line of a dataset's gold/SET.LANGUAGE.links: "head:relation:kind" and, for a pronoun,
// ":antecedent" per word; relations may contain colons. Empty if the line does not have that form.
std::vector<GoldWord> goldWords(std::string_view line);

}  // namespace strata
