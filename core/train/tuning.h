#pragma once
#include <functional>
#include <span>
#include <vector>

#include "core/metrics/bleu.h"
#include "core/run/hypothesis.h"
#include "core/run/length_rule.h"

namespace strata {

// The completed hypotheses of every sentence, and of each its statistics against the references.
struct ComparedHypotheses {
  std::vector<std::vector<Hypothesis>> sentences;
  std::vector<std::vector<BleuStats>> stats;
};

// The score of a length rule if every sentence's best hypothesis by that rule is taken.
struct RulePoint {
  LengthRule rule;
  double score = 0;
  double lengthRatio = 0;  // words of the hypotheses over words of the references
};

// One point per rule, in their order. A sentence without hypotheses adds nothing; ties go to the
// first hypothesis.
std::vector<RulePoint> rankAgain(const ComparedHypotheses& found, std::span<const LengthRule> rules,
                                 const std::function<double(const BleuStats&)>& score);

}  // namespace strata
