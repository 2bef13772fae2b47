#include "core/train/tuning.h"

namespace strata {

std::vector<RulePoint> rankAgain(const std::vector<std::vector<RankedHypothesis>>& sentences,
                                 std::span<const LengthRule> rules,
                                 const std::function<double(const BleuStats&)>& score) {
  std::vector<RulePoint> points;
  for (const LengthRule& rule : rules) {
    BleuStats sum;
    for (const auto& hypotheses : sentences) {
      const RankedHypothesis* best = nullptr;
      double bestScore = 0;
      for (const RankedHypothesis& hypothesis : hypotheses) {
        const double own = rule.score(hypothesis.logProbability, hypothesis.tokens);
        if (best != nullptr && !(own > bestScore)) continue;
        best = &hypothesis;
        bestScore = own;
      }
      if (best != nullptr) sum += best->stats;
    }
    const auto references = static_cast<double>(sum.referenceLength);
    points.push_back({.rule = rule,
                      .score = score(sum),
                      .lengthRatio = references > 0
                                         ? static_cast<double>(sum.hypothesisLength) / references
                                         : 0});
  }
  return points;
}

}  // namespace strata
