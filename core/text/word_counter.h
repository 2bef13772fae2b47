#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Counts words (separated by U+0020; CR at a line's ends is not part of a word) and remembers the
// order in which they first appeared. Memory grows only with the number of different words.
class WordCounter {
 public:
  WordCounter();
  ~WordCounter();
  WordCounter(WordCounter&&) noexcept;
  WordCounter& operator=(WordCounter&&) noexcept;

  void addLine(std::string_view line);
  // The same, and appends the place of each word in entries().
  void addLine(std::string_view line, std::vector<std::uint32_t>& places);
  void addText(std::string_view text);  // many lines, each ended by '\n'
  // Returns the word's place in entries().
  std::uint32_t add(std::string_view word, std::int64_t count = 1);

  struct Entry {
    std::string_view word;  // valid as long as the counter
    std::int64_t count = 0;
  };
  void add(std::span<const Entry> entries);
  const std::vector<Entry>& entries() const { return entries_; }  // in order of first appearance
  std::vector<Entry> sorted() const;  // the most frequent first, ties as above
  std::int64_t total() const { return total_; }

  // One "word<SPACE>count" per line, sorted; equal to subword-nmt's `get-vocab`.
  std::string toText() const;

 private:
  struct Slot {
    std::uint32_t place = 0;  // in entries_, plus 1; 0: free
    std::uint32_t hash = 0;   // of the word, its low half
  };
  struct HashedWord {
    std::string_view word;
    std::uint32_t hash = 0;
  };

  static HashedWord hashed(std::string_view word);
  std::size_t firstSlot(std::uint32_t hash) const { return hash & (table_.size() - 1); }
  std::size_t slotOf(const HashedWord& word) const;
  std::uint32_t add(const HashedWord& word, std::int64_t count);
  void fetchPlaces(const std::vector<HashedWord>& words) const;
  void grow();
  std::string_view keep(std::string_view word);

  std::vector<Entry> entries_;
  std::vector<Slot> table_;                      // size is a power of two
  std::vector<std::unique_ptr<char[]>> blocks_;  // bytes of the words
  std::size_t blockUsed_ = 0, blockSize_ = 0;
  std::int64_t total_ = 0;
  std::vector<HashedWord> line_;         // reused by addLine
  std::vector<std::uint32_t> unwanted_;  // places that nobody asked for
};

}  // namespace strata
