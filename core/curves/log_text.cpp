#include "core/curves/log_text.h"

#include <charconv>
#include <cmath>
#include <ctime>

namespace strata {
namespace {

// The digits at a place of the text; -1 if there is anything else.
int digitsAt(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

}  // namespace

std::optional<double> numberIn(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const char* last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, value);
  if (end != last || text.empty()) return {};
  if (code == std::errc::result_out_of_range) return std::nullopt;
  return code == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> wholeNumberIn(std::string_view text) {
  const auto value = numberIn(text);
  constexpr double kLargest = 1e15;
  if (!value || !(std::abs(*value) <= kLargest) || *value != std::floor(*value)) return {};
  return static_cast<std::int64_t>(*value);
}

std::optional<double> takeTime(std::string_view& text) {
  constexpr std::string_view kForm = "YYYY-MM-DD hh:mm:ss";
  if (text.size() < kForm.size()) return {};
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool sign = kForm[i] == '-' || kForm[i] == ' ' || kForm[i] == ':';
    if (sign ? text[i] != kForm[i] : text[i] < '0' || text[i] > '9') return {};
  }
  std::tm time{};
  time.tm_year = digitsAt(text, 0, 4) - 1900;
  time.tm_mon = digitsAt(text, 5, 2) - 1;
  time.tm_mday = digitsAt(text, 8, 2);
  time.tm_hour = digitsAt(text, 11, 2);
  time.tm_min = digitsAt(text, 14, 2);
  time.tm_sec = digitsAt(text, 17, 2);
  time.tm_isdst = -1;
  text.remove_prefix(kForm.size());
  double fraction = 0;
  if (text.size() >= 4 && text[0] == ',' && digitsAt(text, 1, 3) >= 0) {
    fraction = digitsAt(text, 1, 3) / 1000.0;
    text.remove_prefix(4);
  }
  return static_cast<double>(std::mktime(&time)) + fraction;
}

bool take(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

std::string_view takeUntil(std::string_view& text, std::string_view part) {
  const std::size_t at = text.find(part);
  const std::string_view before = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + part.size());
  return before;
}

}  // namespace strata
