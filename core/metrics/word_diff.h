#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

enum class DiffKind { kSame, kLeft, kRight };  // in both lines, only in the left, only in the right

// Words that follow one another, each side counted from 0; of a side that does not hold them begin
// and end are equal and say where they are missing.
struct DiffRun {
  DiffKind kind = DiffKind::kSame;
  std::size_t leftBegin = 0, leftEnd = 0;
  std::size_t rightBegin = 0, rightEnd = 0;

  bool operator==(const DiffRun&) const = default;
};

// Lines that differ in more than so many words of the left times words of the right are not
// searched for what they share between their equal beginnings and ends.
constexpr std::size_t kMostDiffCells = std::size_t{1} << 24;

// Runs of a longest common subsequence: as many words as can be are kSame. Between two of those
// runs at most one is kLeft and then one kRight; of several longest ones, what stands first on the
// left is left out first.
std::vector<DiffRun> wordDiff(std::span<const std::string> left,
                              std::span<const std::string> right);
// Of lines, whose words are what stands between U+0020.
std::vector<DiffRun> wordDiff(std::string_view left, std::string_view right);

}  // namespace strata
