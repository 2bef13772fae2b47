#include "core/metrics/text_statistics.h"

#include <ranges>
#include <string_view>
#include <unordered_set>

#include "core/metrics/prepared_references.h"
#include "core/text/words.h"

namespace strata {
namespace {

using WordViews = std::vector<std::string_view>;

constexpr std::size_t kLongestRepetition = 4;  // words

WordViews viewsOf(std::string_view line) {
  WordViews words;
  forEachWord(line, [&](std::string_view word) { words.push_back(word); });
  return words;
}

bool repeatsItself(const WordViews& words) {
  for (std::size_t n = 1; n <= kLongestRepetition; ++n) {
    std::size_t equal = 0;  // consecutive words equal to the word n positions before
    for (std::size_t i = n; i < words.size(); ++i) {
      equal = words[i] == words[i - n] ? equal + 1 : 0;
      if (equal == n) return true;
    }
  }
  return false;
}

void addSourceLine(const WordViews& words, const WordViews& source,
                   const std::vector<WordViews>& references, TextStatistics::Source& statistics) {
  if (!words.empty() && words == source) ++statistics.equalLines;
  const std::unordered_set<std::string_view> inSource(source.begin(), source.end());
  std::unordered_set<std::string_view> inReferences;
  for (const WordViews& reference : references)
    inReferences.insert(reference.begin(), reference.end());
  for (const std::string_view word : words) {
    if (inReferences.contains(word)) continue;
    ++(inSource.contains(word) ? statistics.copiedWords : statistics.inventedWords);
  }
}

}  // namespace

TextStatistics textStatistics(std::span<const std::string> hypotheses,
                              const TextStatisticsInput& input) {
  for (const auto& reference : input.references)
    checkSameLines(hypotheses.size(), reference.size(), "reference lines");
  TextStatistics statistics{.lines = hypotheses.size()};
  if (!input.source.empty()) {
    checkSameLines(hypotheses.size(), input.source.size(), "source lines");
    statistics.source = TextStatistics::Source();
  }
  std::unordered_set<std::string_view> types;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    const WordViews words = viewsOf(hypotheses[i]);
    types.insert(words.begin(), words.end());
    statistics.words += static_cast<std::int64_t>(words.size());
    statistics.emptyLines += words.empty() ? 1 : 0;
    statistics.repeatingLines += repeatsItself(words) ? 1 : 0;
    for (std::size_t k = 1; k < words.size(); ++k)
      statistics.repeatedWords += words[k] == words[k - 1] ? 1 : 0;
    std::vector<WordViews> references;
    for (const auto& reference : input.references) references.push_back(viewsOf(reference[i]));
    if (!references.empty()) {
      statistics.referenceWords += static_cast<std::int64_t>(
          closestLength(references | std::views::transform(std::ranges::size), words.size()));
    }
    if (statistics.source)
      addSourceLine(words, viewsOf(input.source[i]), references, *statistics.source);
  }
  statistics.types = static_cast<std::int64_t>(types.size());
  return statistics;
}

}  // namespace strata
