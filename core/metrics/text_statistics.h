#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// What shows on a system's text without a score. Words are what stands between U+0020. Shares are
// 0 .. 1, and 0 where there is nothing to share.
struct TextStatistics {
  std::size_t lines = 0;
  std::size_t emptyLines = 0;      // without a word
  std::size_t repeatingLines = 0;  // 1 to 4 words stand there twice in a row: "of the of the"
  std::int64_t words = 0, types = 0;
  std::int64_t repeatedWords = 0;   // equal to the word before
  std::int64_t referenceWords = 0;  // of the closest references, the shorter one of a tie

  // Against the source, where it is given.
  struct Source {
    std::size_t equalLines = 0;    // with the words of their source line; empty ones are no copies
    std::int64_t copiedWords = 0;  // that the source line holds and no reference does
    std::int64_t inventedWords = 0;  // that neither the source line nor a reference holds
  };
  std::optional<Source> source = {};

  std::optional<double> lengthRatio() const;  // words over reference words; nothing without those
  double emptyShare() const;
  double repeatingShare() const;
  double typeTokenRatio() const;
  double repeatedWordShare() const;
  std::optional<double> equalShare() const;  // of all lines
  std::optional<double> copiedShare() const;
  std::optional<double> inventedShare() const;
};

// What a system's text is held against.
struct TextStatisticsInput {
  std::vector<std::vector<std::string>> references = {};  // [r][i], as for BLEU; may be none
  std::vector<std::string> source = {};                   // without lines: not given
};
// Line counts that differ from that of the hypotheses are Errors.
TextStatistics textStatistics(std::span<const std::string> hypotheses,
                              const TextStatisticsInput& input);

}  // namespace strata
