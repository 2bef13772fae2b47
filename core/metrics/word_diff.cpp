#include "core/metrics/word_diff.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "core/text/words.h"

namespace strata {
namespace {

using Ids = std::vector<std::uint32_t>;  // equal words have equal numbers

// Joins runs of the same kind, and puts words lost on the left before those gained on the right.
class Runs {
 public:
  void same(std::size_t count) {
    if (count == 0) return;
    endChange();
    if (runs_.empty() || runs_.back().kind != DiffKind::kSame)
      runs_.push_back({DiffKind::kSame, left_, left_, right_, right_});
    left_ += count;
    right_ += count;
    runs_.back().leftEnd = left_;
    runs_.back().rightEnd = right_;
  }
  void onlyLeft(std::size_t count) { lost_ += count; }
  void onlyRight(std::size_t count) { got_ += count; }

  std::vector<DiffRun> finish() {
    endChange();
    return std::move(runs_);
  }

 private:
  void endChange() {
    if (lost_ > 0) runs_.push_back({DiffKind::kLeft, left_, left_ + lost_, right_, right_});
    left_ += lost_;
    if (got_ > 0) runs_.push_back({DiffKind::kRight, left_, left_, right_, right_ + got_});
    right_ += got_;
    lost_ = got_ = 0;
  }

  std::vector<DiffRun> runs_;
  std::size_t left_ = 0, right_ = 0;  // words after the last run
  std::size_t lost_ = 0, got_ = 0;    // of the change being read
};

// Length of the longest common subsequence of left[i ..] and right[j ..]; 16 bits suffice, because
// the shorter side has at most the root of kMostDiffCells words.
class Lengths {
 public:
  Lengths(std::span<const std::uint32_t> left, std::span<const std::uint32_t> right)
      : columns_(right.size() + 1), cells_((left.size() + 1) * columns_, 0) {
    for (std::size_t i = left.size(); i-- > 0;) {
      for (std::size_t j = right.size(); j-- > 0;) {
        cells_[i * columns_ + j] = left[i] == right[j]
                                       ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                                       : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
  }
  std::uint16_t at(std::size_t i, std::size_t j) const { return cells_[i * columns_ + j]; }

 private:
  std::size_t columns_;
  std::vector<std::uint16_t> cells_;
};

void addMiddle(std::span<const std::uint32_t> left, std::span<const std::uint32_t> right,
               Runs& runs) {
  std::size_t i = 0, j = 0;
  if (!left.empty() && right.size() <= kMostDiffCells / left.size()) {
    const Lengths lengths(left, right);
    while (i < left.size() && j < right.size()) {
      if (left[i] == right[j]) {
        runs.same(1);
        ++i;
        ++j;
      } else if (lengths.at(i + 1, j) >= lengths.at(i, j + 1)) {
        runs.onlyLeft(1);
        ++i;
      } else {
        runs.onlyRight(1);
        ++j;
      }
    }
  }
  runs.onlyLeft(left.size() - i);
  runs.onlyRight(right.size() - j);
}

std::vector<DiffRun> diff(const Ids& left, const Ids& right) {
  const std::size_t shorter = std::min(left.size(), right.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && left[head] == right[head]) ++head;
  while (tail < shorter - head && left[left.size() - 1 - tail] == right[right.size() - 1 - tail])
    ++tail;
  Runs runs;
  runs.same(head);
  addMiddle(std::span(left).subspan(head, left.size() - head - tail),
            std::span(right).subspan(head, right.size() - head - tail), runs);
  runs.same(tail);
  return runs.finish();
}

}  // namespace

std::vector<DiffRun> wordDiff(std::span<const std::string> left,
                              std::span<const std::string> right) {
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  const auto idsOf = [&](std::span<const std::string> words) {
    Ids ids;
    for (const std::string& word : words) {
      const auto next = static_cast<std::uint32_t>(numbers.size());
      ids.push_back(numbers.try_emplace(word, next).first->second);
    }
    return ids;
  };
  return diff(idsOf(left), idsOf(right));
}

std::vector<DiffRun> wordDiff(std::string_view left, std::string_view right) {
  return wordDiff(wordsOf(left), wordsOf(right));
}

}  // namespace strata
