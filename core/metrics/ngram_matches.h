#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strata {

// Counts the n-grams that a hypothesis shares with its references, order by order. An n-gram of the
// next order can be shared only where the one that it extends is shared, so that few places remain
// after the first orders. Reuses its memory for the next sentence.
//
// Symbols are code points, or 64-bit hashes of words. N-grams of code points are compared exactly;
// hashes of different n-grams of words practically never collide.
class NGramMatches {
 public:
  // shared[n - 1] becomes the number of n-grams of length n that both sides have. Each counts as
  // often as in the hypothesis, and at most as often as in the reference with the highest count.
  template <typename Symbol>
  void count(std::span<const std::vector<Symbol>> references, std::span<const Symbol> hypothesis,
             std::span<std::uint32_t> shared);

 private:
  // A position of a line from which all n-grams so far are shared.
  struct Place {
    std::uint32_t position;
    std::uint32_t entry;  // of the last n-gram, in the table of its order
  };
  using Places = std::vector<Place>;  // from left to right
  // An n-gram of one order: the entry of its first n - 1 symbols and the last symbol are its key.
  struct Entry {
    std::uint64_t key = 0;    // 0: free
    std::uint32_t left = 0;   // how many more of the hypothesis's can still be matched
    std::uint32_t times = 0;  // in the current reference, finally kShared if it is shared
  };
  static constexpr std::uint32_t kShared = 0xFFFFFFFF;
  // Open addressing; at most half of the entries are in use.
  struct Table {
    Entry* entries;
    unsigned bits;  // there are 1 << bits
    std::span<Entry> all() const { return {entries, std::size_t{1} << bits}; }
    std::uint32_t find(std::uint64_t key) const;
  };

  template <typename Symbol>
  static void enter(std::span<const Symbol> line, std::size_t before, Table table, Places& places);
  template <typename Symbol>
  static std::uint32_t match(std::span<const Symbol> line, std::size_t before, Table table,
                             Places& places);
  static void keepShared(Table table, Places& places);
  Table freshTable(std::size_t most);

  std::vector<Places> theirs_;  // one per reference
  Places ours_;
  std::vector<Entry> entries_;
};

}  // namespace strata
