#include "core/data/text_choice.h"

#include <algorithm>
#include <cctype>

namespace strata {
namespace {

std::string canonical(std::string_view code) {
  std::string result(code);
  for (char& c : result)
    c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

std::string_view nameOf(TextRole role) {
  switch (role) {
    case TextRole::kSource:
      return "source";
    case TextRole::kReference:
      return "reference";
    case TextRole::kOutput:
      return "output";
  }
  return "";
}

bool isLanguageCode(std::string_view text) {
  const auto size = std::min(text.find_first_of("-_"), text.size());
  return (size == 2 || size == 3) && !isSameCode(text, "any");
}

bool isSameCode(std::string_view a, std::string_view b) {
  return canonical(a) == canonical(b);
}

bool isSameLanguage(std::string_view a, std::string_view b) {
  const std::string one = canonical(a), other = canonical(b);
  if (one == other) return true;
  const auto dash = one.find('-'), otherDash = other.find('-');
  if ((dash == std::string::npos) == (otherDash == std::string::npos)) return false;
  return one.substr(0, dash) == other.substr(0, otherDash);
}

}  // namespace strata
