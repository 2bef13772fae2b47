#include "core/text/word_counter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>

#include "core/base/digest.h"
#include "core/text/words.h"

namespace strata {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;

}  // namespace

WordCounter::WordCounter() : table_(1 << 12) {}
WordCounter::~WordCounter() = default;
WordCounter::WordCounter(WordCounter&&) noexcept = default;
WordCounter& WordCounter::operator=(WordCounter&&) noexcept = default;

void WordCounter::addLine(std::string_view line) {
  unwanted_.clear();
  addLine(line, unwanted_);
}

void WordCounter::addLine(std::string_view line, std::vector<std::uint32_t>& places) {
  line_.clear();
  forEachWord(trimmed(line, "\r "), [&](std::string_view word) { line_.push_back(hashed(word)); });
  fetchPlaces(line_);
  for (const HashedWord& word : line_) places.push_back(add(word, 1));
}

// Rare words are in no cache, and waiting for memory once per word would take most of the time:
// what the words of a line need is requested together, in the order in which it is found.
void WordCounter::fetchPlaces(const std::vector<HashedWord>& words) const {
  const auto placeOf = [&](const HashedWord& word) { return table_[firstSlot(word.hash)].place; };
  for (const HashedWord& word : words) __builtin_prefetch(&table_[firstSlot(word.hash)]);
  for (const HashedWord& word : words) {
    if (const std::uint32_t place = placeOf(word)) __builtin_prefetch(&entries_[place - 1], 1);
  }
  for (const HashedWord& word : words) {
    if (const std::uint32_t place = placeOf(word))
      __builtin_prefetch(entries_[place - 1].word.data());
  }
}

void WordCounter::addText(std::string_view text) {
  while (!text.empty()) addLine(takeLine(text));
}

std::uint32_t WordCounter::add(std::string_view word, std::int64_t count) {
  return add(hashed(word), count);
}

std::uint32_t WordCounter::add(const HashedWord& word, std::int64_t count) {
  total_ += count;
  Slot& slot = table_[slotOf(word)];
  if (slot.place != 0) {
    entries_[slot.place - 1].count += count;
    return slot.place - 1;
  }
  const auto place = static_cast<std::uint32_t>(entries_.size());
  entries_.push_back({keep(word.word), count});
  slot = {place + 1, word.hash};
  if (entries_.size() * 2 > table_.size()) grow();
  return place;
}

void WordCounter::add(std::span<const Entry> entries) {
  for (const Entry& entry : entries) add(entry.word, entry.count);
}

std::vector<WordCounter::Entry> WordCounter::sorted() const {
  std::vector<Entry> result = entries_;
  std::stable_sort(result.begin(), result.end(),
                   [](const Entry& a, const Entry& b) { return a.count > b.count; });
  return result;
}

std::string WordCounter::toText() const {
  std::string text;
  for (const Entry& entry : sorted())
    fmt::format_to(std::back_inserter(text), "{} {}\n", entry.word, entry.count);
  return text;
}

WordCounter::HashedWord WordCounter::hashed(std::string_view word) {
  return {word, static_cast<std::uint32_t>(checksum64(word))};
}

std::size_t WordCounter::slotOf(const HashedWord& word) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = firstSlot(word.hash);
  while (table_[slot].place != 0) {
    if (table_[slot].hash == word.hash && entries_[table_[slot].place - 1].word == word.word) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

void WordCounter::grow() {
  std::vector<Slot> old(table_.size() * 2);
  old.swap(table_);
  const std::size_t mask = table_.size() - 1;
  for (const Slot& moved : old) {
    if (moved.place == 0) continue;
    std::size_t slot = firstSlot(moved.hash);
    while (table_[slot].place != 0) slot = (slot + 1) & mask;
    table_[slot] = moved;
  }
}

std::string_view WordCounter::keep(std::string_view word) {
  if (blockSize_ - blockUsed_ < word.size()) {
    blockSize_ = std::max(kBlockBytes, word.size());
    blocks_.push_back(std::make_unique<char[]>(blockSize_));
    blockUsed_ = 0;
  }
  if (word.empty()) return {};
  char* place = blocks_.back().get() + blockUsed_;
  std::memcpy(place, word.data(), word.size());
  blockUsed_ += word.size();
  return {place, word.size()};
}

}  // namespace strata
