#pragma once
#include <QString>
#include <string_view>
#include <vector>

namespace strata::ui {

enum class TokenClass { kFunction, kContent, kPunctuation, kNumber, kUnknown, kEnd };
inline constexpr int kTokenClasses = 5;  // kEnd, the end of the sentence, is no word
QString nameOf(TokenClass tokenClass);   // "function word", ...

// Whether there is a list of closed-class words for a language ("en", "de", "fr").
bool hasWordList(const QString& language);

// The class of a word by its spelling and, for function and number words, the language's list; case
// is ignored. Without a list, a word of letters counts as a content word.
TokenClass tokenClass(const QString& word, const QString& language);

// What a generated dataset knows of one word.
struct GoldWord {
  int head = -1;  // index of the governing word; -1: the root
  TokenClass kind = TokenClass::kContent;
  bool operator==(const GoldWord&) const = default;
};

// A line of a dataset's gold/SET.LANGUAGE.links: "head:relation:kind" and, of a pronoun,
// ":antecedent" a word; relations may hold colons. Empty where the line is not of that form.
std::vector<GoldWord> goldWords(std::string_view line);

}  // namespace strata::ui
