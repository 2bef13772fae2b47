#pragma once
#include <functional>
#include <span>
#include <vector>

#include "core/metrics/bleu.h"
#include "core/run/length_rule.h"

namespace strata {

// A finished hypothesis as far as a choice among its sentence's needs it.
struct RankedHypothesis {
  double logProbability = 0;
  double tokens = 0;  // </s> included
  BleuStats stats;    // of its text against the references
};

// What a length rule scores when every sentence's best hypothesis by it is taken.
struct RulePoint {
  LengthRule rule;
  double score = 0;
  double lengthRatio = 0;  // words of the hypotheses over words of the references
};

// One point a rule, in their order. A sentence without hypotheses adds nothing; of equal ones the
// first is taken.
std::vector<RulePoint> rankAgain(const std::vector<std::vector<RankedHypothesis>>& sentences,
                                 std::span<const LengthRule> rules,
                                 const std::function<double(const BleuStats&)>& score);

}  // namespace strata
