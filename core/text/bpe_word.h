#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/base/random.h"
#include "core/text/bpe_codes.h"

namespace strata {

// Splits single words by codes. Reuses its buffers between words; single-threaded.
class BpeWordSplitter {
 public:
  // `dropout` in [0, 1] is the probability of skipping each possible merge at each pass. `codes`
  // must outlive this object.
  BpeWordSplitter(const BpeCodes& codes, double dropout, std::uint64_t seed)
      : codes_(codes), dropout_(dropout), random_(seed) {}

  // Units of `word` (valid UTF-8, not empty), without separators. Views into `word`.
  const std::vector<std::string_view>& split(std::string_view word);

 private:
  using Symbol = BpeCodes::Symbol;
  struct Node {
    Symbol symbol;
    std::uint32_t begin;          // of its bytes in the word
    std::int32_t previous, next;  // -1: none
    bool alive;
    std::uint32_t stamp;  // the pass in which it was last merged
  };

  void readCharacters(std::string_view word);
  void mergeShort();
  void mergeLong();
  std::uint32_t choose();
  void mergeChosen(std::uint32_t rank);
  void pushPair(std::int32_t left);
  const BpeCodes::Merge* mergeAt(std::int32_t left) const;

  const BpeCodes& codes_;
  double dropout_;
  RandomStream random_;
  std::vector<Symbol> symbols_;        // mergeShort: units so far
  std::vector<std::uint32_t> begins_;  // of each unit's bytes
  std::vector<const BpeCodes::Merge*> merges_;
  std::vector<Node> nodes_;             // mergeLong
  std::vector<std::uint64_t> heap_;     // rank << 32 | node, smallest first
  std::vector<std::uint64_t> dropped_;  // entries skipped in this pass
  std::vector<std::int32_t> chosen_;    // nodes where this pass's pair starts
  std::uint32_t pass_ = 0;
  std::vector<std::string_view> units_;
};

// Splits units outside the vocabulary back into the parts they were merged from, until the parts
// are in the vocabulary or cannot be split. All units of a word but the last are looked up with the
// separator appended.
std::vector<std::string> splitUnknownUnits(const std::vector<std::string_view>& units,
                                           const BpeCodes& codes,
                                           const std::unordered_set<std::string>& vocabulary,
                                           const std::string& separator);

}  // namespace strata
