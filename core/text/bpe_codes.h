#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strata {

inline constexpr std::string_view kWordEnd = "</w>";  // marks the last unit of a word

// The merges of a codes file as tables over numbered symbols. Equal strings are one symbol,
// whichever merge produced them.
class BpeCodes {
 public:
  using Symbol = std::int32_t;
  static constexpr Symbol kNoSymbol = -1;  // a string that is in no merge

  struct Merge {
    std::uint32_t rank;  // smaller: earlier in the file
    Symbol merged;
  };

  // Formats 0.1 (no header, "</w>" is a separate symbol) and 0.2. Only the first `merges` lines
  // count; negative: all. Errors name `where` and line.
  BpeCodes(std::string_view text, std::string_view where, std::int64_t merges);

  // Format 0.1: a word is its characters and then the symbol "</w>"; 0.2: "</w>" belongs to the
  // last character.
  bool endIsSymbol() const { return endIsSymbol_; }
  Symbol endSymbol() const { return endSymbol_; }

  // The symbol of one character (its UTF-8 bytes), within a word or at its end with "</w>".
  Symbol innerSymbol(std::string_view character) const { return characterSymbol(character, 0); }
  Symbol finalSymbol(std::string_view character) const { return characterSymbol(character, 1); }

  // The merge of two adjacent symbols; null if there is none.
  const Merge* find(Symbol left, Symbol right) const {
    if (left < 0 || right < 0) return nullptr;
    const std::uint64_t key = keyOf(left, right);
    for (std::size_t slot = slotOf(key);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot].key == key) return &slots_[slot].merge;
      if (slots_[slot].key == kFree) return nullptr;
    }
  }

  // The two parts that the earliest merge producing `merged` joins; null if there is none.
  const std::pair<std::string, std::string>* partsOf(const std::string& merged) const;

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = kFree;
    Merge merge{};
  };

  static std::uint64_t keyOf(Symbol left, Symbol right) {
    return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
  }
  std::size_t slotOf(std::uint64_t key) const {
    return (key * 0x9E3779B97F4A7C15u >> 20) & (slots_.size() - 1);
  }
  std::string_view readHeader(std::string_view text, std::string_view where);
  void addMerges(const std::vector<std::pair<std::string, std::string>>& merges);
  void addParts(const std::vector<std::pair<std::string, std::string>>& merges);
  void fillAsciiTable();
  Symbol intern(const std::string& text);
  Symbol symbolOf(const std::string& text) const;  // kNoSymbol if there is none
  Symbol characterSymbol(std::string_view character, int final) const;

  bool endIsSymbol_ = true;
  Symbol endSymbol_ = kNoSymbol;
  std::unordered_map<std::string, Symbol> symbols_;
  std::vector<Slot> slots_;  // open addressing, size a power of two
  std::array<std::array<Symbol, 128>, 2> ascii_;
  std::unordered_map<std::string, std::pair<std::string, std::string>> parts_;
};

}  // namespace strata
