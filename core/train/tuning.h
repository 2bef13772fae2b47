#pragma once
#include <functional>
#include <span>
#include <vector>

#include "core/metrics/bleu.h"
#include "core/run/length_rule.h"

namespace strata {

// A completed hypothesis, with what is needed to choose among its sentence's hypotheses.
struct RankedHypothesis {
  double logProbability = 0;
  double tokens = 0;  // </s> included
  BleuStats stats;    // of its text against the references
};

// The score of a length rule if every sentence's best hypothesis by that rule is taken.
struct RulePoint {
  LengthRule rule;
  double score = 0;
  double lengthRatio = 0;  // words of the hypotheses over words of the references
};

// One point per rule, in their order. A sentence without hypotheses adds nothing; ties go to the
// first hypothesis.
std::vector<RulePoint> rankAgain(const std::vector<std::vector<RankedHypothesis>>& sentences,
                                 std::span<const LengthRule> rules,
                                 const std::function<double(const BleuStats&)>& score);

}  // namespace strata
