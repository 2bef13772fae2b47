#include "core/systems/import_checks.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <string_view>

#include "core/metrics/tokenization_check.h"
#include "core/text/casing.h"
#include "core/text/replace.h"
#include "core/text/words.h"

namespace strata {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t kFewLines = 10;  // fewer may lack capital letters by chance

// Subwords joined, in lower case.
std::multiset<std::string> comparableWords(std::string line) {
  replaceAll(line, "@@ ", "");
  replaceAll(line, kWordStart, " ");
  std::multiset<std::string> words;
  forEachWord(lowercased(line), [&](std::string_view word) {
    if (word != "<unk>" && word != "<<unk>>")
      words.emplace(word);  // fairseq marks the unknown words of T- lines this way
  });
  return words;
}

// Whether at least half of the words occur in the other line.
bool agrees(const std::multiset<std::string>& words, const std::string& other) {
  const auto others = comparableWords(other);
  Lines common;
  std::ranges::set_intersection(words, others, std::back_inserter(common));
  return 2 * common.size() >= words.size();
}

std::string startOf(const std::string& line) {
  constexpr std::size_t kWords = 8;
  const auto words = wordsOf(line);
  return fmt::format("{}{}", fmt::join(words | std::views::take(kWords), " "),
                     words.size() > kWords ? " ..." : "");
}

// Another tokenization or casing leaves most words unchanged; another test set shares few.
// `states`: the set's text in each available state.
void compareLines(const std::string& what, const Lines& own, const std::vector<Lines>& states,
                  std::vector<std::string>& warnings) {
  if (own.empty() || states.empty()) return;
  std::size_t others = 0, first = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto words = comparableWords(own[i]);
    const auto same = [&](const Lines& lines) { return agrees(words, lines[i]); };
    if (std::ranges::any_of(states, same)) continue;
    if (others++ == 0) first = i;
  }
  if (2 * others <= own.size()) return;
  warnings.push_back(fmt::format(
      "{}: {} of {} sentences differ from those of the test set (first line {}: '{}' against "
      "'{}'); are these translations of another test set?",
      what, others, own.size(), first + 1, startOf(own[first]), startOf(states.front()[first])));
}

}  // namespace

std::vector<std::string> importWarnings(const std::string& file, const SystemOutput& output,
                                        const TestSet& set, TextState state) {
  std::vector<std::string> warnings;
  std::size_t empty = 0, firstEmpty = 0;
  for (std::size_t i = 0; i < output.lines.size(); ++i) {
    const std::string& line = output.lines[i];
    if (line.find_first_not_of(" \t") == line.npos && empty++ == 0) firstEmpty = i + 1;
  }
  if (empty == output.lines.size()) {
    warnings.push_back(fmt::format("{}: every translation is empty", file));
  } else if (empty > 0) {
    warnings.push_back(fmt::format("{}: {} of {} translations are empty (first line {})", file,
                                   empty, output.lines.size(), firstEmpty));
  }
  const auto same = set.has(state) ? set.referenceLines(state) : std::vector<Lines>();
  for (std::string& warning : tokenizationWarnings(file, output.lines, same))
    warnings.push_back(std::move(warning));
  if (output.lines.size() >= kFewLines && lackCapitals(output.lines, same)) {
    warnings.push_back(fmt::format(
        "{}: no translation has a capital letter, but the references have some: scores that count "
        "case are lower for that alone",
        file));
  }
  std::vector<Lines> sources, references;
  for (const TextState each : {TextState::kTokens, TextState::kRaw}) {
    if (!set.has(each)) continue;
    if (!output.references.empty()) references.push_back(set.referenceLines(each).front());
    if (output.sources.empty()) continue;
    if (auto lines = set.sourceLines(each); !lines.empty()) sources.push_back(std::move(lines));
  }
  compareLines(file + ": sources", output.sources, sources, warnings);
  compareLines(file + ": references", output.references, references, warnings);
  return warnings;
}

}  // namespace strata
