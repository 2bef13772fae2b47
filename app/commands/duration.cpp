#include "app/commands/duration.h"

#include <charconv>
#include <cstdint>
#include <map>

#include "core/base/error.h"

namespace strata {

double secondsFrom(const std::string& option, const std::string& text) {
  static const std::map<char, double> kUnits{
      {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
  std::uint32_t count = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  const auto unit = end + 1 == text.data() + text.size() ? kUnits.find(*end) : kUnits.end();
  if (code != std::errc() || unit == kUnits.end())
    throw usageError("{} {}: expects a number and one of s, m, h, d, w, such as 30d", option, text);
  return count * unit->second;
}

}  // namespace strata
