#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strata {

// A distance matrix of hypothesis (rows 0 .. H) and reference (columns 0 .. R) that keeps only the
// cells of the beam: row i has columns [begin(i), end(i)), both ends not decreasing in i. The cells
// just outside may be read too and are unreachable.
//
// The beam follows the pseudo-diagonal floor(i * R / H). Rows 0 and H reach to the last column.
class ShiftBeam {
 public:
  using Index = std::ptrdiff_t;

  void shape(Index hypothesisLength, Index referenceLength);

  Index begin(Index row) const { return rows_[static_cast<std::size_t>(row)].begin; }
  Index end(Index row) const { return rows_[static_cast<std::size_t>(row)].end; }
  Index offset(Index row) const { return rows_[static_cast<std::size_t>(row)].offset; }
  std::size_t cells() const { return static_cast<std::size_t>(cells_); }

 private:
  struct Row {
    Index begin, end;
    Index offset;  // where column 0 would be
  };
  std::vector<Row> rows_;
  Index cells_ = 0;
};

// Tercom's greedy search for the edits that turn a hypothesis into a reference, one pair at a time;
// reuses its memory for the next. Words are numbers.
class ShiftSearch {
 public:
  using Words = std::span<const std::int32_t>;
  static constexpr std::int32_t kUnknown = -1;  // a hypothesis word that is not in the reference

  int edits(Words hypothesis, Words reference);

 private:
  using Index = std::ptrdiff_t;

  // Swaps the runs [first, middle) and [middle, last) of the hypothesis.
  struct Exchange {
    Index first, middle, last;
  };
  struct Candidate {
    int gain = 0;  // reduction of the distance
    Index length = 0, start = 0, target = 0;
    Exchange exchange{};
  };

  int leastDistance();
  void align();
  void alignBackwards();
  void seekBest();
  void tryRuns(Index start, Index other);
  void tryTargets(Index start, Index other, Index length);
  void tryShift(Index start, Index length, Index target);
  int distanceAfter(const Exchange& exchange);

  Index hypothesisLength() const { return static_cast<Index>(hypothesis_.size()); }
  Index referenceLength() const { return static_cast<Index>(reference_.size()); }
  std::int32_t word(Index i) const { return hypothesis_[static_cast<std::size_t>(i)]; }
  std::int32_t referenceWord(Index j) const { return reference_[static_cast<std::size_t>(j)]; }
  std::int32_t* down(Index row) { return down_.data() + beam_.offset(row); }
  std::int32_t* up(Index row) { return up_.data() + beam_.offset(row); }
  std::int32_t distanceTo(Index row, Index column);

  std::vector<std::int32_t> hypothesis_;
  Words reference_;
  ShiftBeam beam_;
  std::vector<std::int32_t> down_, up_;  // distances from (0, 0) and to (H, R)
  std::vector<std::int32_t> rows_[2];    // of distanceAfter
  int distance_ = 0;                     // of the hypothesis in its current order
  int least_ = 0;                        // lower bound for any order of its words
  int candidates_ = 0;
  Candidate best_;
  bool found_ = false;
  std::vector<Index> aligned_;  // the hypothesis word at or before each reference word, or -1
  std::vector<char> hypothesisWrong_, referenceWrong_;  // words touched by an edit
  std::vector<std::int32_t> sorted_[2], common_;
};

}  // namespace strata
