#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/metrics/bleu.h"

namespace strata {

// The words of a line for sacreBLEU's BLEU. Bytes that are not UTF-8 are Errors.
std::vector<std::string> bleuWords(std::string_view line, BleuTokenizer tokenizer, bool lowercase);

// The same for many lines without copying each word. The words are valid until the next line, and
// no longer than the line.
struct LineWords {
  std::vector<std::string_view> words;
  std::string lower, rewritten;  // buffers for words that are not in the line itself
};
void splitBleuWords(std::string_view line, BleuTokenizer tokenizer, bool lowercase, LineWords& out);

}  // namespace strata
