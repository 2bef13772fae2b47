#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// How completed hypotheses are ranked: a score of the sum of their log-probabilities and of n, the
// tokens produced, </s> included. It never prunes.
struct LengthRule {
  enum class Kind {
    kNone,    // sum
    kMean,    // sum / n
    kGnmt,    // sum / ((5 + n) / 6)^alpha
    kPower,   // sum / n^alpha
    kMarian,  // (sum - wordPenalty * n) / n^alpha
  };
  Kind kind = Kind::kMean;
  double alpha = 1;        // kGnmt, kPower and kMarian only; >= 0
  double wordPenalty = 0;  // kMarian only; natural logarithm per token, below 0 favours long ones

  // Reads "none", "mean", "gnmt:A", "power:A" or "marian:A,W"; anything else is a usage error.
  static LengthRule parse(std::string_view text);
  // Rules whose numbers may be ranges LOW..HIGH:STEP, both ends included: "gnmt:0..2:0.1". At most
  // 10,000 rules.
  static std::vector<LengthRule> parseGrid(std::string_view text);
  std::string text() const;  // inverse of parse
  double score(double sum, double tokens) const;

  bool operator==(const LengthRule&) const = default;
};

}  // namespace strata
