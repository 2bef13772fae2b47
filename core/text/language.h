#pragma once
#include <array>
#include <string>

namespace strata {

// What can split a text into words: Moses's tokenizer; ICU's word boundaries for languages that are
// written without spaces, with Moses's tokenizer for the others; nothing, since words are already
// separated by spaces.
inline constexpr std::array<const char*, 3> kTokenizers{"moses", "icu", "none"};

// Throws a usage error unless the name is one of kTokenizers.
void checkTokenizer(const std::string& name);

// Whether a language is written without spaces between its words: zh, ja, th, lo, km, my and their
// relatives. Codes are of ISO 639, also with a region or script: zh, zho, zh-TW, cmn.
bool isWrittenWithoutSpaces(const std::string& language);

// What splits text of this language in a dataset with the tokenizer `chosen`.
std::string tokenizerFor(const std::string& chosen, const std::string& language);

// Names the language whose rules for upper and lower case hold, if they differ from those that all
// languages share: az and tr (I and ı, İ and i), el (final sigma), lt (dots under accents), nl (IJ
// at the start of a word). Empty for all others.
std::string casingOf(const std::string& language);

}  // namespace strata
