#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/compare/comparison.h"

namespace strata {

// Includes both ends; an absent end is open.
struct NumberRange {
  std::optional<double> low = {}, high = {};

  bool isOpen() const { return !low && !high; }
  bool contains(double value) const;
};

// Selects sentences of a comparison; all conditions must hold.
struct SentenceFilter {
  enum class Where { kAnywhere, kSource, kReferences, kSystems };
  enum class Outcome {
    kAny,
    kDifferent,
    kBetter,
    kWorse,
    kEqual
  };  // of `system` against the baseline

  std::string pattern = {};  // ICU regular expression; empty: any text
  Where where = Where::kAnywhere;
  bool caseSensitive = false;
  NumberRange length = {};      // words of the first reference
  std::size_t system = 0;       // for the next three
  NumberRange score = {};       // its sentence score under the first metric
  NumberRange difference = {};  // from the baseline's
  Outcome outcome = Outcome::kAny;
  NumberRange unknownWords = {};  // of the reference with most; needs Comparison::unknownWords

  bool isOpen() const;  // whether every sentence passes
};

// Positions in Comparison::sentences, ascending. An invalid pattern is a usage error that gives the
// position of the mistake; one that takes too long on a line is an Error.
std::vector<std::size_t> filteredSentences(const Comparison& comparison,
                                           const SentenceFilter& filter);

// The corpus scores of some sentences under one metric of a comparison (not means of sentence
// scores).
struct FilteredScores {
  std::vector<std::size_t> sentences;  // positions
  double share = 0;                    // of all sentences of the comparison
  std::vector<SystemScore> systems;  // one per system; intervals and tests resample these sentences
};
// Without sentences every score is the metric's score of an empty corpus.
FilteredScores scoreSentences(const Comparison& comparison, std::size_t metric,
                              std::vector<std::size_t> sentences);

}  // namespace strata
