#include "core/train/tuning.h"

#include <algorithm>

namespace strata {

std::vector<RulePoint> rankAgain(const ComparedHypotheses& found, std::span<const LengthRule> rules,
                                 const std::function<double(const BleuStats&)>& score) {
  std::vector<RulePoint> points;
  for (const LengthRule& rule : rules) {
    BleuStats sum;
    for (std::size_t s = 0; s < found.sentences.size(); ++s) {
      const auto& hypotheses = found.sentences[s];
      const auto best = std::ranges::max_element(hypotheses, {}, [&](const Hypothesis& each) {
        return rule.score(each.logProbability, static_cast<double>(each.tokens.size()));
      });
      if (best != hypotheses.end())
        sum += found.stats[s][static_cast<std::size_t>(best - hypotheses.begin())];
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
