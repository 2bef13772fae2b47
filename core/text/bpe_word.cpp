#include "core/text/bpe_word.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace strata {
namespace {

// Up to this length, scanning all pairs in each pass is faster than a heap.
constexpr std::size_t kShortWord = 48;
constexpr std::uint32_t kNoRank = std::numeric_limits<std::uint32_t>::max();

bool startsCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

class UnknownUnitSplitter {
 public:
  UnknownUnitSplitter(const BpeCodes& codes, const std::unordered_set<std::string>& vocabulary,
                      const std::string& separator, std::vector<std::string>& out)
      : codes_(codes), vocabulary_(vocabulary), separator_(separator), out_(out) {}

  void add(std::string unit, bool final) {
    const bool known = vocabulary_.contains(final ? unit : unit + separator_);
    const auto* parts =
        known ? nullptr : codes_.partsOf(final ? unit + std::string(kWordEnd) : unit);
    if (parts == nullptr) {
      out_.push_back(std::move(unit));
      return;
    }
    add(parts->first, false);
    std::string right = parts->second;
    if (final) right.resize(right.size() - std::min(right.size(), kWordEnd.size()));
    add(std::move(right), final);
  }

 private:
  const BpeCodes& codes_;
  const std::unordered_set<std::string>& vocabulary_;
  const std::string& separator_;
  std::vector<std::string>& out_;
};

}  // namespace

const std::vector<std::string_view>& BpeWordSplitter::split(std::string_view word) {
  readCharacters(word);
  units_.clear();
  const std::size_t characters = begins_.size() - (codes_.endIsSymbol() ? 1 : 0);
  if (characters <= 1) {
    units_.push_back(word);
    return units_;
  }
  if (dropout_ <= 0 && symbols_.size() <= kShortWord) {
    mergeShort();
  } else {
    mergeLong();
  }
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    const std::size_t end = i + 1 < begins_.size() ? begins_[i + 1] : word.size();
    // The end symbol of format 0.1 covers no bytes of the word; on its own it is not a unit.
    if (end > begins_[i]) units_.push_back(word.substr(begins_[i], end - begins_[i]));
  }
  return units_;
}

void BpeWordSplitter::readCharacters(std::string_view word) {
  symbols_.clear();
  begins_.clear();
  for (std::size_t i = 0; i < word.size();) {
    std::size_t end = i + 1;
    while (end < word.size() && !startsCharacter(word[end])) ++end;
    const std::string_view character = word.substr(i, end - i);
    const bool final = end == word.size() && !codes_.endIsSymbol();
    symbols_.push_back(final ? codes_.finalSymbol(character) : codes_.innerSymbol(character));
    begins_.push_back(static_cast<std::uint32_t>(i));
    i = end;
  }
  if (!codes_.endIsSymbol()) return;
  symbols_.push_back(codes_.endSymbol());
  begins_.push_back(static_cast<std::uint32_t>(word.size()));
}

void BpeWordSplitter::mergeShort() {
  for (;;) {
    const std::size_t size = symbols_.size();
    merges_.assign(size, nullptr);
    const BpeCodes::Merge* best = nullptr;
    for (std::size_t i = 0; i + 1 < size; ++i) {
      merges_[i] = codes_.find(symbols_[i], symbols_[i + 1]);
      if (merges_[i] != nullptr && (best == nullptr || merges_[i]->rank < best->rank))
        best = merges_[i];
    }
    if (best == nullptr) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size; ++i, ++kept) {
      begins_[kept] = begins_[i];
      symbols_[kept] = merges_[i] == best ? best->merged : symbols_[i];
      if (merges_[i] == best) ++i;  // its right symbol is used up
    }
    symbols_.resize(kept);
    begins_.resize(kept);
  }
}

