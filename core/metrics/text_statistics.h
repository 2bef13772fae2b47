#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/metrics/ratio.h"

namespace strata {

// Statistics of a system's text that need no score. Words are separated by U+0020. Shares are 0 ..
// 1, and 0 if the denominator is 0.
struct TextStatistics {
  std::size_t lines = 0;
  std::size_t emptyLines = 0;      // without a word
  std::size_t repeatingLines = 0;  // 1 to 4 words occur twice in a row: "of the of the"
  std::int64_t words = 0, types = 0;
  std::int64_t repeatedWords = 0;   // equal to the previous word
  std::int64_t referenceWords = 0;  // of the closest references, ties: the shorter one

  // Against the source, if given.
  struct Source {
    std::size_t equalLines = 0;      // same words as their source line; empty lines do not count
    std::int64_t copiedWords = 0;    // in the source line but in no reference
    std::int64_t inventedWords = 0;  // in neither the source line nor a reference
  };
  std::optional<Source> source = {};

  // Words over reference words, if any.
  std::optional<double> lengthRatio() const {
    return referenceWords == 0 ? std::nullopt : std::optional(ratio(words, referenceWords));
  }
  double emptyShare() const { return ratio(emptyLines, lines); }
  double repeatingShare() const { return ratio(repeatingLines, lines); }
  double typeTokenRatio() const { return ratio(types, words); }
  double repeatedWordShare() const { return ratio(repeatedWords, words); }
  // Of all lines or words; nothing without a source.
  std::optional<double> equalShare() const {
    return source ? std::optional(ratio(source->equalLines, lines)) : std::nullopt;
  }
  std::optional<double> copiedShare() const {
    return source ? std::optional(ratio(source->copiedWords, words)) : std::nullopt;
  }
  std::optional<double> inventedShare() const {
    return source ? std::optional(ratio(source->inventedWords, words)) : std::nullopt;
  }
};

// What a system's text is compared with.
struct TextStatisticsInput {
  std::vector<std::vector<std::string>> references = {};  // [r][i], as for BLEU; may be none
  std::vector<std::string> source = {};                   // empty: not given
};
// Throws an Error if line counts differ from that of the hypotheses.
TextStatistics textStatistics(std::span<const std::string> hypotheses,
                              const TextStatisticsInput& input);

}  // namespace strata
