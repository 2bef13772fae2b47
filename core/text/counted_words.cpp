#include "core/text/counted_words.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/parse_number.h"

namespace strata {
namespace {

constexpr std::string_view kFairseqMark = "#fairseq:overwrite";

Error wrongLine(std::string_view line, std::string_view where, std::int64_t number) {
  if (number == 1 && line.starts_with("#version:")) {
    return Error(
        "{}:1: these are BPE codes, not a vocabulary: give a file of words and counts, as `text "
        "vocab` writes it",
        where);
  }
  if (line.ends_with(kFairseqMark)) {
    return Error(
        "{}:{}: '{}' has fairseq's mark {}, by which it replaces an earlier word: leave one of "
        "them, without the mark",
        where, number, line.substr(0, line.find(' ')), kFairseqMark);
  }
  const bool twoSymbols =
      std::ranges::count(line, ' ') == 1 && line.find_first_of("0123456789") == line.npos;
  return Error("{}:{}: expected a word, a space and its count{}", where, number,
               twoSymbols ? "; is this a file of BPE codes?" : "");
}

}  // namespace

CountedWord countedWord(std::string_view line, std::string_view where, std::int64_t number) {
  const std::size_t space = line.find(' ');
  if (space == line.npos || space == 0) throw wrongLine(line, where, number);
  const auto count = parseNumber<std::int64_t>(line.substr(space + 1));
  if (!count) throw wrongLine(line, where, number);
  const std::string_view word = line.substr(0, space);
  if (*count < 0) {
    throw Error("{}:{}: the count of \"{}\" is {}; expected at least 0", where, number, word,
                *count);
  }
  return {.word = word, .count = *count};
}

}  // namespace strata
