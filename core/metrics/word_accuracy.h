#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/metrics/buckets.h"
#include "core/metrics/ratio.h"

namespace strata {

struct WordAccuracyOptions {
  // For training counts; finite, ascending, above 0. The first bucket starts at 0, the last one is
  // open.
  std::vector<double> edges = {1, 2, 3, 4, 5, 10, 100, 1000};
};

// Accuracy of a system on the words with a given frequency in the training text. A word of a
// sentence is matched as often as both hypothesis and reference contain it, at any position.
struct WordAccuracy {
  double low = 0, high = 0;  // training counts in [low, high); the last bucket's high is infinite
  std::string label;         // "0", "5-9", ">= 1000"
  std::int64_t matched = 0;
  std::int64_t reference = 0, hypothesis = 0;  // words of the bucket on each side

  // 0 .. 1; 0 if the denominator is 0.
  double precision() const { return ratio(matched, hypothesis); }
  double recall() const { return ratio(matched, reference); }
  double f1() const { return ratio(2 * matched, hypothesis + reference); }  // = 2 P R / (P + R)
};

// One entry per bucket: "word accuracy by frequency" of Neubig et al., compare-mt: A Tool for
// Holistic Comparison of Language Generation Systems, NAACL 2019. Words are separated by U+0020;
// unequal line counts are Errors.
std::vector<WordAccuracy> wordAccuracy(std::span<const std::string> hypotheses,
                                       std::span<const std::string> reference,
                                       const WordCounts& counts,
                                       const WordAccuracyOptions& options = {});

}  // namespace strata
