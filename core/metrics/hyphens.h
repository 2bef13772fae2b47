#pragma once
#include <string>
#include <vector>

namespace strata {

// The preprocessing by the English-German papers' scorer of both sides before multi-bleu: "a-b"
// becomes "a ##AT##-##AT## b"; a character belongs to one hyphen only.
std::string withSplitHyphens(const std::string& line);
std::vector<std::string> withSplitHyphens(std::vector<std::string> lines);

}  // namespace strata
