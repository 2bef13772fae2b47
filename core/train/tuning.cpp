#include "core/train/tuning.h"

namespace strata {

std::vector<RulePoint> rankAgain(const ComparedHypotheses& found, std::span<const LengthRule> rules,
                                 const std::function<double(const BleuStats&)>& score) {
  std::vector<RulePoint> points;
  for (const LengthRule& rule : rules) {
    BleuStats sum;
    for (std::size_t s = 0; s < found.sentences.size(); ++s) {
      const BleuStats* best = nullptr;
      double bestScore = 0;
      for (std::size_t h = 0; h < found.sentences[s].size(); ++h) {
        const Hypothesis& hypothesis = found.sentences[s][h];
        const double own =
            rule.score(hypothesis.logProbability, static_cast<double>(hypothesis.tokens.size()));
        if (best != nullptr && !(own > bestScore)) continue;
        best = &found.stats[s][h];
        bestScore = own;
      }
      if (best != nullptr) sum += *best;
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
