#include "core/metrics/ter.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/base/digest.h"
#include "core/metrics/shift_search.h"
#include "core/metrics/ter_tokenizer.h"
#include "core/text/words.h"

namespace strata {
namespace {

void hashWords(std::string_view line, std::vector<std::uint64_t>& words) {
  words.clear();
  forEachWord(line, [&](std::string_view word) { words.push_back(checksum64(word)); });
}

// Numbers the words of a pair of lines, so that the search compares small numbers: those of the
// reference from 0, all others kUnknown.
class PairNumbers {
 public:
  std::vector<std::int32_t> hypothesis, reference;

  void number(std::span<const std::uint64_t> ours, std::span<const std::uint64_t> theirs) {
    table_.assign(std::bit_ceil(2 * theirs.size() + 1), Entry{});
    hypothesis.clear();
    reference.clear();
    std::int32_t next = 0;
    for (const std::uint64_t hash : theirs) {
      Entry& entry = entryOf(hash);
      if (entry.number == ShiftSearch::kUnknown) entry = {hash, next++};
      reference.push_back(entry.number);
    }
    for (const std::uint64_t hash : ours) hypothesis.push_back(entryOf(hash).number);
  }

 private:
  struct Entry {
    std::uint64_t hash = 0;
    std::int32_t number = ShiftSearch::kUnknown;  // kUnknown: free
  };
  Entry& entryOf(std::uint64_t hash) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash & mask;
    while (table_[at].number != ShiftSearch::kUnknown && table_[at].hash != hash)
      at = (at + 1) & mask;
    return table_[at];
  }
  std::vector<Entry> table_;  // open addressing
};

}  // namespace

TerMetric::TerMetric(const std::vector<std::vector<std::string>>& references,
                     const TerOptions& options)
    : options_(options),
      references_(references, [&](std::size_t i, std::size_t r, WordHashes& words) {
        std::string line = terTokenized(references[r][i], options);
        // sacreBLEU tokenises references twice and hypotheses once. So "John's." against itself
        // costs 2 edits: the stop, now separate, lets the second pass split 's from the name.
        if (options.normalized) line = terTokenized(line, options);
        hashWords(line, words);
      }) {}

std::string TerMetric::signature() const {
  const auto answer = [](bool yes) { return yes ? "yes" : "no"; };
  return fmt::format("nrefs:{}|case:{}|tok:tercom|norm:{}|punct:{}|asian:{}|version:{}",
                     references_.perSentence(), options_.caseSensitive ? "mixed" : "lc",
                     answer(options_.normalized), answer(!options_.noPunctuation),
                     answer(options_.asianSupport), signatureVersion());
}

void TerMetric::compare(std::size_t sentence, std::string_view hypothesis,
                        std::span<double> row) const {
  const auto lines = references_.of(sentence);
  thread_local std::vector<std::uint64_t> words;
  thread_local PairNumbers numbers;
  thread_local ShiftSearch search;
  hashWords(terTokenized(hypothesis, options_), words);
  int fewest = std::numeric_limits<int>::max();
  std::size_t length = 0;
  for (const WordHashes& reference : lines) {
    numbers.number(words, reference);
    fewest = std::min(fewest, search.edits(numbers.hypothesis, numbers.reference));
    length += reference.size();
  }
  row[0] = static_cast<double>(fewest);
  row[1] = static_cast<double>(length) / static_cast<double>(lines.size());
}

double TerMetric::score(std::span<const double> sums) const {
  if (sums[1] > 0) return 100 * (sums[0] / sums[1]);
  return sums[0] > 0 ? 100 : 0;
}

}  // namespace strata
