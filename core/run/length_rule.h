#pragma once
#include <string>
#include <string_view>

namespace strata {

// How finished hypotheses are ranked: the sum of log-probabilities over a divisor that depends on
// n, the tokens produced, </s> included. It never prunes.
struct LengthRule {
  enum class Kind {
    kNone,   // sum
    kMean,   // sum / n
    kGnmt,   // sum / ((5 + n) / 6)^alpha
    kPower,  // sum / n^alpha
  };
  Kind kind = Kind::kMean;
  double alpha = 1;  // kGnmt and kPower only; >= 0

  // "none", "mean", "gnmt:A" or "power:A"; anything else is a usage error.
  static LengthRule parse(std::string_view text);
  std::string text() const;  // parse reads it back
  double divisor(double tokens) const;

  bool operator==(const LengthRule&) const = default;
};

}  // namespace strata
