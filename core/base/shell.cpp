#include "core/base/shell.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace strata {

std::string quotedForShell(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string wordForShell(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-_./+,:@=%").find(char(c)) != std::string_view::npos;
  });
  return plain ? text : quotedForShell(text);
}

std::string shellLine(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + wordForShell(word);
  return line;
}

}  // namespace strata
