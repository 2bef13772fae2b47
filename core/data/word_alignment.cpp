#include "core/data/word_alignment.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

}  // namespace

// Distributes one generated word over its possible causes: adds its share to every count.
// `entryAt(i)` is the entry with the i-th of `causes`.
template <typename EntryAt>
void IbmModel1::Direction::share(std::int32_t word, std::size_t causes, EntryAt entryAt) {
  const double empty = emptyProbability[static_cast<std::size_t>(word)];
  double sum = empty;
  for (std::size_t i = 0; i < causes; ++i) sum += of(entryAt(i));
  if (!(sum > 0)) return;  // no remaining cause can have generated it
  for (std::size_t i = 0; i < causes; ++i) count[entryAt(i)] += of(entryAt(i)) / sum;
  emptyCount[static_cast<std::size_t>(word)] += empty / sum;
}

// The most likely cause's position, kNone for the empty word.
template <typename EntryAt>
std::size_t IbmModel1::Direction::likeliest(std::int32_t word, std::size_t causes,
                                            EntryAt entryAt) const {
  std::size_t best = kNone;
  double most = 0;
  for (std::size_t i = 0; i < causes; ++i) {
    const double p = of(entryAt(i));
    if (best != kNone && p <= most) continue;
    best = i;
    most = p;
  }
  return emptyProbability[static_cast<std::size_t>(word)] > most ? kNone : best;
}

// Counts of an iteration become probabilities of the next.
void IbmModel1::Direction::normaliseEmpty() {
  const double sum = std::accumulate(emptyCount.begin(), emptyCount.end(), 0.0);
  for (std::size_t i = 0; i < emptyCount.size(); ++i)
    emptyProbability[i] = sum > 0 ? emptyCount[i] / sum : 0;
  std::fill(emptyCount.begin(), emptyCount.end(), 0);
}

void WordPairs::add(std::string_view source, std::string_view target) {
  sides_[0].add(source);
  sides_[1].add(target);
}

void WordPairs::SideWords::add(std::string_view line) {
  forEachWord(line, [&](std::string_view word) {
    auto found = numbers.find(word);
    if (found == numbers.end()) {
      found = numbers.emplace(std::string(word), static_cast<std::int32_t>(words.size())).first;
      words.emplace_back(word);
    }
    text.push_back(found->second);
  });
  ends.push_back(text.size());
}

std::span<const std::int32_t> WordPairs::SideWords::of(std::int64_t pair) const {
  const auto at = static_cast<std::size_t>(pair);
  const std::size_t begin = at == 0 ? 0 : ends[at - 1];
  return std::span(text).subspan(begin, ends[at] - begin);
}

IbmModel1::IbmModel1(const WordPairs& pairs) : pairs_(pairs) {
  findEntries();
  toTarget_ = Direction(entries(), pairs.targetWords().size());
  toSource_ = Direction(entries(), pairs.sourceWords().size());
}

// Row by row, so that at most one row's repetitions are in memory at once.
void IbmModel1::findEntries() {
  const std::size_t words = pairs_.sourceWords().size();
  std::vector<std::size_t> begins(words + 1, 0);  // of each source word's pairs in `places`
  for (std::int64_t pair = 0; pair < pairs_.size(); ++pair) {
    for (const std::int32_t word : pairs_.source(pair))
      ++begins[static_cast<std::size_t>(word) + 1];
  }
  for (std::size_t w = 0; w < words; ++w) begins[w + 1] += begins[w];
  std::vector<std::int32_t> places(begins[words]);
  auto next = begins;
  for (std::int64_t pair = 0; pair < pairs_.size(); ++pair) {
    for (const std::int32_t word : pairs_.source(pair))
      places[next[static_cast<std::size_t>(word)]++] = static_cast<std::int32_t>(pair);
  }
  std::vector<std::size_t> seen(pairs_.targetWords().size(),
                                kNone);  // the last source word that it met
  rows_.assign(1, 0);
  for (std::size_t w = 0; w < words; ++w) {
    for (std::size_t i = begins[w]; i < begins[w + 1]; ++i) {
      for (const std::int32_t target : pairs_.target(places[i])) {
        if (std::exchange(seen[static_cast<std::size_t>(target)], w) != w)
          targets_.push_back(target);
      }
    }
    std::sort(targets_.begin() + static_cast<std::ptrdiff_t>(rows_.back()), targets_.end());
    rows_.push_back(targets_.size());
  }
}

