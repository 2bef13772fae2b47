#include "core/curves/log_text.h"

#include <cmath>
#include <ctime>

#include "core/base/parse_number.h"

namespace strata {
namespace {

// The digits at a place of the text; -1 if there is anything else.
int digitsAt(std::string_view text, std::size_t at, std::size_t count) {
  if (text.size() < at + count) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

// Whether a text has the form's signs, digits where it has letters, and a blank or "T" for '_'.
bool hasForm(std::string_view text, std::string_view form) {
  if (text.size() < form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const char sign = form[i];
    const bool good = sign == '_'                  ? text[i] == ' ' || text[i] == 'T'
                      : sign >= 'A' && sign <= 'z' ? text[i] >= '0' && text[i] <= '9'
                                                   : text[i] == sign;
    if (!good) return false;
  }
  return true;
}

// ",123" or ".123456" at the beginning, in seconds.
double takeFraction(std::string_view& text) {
  if (text.size() < 2 || (text[0] != ',' && text[0] != '.')) return 0;
  double value = 0, parts = 1;
  std::size_t end = 1;
  for (; end < text.size() && text[end] >= '0' && text[end] <= '9'; ++end) {
    if (parts >= 1e9) continue;  // more digits than a clock has
    value = value * 10 + (text[end] - '0');
    parts *= 10;
  }
  if (end == 1) return 0;
  text.remove_prefix(end);
  return value / parts;
}

// "Z", "+02:00" or "-0130" at the beginning, in seconds east of Greenwich.
std::optional<int> takeZone(std::string_view& text) {
  if (take(text, "Z")) return 0;
  if (!text.starts_with('+') && !text.starts_with('-')) return {};
  const std::size_t colon = text.size() > 3 && text[3] == ':' ? 1 : 0;
  const int hours = digitsAt(text, 1, 2), minutes = digitsAt(text, 3 + colon, 2);
  if (hours < 0 || minutes < 0) return {};
  const int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(5 + colon);
  return sign * (hours * 3600 + minutes * 60);
}

}  // namespace

std::optional<double> numberIn(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  return parseNumber<double>(text);
}

std::optional<std::int64_t> wholeNumberIn(std::string_view text) {
  const auto value = numberIn(text);
  constexpr double kLargest = 1e15;
  if (!value || !(std::abs(*value) <= kLargest) || *value != std::floor(*value)) return {};
  return static_cast<std::int64_t>(*value);
}

std::optional<double> takeTime(std::string_view& text) {
  const bool american = hasForm(text, "MM/DD/YYYY_hh:mm:ss");
  if (!american && !hasForm(text, "YYYY-MM-DD_hh:mm:ss") && !hasForm(text, "YYYY/MM/DD_hh:mm:ss"))
    return {};
  std::tm time{};
  time.tm_year = digitsAt(text, american ? 6 : 0, 4) - 1900;
  time.tm_mon = digitsAt(text, american ? 0 : 5, 2) - 1;
  time.tm_mday = digitsAt(text, american ? 3 : 8, 2);
  time.tm_hour = digitsAt(text, 11, 2);
  time.tm_min = digitsAt(text, 14, 2);
  time.tm_sec = digitsAt(text, 17, 2);
  time.tm_isdst = -1;
  text.remove_prefix(19);
  const double fraction = takeFraction(text);
  const auto zone = takeZone(text);
  const double seconds =
      zone ? static_cast<double>(::timegm(&time)) - *zone : static_cast<double>(std::mktime(&time));
  return seconds + fraction;
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
