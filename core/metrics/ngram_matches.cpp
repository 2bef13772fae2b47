#include "core/metrics/ngram_matches.h"

#include <algorithm>
#include <bit>

namespace strata {
namespace {

constexpr unsigned kCodePointBits = 21;  // U+10FFFF and below

// Never 0 for a code point; for a word's hash 0 is as rare as any other number.
template <typename Symbol>
std::uint64_t keyOf(std::uint32_t entry, Symbol symbol) {
  return (std::uint64_t{entry} << kCodePointBits) + symbol + 1;
}

template <typename Places>
void startAnywhere(std::size_t length, Places& places) {
  places.resize(length);
  for (std::uint32_t i = 0; i < length; ++i) places[i] = {i, 0};
}

}  // namespace

// Where the key is, or would be inserted.
inline std::uint32_t NGramMatches::Table::find(std::uint64_t key) const {
  const std::size_t mask = (std::size_t{1} << bits) - 1;
  std::size_t at = key * 0x9E3779B97F4A7C15 >> (64 - bits);
  while (entries[at].key != key && entries[at].key != 0) at = (at + 1) & mask;
  return static_cast<std::uint32_t>(at);
}

template <typename Symbol>
void NGramMatches::count(std::span<const std::vector<Symbol>> references,
                         std::span<const Symbol> hypothesis, std::span<std::uint32_t> shared) {
  theirs_.resize(references.size());
  for (std::size_t r = 0; r < references.size(); ++r)
    startAnywhere(references[r].size(), theirs_[r]);
  startAnywhere(hypothesis.size(), ours_);
  std::fill(shared.begin(), shared.end(), 0);
  for (std::size_t n = 0; n < shared.size() && !ours_.empty(); ++n) {
    std::size_t places = 0;
    for (const Places& line : theirs_) places += line.size();
    const Table table = freshTable(places);
    for (std::size_t r = 0; r < references.size(); ++r) {
      if (r > 0) {
        for (Entry& entry : table.all()) entry.times = 0;
      }
      enter(std::span<const Symbol>(references[r]), n, table, theirs_[r]);
    }
    shared[n] = match(hypothesis, n, table, ours_);
    for (Places& line : theirs_) keepShared(table, line);
  }
}

// Places whose line ends after the `before` symbols already matched are dropped here and in
// match(). Decisions at each place, which are unpredictable, are arithmetic instead of branches.
template <typename Symbol>
void NGramMatches::enter(std::span<const Symbol> line, std::size_t before, Table table,
                         Places& places) {
  std::size_t kept = 0;
  for (Place place : places) {
    if (place.position + before >= line.size()) break;
    const std::uint64_t key = keyOf(place.entry, line[place.position + before]);
    place.entry = table.find(key);
    Entry& entry = table.entries[place.entry];
    entry.key = key;
    entry.left = std::max(entry.left, ++entry.times);
    places[kept++] = place;
  }
  places.resize(kept);
}

template <typename Symbol>
std::uint32_t NGramMatches::match(std::span<const Symbol> line, std::size_t before, Table table,
                                  Places& places) {
  std::uint32_t matched = 0;
  std::size_t kept = 0;
  for (Place place : places) {
    if (place.position + before >= line.size()) break;
    place.entry = table.find(keyOf(place.entry, line[place.position + before]));
    Entry& entry = table.entries[place.entry];
    const std::uint32_t matches = entry.left > 0 ? 1 : 0;
    entry.left -= matches;
    matched += matches;
    entry.times = kShared;
    places[kept] = place;
    kept += entry.key != 0 ? 1 : 0;
  }
  places.resize(kept);
  return matched;
}

void NGramMatches::keepShared(Table table, Places& places) {
  std::size_t kept = 0;
  for (const Place place : places) {
    places[kept] = place;
    kept += table.entries[place.entry].times == kShared ? 1 : 0;
  }
  places.resize(kept);
}

NGramMatches::Table NGramMatches::freshTable(std::size_t most) {
  const auto bits = static_cast<unsigned>(std::bit_width(2 * most + 1));
  const std::size_t size = std::size_t{1} << bits;
  if (entries_.size() < size) entries_.resize(size);
  std::fill_n(entries_.begin(), size, Entry{});
  return {entries_.data(), bits};
}

template void NGramMatches::count(std::span<const std::vector<char32_t>>, std::span<const char32_t>,
                                  std::span<std::uint32_t>);
template void NGramMatches::count(std::span<const std::vector<std::uint64_t>>,
                                  std::span<const std::uint64_t>, std::span<std::uint32_t>);

}  // namespace strata
