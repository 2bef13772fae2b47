#include "core/text/nonbreaking_prefixes.h"

#include <cstddef>

#include "core/text/character_classes.h"
#include "core/text/words.h"
#include "embedded/nonbreakingPrefixes.h"

namespace strata {
namespace {

std::string_view listOf(std::string_view language) {
  const std::string wanted = "nonbreaking_prefix." + std::string(language);
  std::string_view english;
  for (const auto& [name, content] : embedded::nonbreakingPrefixes()) {
    if (name == wanted) return content;
    if (name == "nonbreaking_prefix.en") english = content;
  }
  return english;
}

// Where the one white-space character before the mark of a numeric prefix begins; npos if the line
// has no such mark.
std::size_t numericMark(std::string_view line) {
  constexpr std::string_view kMark = "#NUMERIC_ONLY#";
  const CharacterClasses classes;
  for (std::size_t mark = line.rfind(kMark); mark != std::string_view::npos && mark > 0;
       mark = line.rfind(kMark, mark - 1)) {
    std::size_t before = mark;
    if (classes.is(decodeUtf8Before(line, before), kWhiteSpace)) return before;
  }
  return std::string_view::npos;
}

}  // namespace

NonbreakingPrefixes::NonbreakingPrefixes(std::string_view language) {
  std::string_view rest = listOf(language);
  while (!rest.empty()) {
    const std::string_view line = takeLine(rest);
    if (line.empty() || line == "0" || line.front() == '#') continue;
    const std::size_t mark = numericMark(line);
    prefixes_[std::string(line.substr(0, mark))] =
        mark == std::string_view::npos ? Kind::kAlways : Kind::kBeforeNumber;
  }
}

}  // namespace strata