// Passes as in mergeShort, with the possible merges in a heap. With dropout only the pairs up to
// the first surviving one need a draw: a pass takes the first surviving pair and every other
// survivor that is the same pair.
void BpeWordSplitter::mergeLong() {
  const auto size = static_cast<std::int32_t>(symbols_.size());
  nodes_.clear();
  heap_.clear();
  pass_ = 0;
  for (std::int32_t i = 0; i < size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    nodes_.push_back({symbols_[at], begins_[at], i - 1, i + 1 < size ? i + 1 : -1, true, 0});
  }
  for (std::int32_t i = 0; i + 1 < size; ++i) pushPair(i);
  for (std::uint32_t rank = choose(); rank != kNoRank; rank = choose()) mergeChosen(rank);
  begins_.clear();
  for (std::int32_t i = 0; i >= 0; i = nodes_[static_cast<std::size_t>(i)].next) {
    begins_.push_back(nodes_[static_cast<std::size_t>(i)].begin);
  }
}

// Fills chosen_ with the positions of this pass's merge, from left to right, and returns its rank;
// kNoRank at the end.
std::uint32_t BpeWordSplitter::choose() {
  chosen_.clear();
  dropped_.clear();
  std::uint32_t rank = kNoRank;
  while (!heap_.empty()) {
    const std::uint64_t entry = heap_.front();
    const auto entryRank = static_cast<std::uint32_t>(entry >> 32);
    if (rank != kNoRank && entryRank != rank) break;
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    heap_.pop_back();
    const auto node = static_cast<std::int32_t>(entry & 0xFFFFFFFFu);
    const BpeCodes::Merge* merge = mergeAt(node);
    if (merge == nullptr || merge->rank != entryRank) continue;  // already merged otherwise
    if (dropout_ > 0 && random_.uniform() <= dropout_) {
      dropped_.push_back(entry);
      continue;
    }
    rank = entryRank;
    chosen_.push_back(node);
  }
  return rank;
}

void BpeWordSplitter::mergeChosen(std::uint32_t rank) {
  ++pass_;
  for (const std::int32_t place : chosen_) {
    const BpeCodes::Merge* merge = mergeAt(place);
    if (merge == nullptr || merge->rank != rank) continue;  // overlaps the previous merge
    Node& left = nodes_[static_cast<std::size_t>(place)];
    Node& right = nodes_[static_cast<std::size_t>(left.next)];
    left.symbol = merge->merged;
    left.stamp = pass_;
    right.alive = false;
    left.next = right.next;
    if (left.next >= 0) nodes_[static_cast<std::size_t>(left.next)].previous = place;
  }
  for (const std::int32_t place : chosen_) {
    const Node& node = nodes_[static_cast<std::size_t>(place)];
    if (!node.alive || node.stamp != pass_) continue;
    if (node.previous >= 0) pushPair(node.previous);
    // A right neighbour that was merged in this pass pushes the pair itself.
    if (node.next >= 0 && nodes_[static_cast<std::size_t>(node.next)].stamp != pass_)
      pushPair(place);
  }
  for (const std::uint64_t entry : dropped_) {
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }
}

void BpeWordSplitter::pushPair(std::int32_t left) {
  const BpeCodes::Merge* merge = mergeAt(left);
  if (merge == nullptr) return;
  heap_.push_back(static_cast<std::uint64_t>(merge->rank) << 32 | static_cast<std::uint32_t>(left));
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

const BpeCodes::Merge* BpeWordSplitter::mergeAt(std::int32_t left) const {
  const Node& node = nodes_[static_cast<std::size_t>(left)];
  if (!node.alive || node.next < 0) return nullptr;
  return codes_.find(node.symbol, nodes_[static_cast<std::size_t>(node.next)].symbol);
}

std::vector<std::string> splitUnknownUnits(const std::vector<std::string_view>& units,
                                           const BpeCodes& codes,
                                           const std::unordered_set<std::string>& vocabulary,
                                           const std::string& separator) {
  std::vector<std::string> out;
  UnknownUnitSplitter splitter(codes, vocabulary, separator, out);
  for (std::size_t i = 0; i < units.size(); ++i)
    splitter.add(std::string(units[i]), i + 1 == units.size());
  return out;
}

}  // namespace strata
