#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

enum class WordClass { kFunction, kContent, kPunctuation, kNumber, kUnknown, kEnd };
// Those that have a mean: kEnd, the end of the sentence, is no word.
inline constexpr std::array kWordClasses{WordClass::kFunction, WordClass::kContent,
                                         WordClass::kPunctuation, WordClass::kNumber,
                                         WordClass::kUnknown};
std::string_view nameOf(WordClass wordClass);  // "function word", ...

// Whether there is a list of closed-class words for a language (resources/wordlists: "en", "de",
// "fr").
bool hasWordList(std::string_view language);

// The class of a whole word by its spelling and, for function and number words, the language's
// list; upper case counts as lower case, escapes of Moses's tokenizer as what they stand for.
// Without a list, a word of letters is a content word. `word` is valid UTF-8. Safe in any thread.
WordClass wordClassOf(std::string_view word, std::string_view language);

// What a generated dataset knows of one word.
struct GoldWord {
  int head = -1;  // index of the governing word; -1: the root
  WordClass wordClass = WordClass::kContent;
  bool operator==(const GoldWord&) const = default;
};

// A line of a dataset's gold/SET.LANGUAGE.links: "head:relation:kind" and, of a pronoun,
// ":antecedent" a word; relations may hold colons. Empty where the line is not of that form.
std::vector<GoldWord> goldWords(std::string_view line);

}  // namespace strata
