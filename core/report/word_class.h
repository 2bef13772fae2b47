#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// A rough class of a token, for means over words: "start" (</s> as it is fed), "punctuation",
// "number", "function word" (English articles, pronouns, prepositions, conjunctions, auxiliaries),
// "word part" (a unit that BPE goes on with), "other word".
std::string_view wordClassOf(std::string_view token);
std::vector<std::string> wordClasses();  // all, in the order above

}  // namespace strata
