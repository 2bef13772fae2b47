#include "core/run/length_rule.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/error.h"

namespace strata {
namespace {

// "A,B,..." as finite numbers; none if it is anything else.
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

constexpr std::size_t kMostRules = 10'000;

// "LOW..HIGH:STEP" or one number, each formatted as a user would write it.
std::vector<std::string> rangeOf(std::string_view text) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) return {std::string(text)};
  const auto colon = text.find(':', dots);
  if (colon == std::string_view::npos) return {};
  const auto low = numbersOf(text.substr(0, dots)), step = numbersOf(text.substr(colon + 1));
  const auto high = numbersOf(text.substr(dots + 2, colon - dots - 2));
  if (!low || !high || !step || low->size() + high->size() + step->size() != 3) return {};
  const double steps = (high->front() - low->front()) / step->front();
  if (!(step->front() > 0) || !(steps >= 0) || steps >= double(kMostRules)) return {};
  std::vector<std::string> numbers;
  for (int i = 0; i <= static_cast<int>(steps + 1e-9); ++i)
    numbers.push_back(fmt::format("{:.10g}", low->front() + i * step->front()));
  return numbers;
}

}  // namespace

std::vector<LengthRule> LengthRule::parseGrid(std::string_view text) {
  const auto colon = std::min(text.find(':'), text.size());
  std::vector<std::string> rules{std::string(text.substr(0, colon))};
  for (std::size_t begin = colon; begin < text.size();) {  // at ':' first, then at each ','
    const std::size_t end = std::min(text.find(',', begin + 1), text.size());
    const auto numbers = rangeOf(text.substr(begin + 1, end - begin - 1));
    std::vector<std::string> longer;
    for (const std::string& rule : rules) {
      for (const std::string& number : numbers) longer.push_back(rule + text[begin] + number);
    }
    if (longer.empty() || longer.size() > kMostRules) {
      throw usageError(
          "'{}' is not a range of length rules: write a rule with LOW..HIGH:STEP for a number, "
          "such as gnmt:0..2:0.1",
          text);
    }
    rules = std::move(longer);
    begin = end;
  }
  std::vector<LengthRule> parsed;
  for (const std::string& rule : rules) parsed.push_back(parse(rule));
  return parsed;
}

LengthRule LengthRule::parse(std::string_view text) {
  if (text == "none") return {.kind = Kind::kNone};
  if (text == "mean") return {.kind = Kind::kMean};
  if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    const auto numbers = numbersOf(text.substr(colon + 1));
    const auto rule = numbers ? ruleOf(text.substr(0, colon), *numbers) : std::nullopt;
    if (rule) return *rule;
  }
  throw usageError(
      "'{}' is not a length rule: expected none, mean, gnmt:A, power:A or marian:A,W with A >= 0",
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
