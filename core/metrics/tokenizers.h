#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/metrics/bleu.h"

namespace strata {

// What sacreBLEU's BLEU counts as words of a line. Bytes that are not UTF-8 are Errors.
std::vector<std::string> bleuWords(std::string_view line, BleuTokenizer tokenizer, bool lowercase);

// The same for many lines without a copy of each word. The words last until the next line, and no
// longer than the line.
struct LineWords {
  std::vector<std::string_view> words;
  std::string lower, rewritten;  // hold them where they are not in the line itself
};
void splitBleuWords(std::string_view line, BleuTokenizer tokenizer, bool lowercase, LineWords& out);

// The line as sacreBLEU's tokenizer gives it: words joined by one space.
std::string bleuTokenized(std::string_view line, BleuTokenizer tokenizer);

}  // namespace strata
