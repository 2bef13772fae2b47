#pragma once
#include <cstdint>
#include <string_view>

namespace strata {

// A line of a vocabulary: "word<SPACE>count".
struct CountedWord {
  std::string_view word;
  std::int64_t count = 0;
};

// Takes a line without its line end apart. What is no such line is an Error that names `where` and
// line `number`, and says what the file seems to be: BPE codes, a dictionary of fairseq with marks.
CountedWord countedWord(std::string_view line, std::string_view where, std::int64_t number);

}  // namespace strata
