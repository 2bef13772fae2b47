#include "core/run/length_rule.h"

#include <charconv>
#include <cmath>

#include "core/base/error.h"

namespace strata {

LengthRule LengthRule::parse(std::string_view text) {
  if (text == "none") return {.kind = Kind::kNone, .alpha = 1};
  if (text == "mean") return {.kind = Kind::kMean, .alpha = 1};
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (colon != std::string_view::npos && (name == "gnmt" || name == "power")) {
    const std::string_view number = text.substr(colon + 1);
    double alpha = 0;
    const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), alpha);
    if (code == std::errc() && end == number.data() + number.size() && alpha >= 0 &&
        std::isfinite(alpha)) {
      return {.kind = name == "gnmt" ? Kind::kGnmt : Kind::kPower, .alpha = alpha};
    }
  }
  throw usageError("'{}' is not a length rule: write none, mean, gnmt:A or power:A with A >= 0",
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
  }
  return "none";
}

double LengthRule::divisor(double tokens) const {
  switch (kind) {
    case Kind::kNone:
      return 1;
    case Kind::kMean:
      return tokens;
    case Kind::kGnmt:
      return std::pow((5 + tokens) / 6, alpha);
    case Kind::kPower:
      return std::pow(tokens, alpha);
  }
  return 1;
}

}  // namespace strata
