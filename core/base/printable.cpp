#include "core/base/printable.h"

#include <algorithm>

#include "core/base/utf8.h"

namespace strata {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool isControl(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
}

bool isPlain(char byte) {
  return byte >= 0x20 && byte < 0x7F;
}

std::string cleaned(std::string_view text, std::string_view kept) {
  if (std::ranges::all_of(text, isPlain)) return std::string(text);
  std::string clean;
  while (!text.empty()) {
    const std::size_t good = firstInvalidUtf8(text).value_or(text.size());
    forEachCharacter(text.substr(0, good), [&](char32_t code, std::string_view bytes) {
      const bool stays = !isControl(code) || kept.find(bytes) != std::string_view::npos;
      clean += stays ? bytes : kReplacement;
    });
    if (good < text.size()) clean += kReplacement;
    text.remove_prefix(std::min(good + 1, text.size()));
  }
  return clean;
}

}  // namespace

std::string printable(std::string_view text) {
  return cleaned(text, "");
}

std::string printableLines(std::string_view text) {
  return cleaned(text, "\n\t");
}

}  // namespace strata
