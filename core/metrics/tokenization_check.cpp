#include "core/metrics/tokenization_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/utf8.h"
#include "core/text/casing.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::size_t kMany = 100, kSmallSet = 20;

// Lines of a text with signs of a tokenizer.
struct Signs {
  std::size_t lines = 0, periods = 0, subwords = 0;
  std::size_t firstSubword = 0;  // line, from 1

  bool hasManyPeriods() const {
    return periods >= kMany || (lines >= kSmallSet && 2 * periods >= lines);
  }
};

bool endsInTokenizedPeriod(std::string_view line) {
  line = trimmed(line);
  for (const std::string_view period : {" .", " \u3002", " \u0964"}) {
    if (line.ends_with(period)) return true;
  }
  return false;
}

Signs signsOf(std::span<const std::string> text) {
  Signs signs{.lines = text.size()};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (endsInTokenizedPeriod(text[i])) ++signs.periods;
    if (holdsSubwords(text[i]) && signs.subwords++ == 0) signs.firstSubword = i + 1;
  }
  return signs;
}

bool hasCapitals(std::span<const std::string> lines) {
  return std::ranges::any_of(
      lines, [](const std::string& line) { return isValidUtf8(line) && lowercased(line) != line; });
}

}  // namespace

bool lackCapitals(std::span<const std::string> translations,
                  std::span<const std::vector<std::string>> references) {
  return std::ranges::any_of(references, hasCapitals) && !hasCapitals(translations);
}

bool holdsSubwords(std::string_view line) {
  bool found = line.find(kWordStart) != line.npos;
  forEachWord(line,
              [&](std::string_view word) { found |= word.size() > 2 && word.ends_with("@@"); });
  return found;
}

std::vector<std::string> tokenizationWarnings(
    std::string_view name, std::span<const std::string> translations,
    std::span<const std::vector<std::string>> references) {
  const Signs own = signsOf(translations);
  Signs others;
  for (const auto& reference : references) {
    const Signs signs = signsOf(reference);
    others.lines = std::max(others.lines, signs.lines);
    others.periods = std::max(others.periods, signs.periods);
    others.subwords = std::max(others.subwords, signs.subwords);
  }
  std::vector<std::string> warnings;
  if (own.subwords > 0 && others.subwords == 0) {
    warnings.push_back(fmt::format(
        "{}: {} translations contain subword marks (first line {}): join the subwords, or they "
        "count as different words than the references'",
        name, own.subwords, own.firstSubword));
  } else if (others.subwords > 0 && own.subwords == 0) {
    warnings.push_back(fmt::format(
        "{}: {} references contain subword marks, but no translation does: join their subwords",
        name, others.subwords));
  }
  const bool tokens = own.hasManyPeriods() && 2 * others.periods < own.periods,
             otherTokens = others.hasManyPeriods() && 2 * own.periods < others.periods;
  if (!references.empty() && (tokens || otherTokens)) {
    warnings.push_back(fmt::format(
        "{}: {} of {} translations and {} of their references end in a tokenized period (' .'): {}",
        name, own.periods, own.lines, others.periods,
        tokens ? "detokenize the translations" : "give references that are not tokenized"));
  }
  return warnings;
}

}  // namespace strata
