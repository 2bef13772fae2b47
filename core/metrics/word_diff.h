#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

enum class DiffKind { kSame, kLeft, kRight };  // in both lines, only in the left, only in the right

// Consecutive words, each side counted from 0; on a side without them begin and end are equal and
// give the position where they are missing.
struct DiffRun {
  DiffKind kind = DiffKind::kSame;
  std::size_t leftBegin = 0, leftEnd = 0;
  std::size_t rightBegin = 0, rightEnd = 0;

  bool operator==(const DiffRun&) const = default;
};

// If the product of the differing words on both sides exceeds this, the part between the common
// prefix and suffix is not searched for common words.
constexpr std::size_t kMostDiffCells = std::size_t{1} << 24;

// Runs of a longest common subsequence: as many words as possible are kSame. Between two of these
// runs there is at most one kLeft and then one kRight; among several longest ones, the leftmost
// words of the left side are dropped first.
std::vector<DiffRun> wordDiff(std::span<const std::string> left,
                              std::span<const std::string> right);
// For lines, whose words are separated by U+0020.
std::vector<DiffRun> wordDiff(std::string_view left, std::string_view right);

}  // namespace strata
