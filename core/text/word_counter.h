#pragma once
#include <cstdint>
#include <memory>
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
  void addText(std::string_view text);  // many lines, each ended by '\n'
  void add(std::string_view word, std::int64_t count = 1);
  void add(const WordCounter& other);

  struct Entry {
    std::string_view word;  // valid as long as the counter
    std::int64_t count = 0;
  };
  const std::vector<Entry>& entries() const { return entries_; }  // in order of first appearance
  std::vector<Entry> sorted() const;  // the most frequent first, ties as above
  std::int64_t total() const { return total_; }

  // One "word<SPACE>count" per line, sorted; equal to subword-nmt's `get-vocab`.
  std::string toText() const;

 private:
  std::size_t slotOf(std::string_view word, std::uint64_t hash) const;
  void grow();
  std::string_view keep(std::string_view word);

  std::vector<Entry> entries_;
  std::vector<std::uint64_t> hashes_;            // of each entry
  std::vector<std::uint32_t> table_;             // entry index + 1, 0: free; size is a power of two
  std::vector<std::unique_ptr<char[]>> blocks_;  // bytes of the words
  std::size_t blockUsed_ = 0, blockSize_ = 0;
  std::int64_t total_ = 0;
};

}  // namespace strata
