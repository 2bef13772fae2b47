#include "core/report/word_class.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace strata {
namespace {

constexpr std::array<std::string_view, 88> kFunctionWords{
    "a",      "about", "after", "all",     "also",  "an",    "and",   "any",   "are",  "as",
    "at",     "be",    "been",  "but",     "by",    "can",   "could", "did",   "do",   "does",
    "for",    "from",  "had",   "has",     "have",  "he",    "her",   "him",   "his",  "how",
    "i",      "if",    "in",    "into",    "is",    "it",    "its",   "may",   "me",   "must",
    "my",     "no",    "not",   "of",      "on",    "one",   "or",    "our",   "out",  "she",
    "should", "so",    "some",  "such",    "than",  "that",  "the",   "their", "them", "then",
    "there",  "these", "they",  "this",    "those", "to",    "under", "up",    "us",   "was",
    "we",     "were",  "what",  "when",    "where", "which", "while", "who",   "whom", "whose",
    "why",    "will",  "with",  "without", "would", "you",   "your",  "yours"};

}  // namespace

std::string_view wordClassOf(std::string_view token) {
  if (token == "</s>") return "start";
  if (token.ends_with("@@")) return "word part";
  const auto any = [&](int (*is)(int)) {
    return std::any_of(token.begin(), token.end(),
                       [&](unsigned char c) { return c < 0x80 && is(c) != 0; });
  };
  if (any(std::isdigit)) return "number";
  const bool foreign = std::any_of(token.begin(), token.end(),
                                   [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (!foreign && !any(std::isalpha)) return "punctuation";
  std::string lower(token);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool function =
      std::find(kFunctionWords.begin(), kFunctionWords.end(), lower) != kFunctionWords.end();
  return function ? "function word" : "other word";
}

std::vector<std::string> wordClasses() {
  return {"start", "punctuation", "number", "function word", "word part", "other word"};
}

}  // namespace strata
