#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Whether a line has marks of subwords: a word that ends in @@, or SentencePiece's mark of a word's
// start.
bool holdsSubwords(std::string_view line);

// Why translations and references do not look like texts of one kind; empty if they do. The
// translations are tokenized and the references are not, or the other way, if of one side
//   - at least 100 lines (as sacreBLEU warns), or half of at least 20, end in a tokenized period
//     (" ."), and of the other less than half as many
//   - a line has marks of subwords, and none of the other.
// `name` of the translations begins each text; `references` may be empty.
std::vector<std::string> tokenizationWarnings(std::string_view name,
                                              std::span<const std::string> translations,
                                              std::span<const std::vector<std::string>> references);

// Whether no letter of the translations is a capital, but some of the references are: scores that
// count case are then lower for that alone.
bool lackCapitals(std::span<const std::string> translations,
                  std::span<const std::vector<std::string>> references);

}  // namespace strata