std::size_t IbmModel1::entryOf(std::int32_t source, std::int32_t target) const {
  const auto row = static_cast<std::size_t>(source);
  const auto begin = targets_.begin() + static_cast<std::ptrdiff_t>(rows_[row]);
  const auto end = targets_.begin() + static_cast<std::ptrdiff_t>(rows_[row + 1]);
  const auto found = std::lower_bound(begin, end, target);
  return found == end || *found != target ? kNone
                                          : static_cast<std::size_t>(found - targets_.begin());
}

std::span<const std::size_t> IbmModel1::entriesOf(std::int64_t pair) const {
  const auto source = pairs_.source(pair), target = pairs_.target(pair);
  matrix_.clear();
  for (const std::int32_t s : source) {
    for (const std::int32_t t : target) matrix_.push_back(entryOf(s, t));
  }
  return matrix_;
}

void IbmModel1::iterate(Progress& progress) {
  for (std::int64_t pair = 0; pair < pairs_.size(); ++pair) {
    const auto source = pairs_.source(pair), target = pairs_.target(pair);
    const auto entries = entriesOf(pair);
    for (std::size_t j = 0; j < target.size(); ++j) {
      toTarget_.share(target[j], source.size(),
                      [&](std::size_t i) { return entries[i * target.size() + j]; });
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
      toSource_.share(source[i], target.size(),
                      [&](std::size_t j) { return entries[i * target.size() + j]; });
    }
    progress.advance(pair + 1);
  }
  normalise();
}

void IbmModel1::normalise() {
  std::vector<double> ofTarget(pairs_.targetWords().size(), 0);
  for (std::size_t entry = 0; entry < entries(); ++entry)
    ofTarget[static_cast<std::size_t>(targets_[entry])] += toSource_.count[entry];
  for (std::size_t row = 0; row + 1 < rows_.size(); ++row) {
    double ofSource = 0;
    for (std::size_t entry = rows_[row]; entry < rows_[row + 1]; ++entry)
      ofSource += toTarget_.count[entry];
    for (std::size_t entry = rows_[row]; entry < rows_[row + 1]; ++entry) {
      toTarget_.probability[entry] = static_cast<float>(toTarget_.count[entry] / ofSource);
      toSource_.probability[entry] = static_cast<float>(
          toSource_.count[entry] / ofTarget[static_cast<std::size_t>(targets_[entry])]);
    }
  }
  for (Direction* direction : {&toTarget_, &toSource_}) {
    std::fill(direction->count.begin(), direction->count.end(), 0);
    direction->normaliseEmpty();
  }
}

double IbmModel1::targetGivenSource(std::int32_t target, std::int32_t source) const {
  if (source == kEmpty) return toTarget_.emptyProbability[static_cast<std::size_t>(target)];
  const std::size_t entry = entryOf(source, target);
  return entry == kNone ? 0 : toTarget_.of(entry);
}

double IbmModel1::sourceGivenTarget(std::int32_t source, std::int32_t target) const {
  if (target == kEmpty) return toSource_.emptyProbability[static_cast<std::size_t>(source)];
  const std::size_t entry = entryOf(source, target);
  return entry == kNone ? 0 : toSource_.of(entry);
}

std::vector<IbmModel1::Link> IbmModel1::links(std::int64_t pair) const {
  const auto source = pairs_.source(pair), target = pairs_.target(pair);
  const auto entries = entriesOf(pair);
  std::vector<std::size_t> partners;  // of each source position
  for (std::size_t i = 0; i < source.size(); ++i) {
    partners.push_back(toSource_.likeliest(
        source[i], target.size(), [&](std::size_t j) { return entries[i * target.size() + j]; }));
  }
  std::vector<Link> links;
  for (std::size_t j = 0; j < target.size(); ++j) {
    const std::size_t i = toTarget_.likeliest(
        target[j], source.size(), [&](std::size_t at) { return entries[at * target.size() + j]; });
    if (i == kNone || partners[i] != j) continue;
    links.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j),
                     entries[i * target.size() + j]});
  }
  return links;
}

}  // namespace strata
