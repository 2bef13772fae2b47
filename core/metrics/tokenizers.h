#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/metrics/bleu.h"

namespace strata {

// What sacreBLEU's BLEU counts as words of a line. Bytes that are not UTF-8 are Errors.
std::vector<std::string> bleuWords(std::string_view line, BleuTokenizer tokenizer, bool lowercase);

// The line as sacreBLEU's tokenizer gives it: words joined by one space.
std::string bleuTokenized(std::string_view line, BleuTokenizer tokenizer);

}  // namespace strata
