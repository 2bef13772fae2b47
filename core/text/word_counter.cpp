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

WordCounter::WordCounter() : table_(1 << 12, 0) {}
WordCounter::~WordCounter() = default;
WordCounter::WordCounter(WordCounter&&) noexcept = default;
WordCounter& WordCounter::operator=(WordCounter&&) noexcept = default;

void WordCounter::addLine(std::string_view line) {
  forEachWord(trimmed(line, "\r "), [&](std::string_view word) { add(word); });
}

void WordCounter::addText(std::string_view text) {
  while (!text.empty()) addLine(takeLine(text));
}

void WordCounter::add(std::string_view word, std::int64_t count) {
  const std::uint64_t hash = checksum64(word);
  total_ += count;
  const std::size_t slot = slotOf(word, hash);
  if (table_[slot] != 0) {
    entries_[table_[slot] - 1].count += count;
    return;
  }
  entries_.push_back({keep(word), count});
  hashes_.push_back(hash);
  table_[slot] = static_cast<std::uint32_t>(entries_.size());
  if (entries_.size() * 2 > table_.size()) grow();
}

void WordCounter::add(const WordCounter& other) {
  for (const Entry& entry : other.entries_) add(entry.word, entry.count);
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

std::size_t WordCounter::slotOf(std::string_view word, std::uint64_t hash) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash & mask;
  while (table_[slot] != 0) {
    const std::size_t entry = table_[slot] - 1;
    if (hashes_[entry] == hash && entries_[entry].word == word) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

void WordCounter::grow() {
  table_.assign(table_.size() * 2, 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t slot = hashes_[i] & mask;
    while (table_[slot] != 0) slot = (slot + 1) & mask;
    table_[slot] = static_cast<std::uint32_t>(i + 1);
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
