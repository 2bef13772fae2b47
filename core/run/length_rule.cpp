#include "core/run/length_rule.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/error.h"

namespace strata {
namespace {

// "A,B,..." as finite numbers; none where it is anything else.
std::optional<std::vector<double>> numbersOf(std::string_view text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  for (;;) {
    double number = 0;
    const auto [rest, code] = std::from_chars(at, end, number);
    if (code != std::errc() || !std::isfinite(number)) return std::nullopt;
    numbers.push_back(number);
    if (rest == end) return numbers;
    if (*rest != ',') return std::nullopt;
    at = rest + 1;
  }
}

std::optional<LengthRule> ruleOf(std::string_view name, const std::vector<double>& numbers) {
  using Kind = LengthRule::Kind;
  if (numbers.front() < 0) return std::nullopt;
  if (name == "marian" && numbers.size() == 2)
    return LengthRule{.kind = Kind::kMarian, .alpha = numbers[0], .wordPenalty = numbers[1]};
  if (numbers.size() != 1) return std::nullopt;
  if (name == "gnmt") return LengthRule{.kind = Kind::kGnmt, .alpha = numbers[0]};
  if (name == "power") return LengthRule{.kind = Kind::kPower, .alpha = numbers[0]};
  return std::nullopt;
}

}  // namespace

LengthRule LengthRule::parse(std::string_view text) {
  if (text == "none") return {.kind = Kind::kNone};
  if (text == "mean") return {.kind = Kind::kMean};
  if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    const auto numbers = numbersOf(text.substr(colon + 1));
    const auto rule = numbers ? ruleOf(text.substr(0, colon), *numbers) : std::nullopt;
    if (rule) return *rule;
  }
  throw usageError(
      "'{}' is not a length rule: write none, mean, gnmt:A, power:A or marian:A,W with A >= 0",
      text);
}

std::string LengthRule::text() const {
  switch (kind) {
    case Kind::kNone:
      return "none";
    case Kind::kMean:
      return "mean";
    case Kind::kGnmt:
      return fmt::format("gnmt:{}", alpha);
    case Kind::kPower:
      return fmt::format("power:{}", alpha);
    case Kind::kMarian:
      return fmt::format("marian:{},{}", alpha, wordPenalty);
  }
  return "none";
}

double LengthRule::score(double sum, double tokens) const {
  switch (kind) {
    case Kind::kNone:
      return sum;
    case Kind::kMean:
      return sum / tokens;
    case Kind::kGnmt:
      return sum / std::pow((5 + tokens) / 6, alpha);
    case Kind::kPower:
      return sum / std::pow(tokens, alpha);
    case Kind::kMarian:
      return (sum - wordPenalty * tokens) / std::pow(tokens, alpha);
  }
  return sum;
}

}  // namespace strata
