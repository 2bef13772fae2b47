#include "core/metrics/word_accuracy.h"

#include <algorithm>
#include <string_view>

#include "core/base/error.h"
#include "core/metrics/metric.h"
#include "core/text/words.h"

namespace strata {
namespace {

std::vector<WordAccuracy> bucketsOf(const WordAccuracyOptions& options) {
  if (!options.edges.empty() && options.edges.front() <= 0) {
    throw usageError("{} is not a valid edge of word counts: edges must be above 0",
                     options.edges.front());
  }
  // Without values: labels are those of integers if the edges are integers.
  std::vector<Bucket> buckets = bucketsByEdges({}, options.edges);
  buckets.front().low = 0;
  std::vector<WordAccuracy> accuracies;
  for (const Bucket& bucket : buckets) {
    accuracies.push_back({.low = bucket.low, .high = bucket.high, .label = bucket.label()});
  }
  return accuracies;
}

void readSorted(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  forEachWord(line, [&](std::string_view word) { words.push_back(word); });
  std::sort(words.begin(), words.end());
}

}  // namespace

std::vector<WordAccuracy> wordAccuracy(std::span<const std::string> hypotheses,
                                       std::span<const std::string> reference,
                                       const WordCounts& counts,
                                       const WordAccuracyOptions& options) {
  checkSameLines(hypotheses.size(), reference.size());
  std::vector<WordAccuracy> accuracies = bucketsOf(options);
  const auto bucketOf = [&](std::string_view word) -> WordAccuracy& {
    const auto found = counts.find(word);
    const double count = found == counts.end() ? 0 : static_cast<double>(found->second);
    const auto above = std::upper_bound(options.edges.begin(), options.edges.end(), count);
    return accuracies[static_cast<std::size_t>(above - options.edges.begin())];
  };
  std::vector<std::string_view> ours, theirs, both;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    readSorted(hypotheses[i], ours);
    readSorted(reference[i], theirs);
    both.clear();
    std::set_intersection(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                          std::back_inserter(both));  // a word as often as both contain it
    for (const std::string_view word : ours) ++bucketOf(word).hypothesis;
    for (const std::string_view word : theirs) ++bucketOf(word).reference;
    for (const std::string_view word : both) ++bucketOf(word).matched;
  }
  return accuracies;
}

}  // namespace strata
