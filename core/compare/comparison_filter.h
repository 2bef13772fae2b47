#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/compare/comparison.h"

namespace strata {

// Both ends belong to it; an absent end is open.
struct NumberRange {
  std::optional<double> low = {}, high = {};

  bool isOpen() const { return !low && !high; }
  bool contains(double value) const;
};

// Which sentences of a comparison to look at; every condition must hold.
struct SentenceFilter {
  enum class Where { kAnywhere, kSource, kReferences, kSystems };
  enum class Outcome {
    kAny,
    kDifferent,
    kBetter,
    kWorse,
    kEqual
  };  // of `system` against the baseline

  std::string pattern = {};  // ICU's regular expressions; empty: any text
  Where where = Where::kAnywhere;
  bool caseSensitive = false;
  NumberRange length = {};      // words of the first reference
  std::size_t system = 0;       // that the next three are of
  NumberRange score = {};       // its sentence score under the first metric
  NumberRange difference = {};  // from the baseline's
  Outcome outcome = Outcome::kAny;
  NumberRange unknownWords = {};  // of the reference that has most; needs Comparison::unknownWords

  bool isOpen() const;  // lets every sentence through
};

// Positions in Comparison::sentences, ascending. A pattern that is none is a usage error with the
// place of the fault; one that takes too long on a line is an Error.
std::vector<std::size_t> filteredSentences(const Comparison& comparison,
                                           const SentenceFilter& filter);

// The corpus scores of some sentences under one metric of a comparison: never means of sentence
// scores.
struct FilteredScores {
  std::vector<std::size_t> sentences;  // positions
  double share = 0;                    // of all sentences of the comparison
  std::vector<SystemScore>
      systems;  // a system; intervals and tests are of resamples among these sentences
};
// Without sentences every score is what the metric gives for nothing.
FilteredScores scoreSentences(const Comparison& comparison, std::size_t metric,
                              std::vector<std::size_t> sentences);

}  // namespace strata
