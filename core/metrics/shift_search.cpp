#include "core/metrics/shift_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <tuple>

namespace strata {
namespace {

using Index = std::ptrdiff_t;

constexpr Index kLongestShift = 10;    // words
constexpr Index kFarthestShift = 50;   // words between the two positions of a matching run
constexpr Index kBeam = 25;            // words on either side of the pseudo-diagonal
constexpr int kMostCandidates = 1000;  // shifts tried per sentence pair

// More than any distance; twice it plus a few edits does not overflow.
constexpr std::int32_t kUnreachable = std::numeric_limits<std::int32_t>::max() / 4;

// Fills row i of the distances from (0, 0) from the row above, for a hypothesis whose word i - 1 is
// `word`. Cells are addressed by column; those next to the row above must be unreachable.
void stepDown(const ShiftBeam& beam, Index i, std::int32_t word, ShiftSearch::Words reference,
              const std::int32_t* above, std::int32_t* row) {
  const Index begin = beam.begin(i), end = beam.end(i);
  std::int32_t left = kUnreachable;
  Index j = begin;
  row[begin - 1] = kUnreachable;
  if (j == 0) row[j++] = left = above[0] + 1;
  for (const Index known = std::min(end, beam.end(i - 1) + 1); j < known; ++j) {
    const std::int32_t match = above[j - 1] + (reference[static_cast<std::size_t>(j - 1)] != word);
    row[j] = left = std::min(std::min(match, above[j] + 1), left + 1);
  }
  for (; j < end; ++j) row[j] = ++left;
  row[end] = kUnreachable;
}

// The same for the distances to (H, R), from the row below; word i is `word`.
void stepUp(const ShiftBeam& beam, Index i, std::int32_t word, ShiftSearch::Words reference,
            const std::int32_t* below, std::int32_t* row) {
  const Index begin = beam.begin(i), end = beam.end(i);
  const auto last = static_cast<Index>(reference.size());
  std::int32_t right = kUnreachable;
  Index j = end - 1;
  row[end] = kUnreachable;
  if (j == last) {
    row[j] = right = below[j] + 1;
    --j;
  }
  for (const Index known = std::max(begin, beam.begin(i + 1) - 1); j >= known; --j) {
    const std::int32_t match = below[j + 1] + (reference[static_cast<std::size_t>(j)] != word);
    row[j] = right = std::min(std::min(match, below[j] + 1), right + 1);
  }
  for (; j >= begin; --j) row[j] = ++right;
  row[begin - 1] = kUnreachable;
}

}  // namespace

void ShiftBeam::shape(Index hypothesisLength, Index referenceLength) {
  const double ratio = hypothesisLength > 0 ? static_cast<double>(referenceLength) /
                                                  static_cast<double>(hypothesisLength)
                                            : 1.0;
  // Adjacent rows must overlap even if the reference is many times longer.
  const Index reach = static_cast<double>(kBeam) < ratio / 2
                          ? static_cast<Index>(std::ceil(ratio / 2 + kBeam))
                          : kBeam;
  rows_.clear();
  Index cells = 0;
  for (Index i = 0; i <= hypothesisLength; ++i) {
    const auto diagonal = static_cast<Index>(std::floor(static_cast<double>(i) * ratio));
    const bool whole = i == 0 || i == hypothesisLength;
    const Index begin = i == 0 ? 0 : std::max<Index>(0, diagonal - reach);
    const Index end = whole ? referenceLength + 1 : std::min(referenceLength + 1, diagonal + reach);
    rows_.push_back({begin, end, cells + 1 - begin});
    cells += end - begin + 2;
  }
  cells_ = cells;
}

// max(H, R) minus the common words, counted as often as both have them: a lower bound for any
// shifts.
int ShiftSearch::leastDistance() {
  for (auto& words : sorted_) std::sort(words.begin(), words.end());
  common_.clear();
  std::set_intersection(sorted_[0].begin(), sorted_[0].end(), sorted_[1].begin(), sorted_[1].end(),
                        std::back_inserter(common_));
  return static_cast<int>(std::max(sorted_[0].size(), sorted_[1].size()) - common_.size());
}

int ShiftSearch::edits(ShiftSearch::Words hypothesis, ShiftSearch::Words reference) {
  if (reference.empty()) return static_cast<int>(hypothesis.size());
  hypothesis_.assign(hypothesis.begin(), hypothesis.end());
  reference_ = reference;
  beam_.shape(hypothesisLength(), referenceLength());
  down_.resize(std::max(down_.size(), beam_.cells()));
  up_.resize(std::max(up_.size(), beam_.cells()));
  for (auto& row : rows_) row.resize(std::max(row.size(), reference.size() + 3));
  sorted_[0].assign(hypothesis.begin(), hypothesis.end());
  sorted_[1].assign(reference.begin(), reference.end());
  least_ = leastDistance();
  candidates_ = 0;
  for (int shifts = 0;; ++shifts) {
    align();
    if (distance_ == least_) return shifts + distance_;
    seekBest();
    // The last shift is not applied if the search ran out of candidates.
    if (candidates_ >= kMostCandidates || best_.gain <= 0) return shifts + distance_;
    const Exchange& exchange = best_.exchange;
    std::rotate(hypothesis_.begin() + exchange.first, hypothesis_.begin() + exchange.middle,
                hypothesis_.begin() + exchange.last);
  }
}

std::int32_t ShiftSearch::distanceTo(Index row, Index column) {
  return column < beam_.begin(row) || column >= beam_.end(row) ? kUnreachable : down(row)[column];
}

// The distances, and one cheapest edit path: among equally cheap ones, seen from the end, a match
// or substitution is preferred to a deletion, and that to an insertion.
void ShiftSearch::align() {
  Index i = hypothesisLength(), j = referenceLength();
  for (Index column = 0; column <= j; ++column) down(0)[column] = static_cast<int>(column);
  down(0)[-1] = down(0)[j + 1] = kUnreachable;
  for (Index row = 1; row <= i; ++row)
    stepDown(beam_, row, word(row - 1), reference_, down(row - 1), down(row));
  distance_ = down(i)[j];
  if (distance_ == least_) return;

  aligned_.assign(reference_.size(), -1);
  referenceWrong_.assign(reference_.size(), true);
  hypothesisWrong_.assign(hypothesis_.size(), true);
  while (j > 0) {
    const int different = i > 0 && word(i - 1) == referenceWord(j - 1) ? 0 : 1;
    const int here = down(i)[j];
    if (i > 0 && distanceTo(i - 1, j - 1) + different == here) {
      --i;
      --j;
      aligned_[static_cast<std::size_t>(j)] = i;
      hypothesisWrong_[static_cast<std::size_t>(i)] = different != 0;
      referenceWrong_[static_cast<std::size_t>(j)] = different != 0;
    } else if (i > 0 && distanceTo(i - 1, j) + 1 == here) {
      --i;
    } else {
      aligned_[static_cast<std::size_t>(--j)] = i - 1;
    }
  }
}

// Fills the distances to (H, R) that distanceAfter needs.
void ShiftSearch::alignBackwards() {
  const Index last = hypothesisLength();
  for (Index column = beam_.begin(last); column <= referenceLength(); ++column)
    up(last)[column] = static_cast<int>(referenceLength() - column);
  up(last)[beam_.begin(last) - 1] = up(last)[referenceLength() + 1] = kUnreachable;
  for (Index row = last - 1; row >= 0; --row)
    stepUp(beam_, row, word(row), reference_, up(row + 1), up(row));
}

// Every path crosses the row after the exchanged words. Below it, and above the exchanged words,
// nothing has changed, so only the rows between are recomputed.
int ShiftSearch::distanceAfter(const Exchange& exchange) {
  const auto [first, middle, last] = exchange;
  const std::int32_t* above = down(first);
  for (Index i = first; i < last; ++i) {
    const Index from = i + middle - first;
    std::int32_t* row = rows_[i % 2].data() + 1;
    stepDown(beam_, i + 1, word(from < last ? from : from - (last - first)), reference_, above,
             row);
    above = row;
  }
  const std::int32_t* below = up(last);
  int distance = kUnreachable;
  for (Index j = beam_.begin(last); j < beam_.end(last); ++j)
    distance = std::min(distance, above[j] + below[j]);
  return distance;
}

// The best shift of a run of words that also occurs in the reference. An exhausted search ends
// early.
void ShiftSearch::seekBest() {
  best_ = {};
  found_ = false;
  alignBackwards();
  for (Index start = 0; start < hypothesisLength(); ++start) {
    if (word(start) == kUnknown) continue;
    const Index begin = std::max<Index>(0, start - kFarthestShift);
    const Index end = std::min(referenceLength(), start + kFarthestShift + 1);
    for (Index other = begin; other < end; ++other) {
      tryRuns(start, other);
      if (candidates_ >= kMostCandidates) return;
    }
  }
}

// All runs that start at these words: a run is worth moving if the hypothesis is wrong there and
// the reference is not matched, unless it would move into itself.
void ShiftSearch::tryRuns(Index start, Index other) {
  const Index most =
      std::min({kLongestShift, hypothesisLength() - start, referenceLength() - other});
  const Index aligned = aligned_[static_cast<std::size_t>(other)];
  bool wrong = false, unmet = false;
  for (Index length = 1; length <= most; ++length) {
    const Index h = start + length - 1, r = other + length - 1;
    if (word(h) != referenceWord(r)) return;
    wrong = wrong || hypothesisWrong_[static_cast<std::size_t>(h)];
    unmet = unmet || referenceWrong_[static_cast<std::size_t>(r)];
    if (!wrong || !unmet || (start <= aligned && aligned < start + length)) continue;
    tryTargets(start, other, length);
    if (candidates_ >= kMostCandidates) return;
  }
}

// The targets are the positions after the words that the run's words, and the one before them, are
// aligned with.
void ShiftSearch::tryTargets(Index start, Index other, Index length) {
  Index before = -1;
  for (Index r = other - 1; r < other + length; ++r) {
    const Index target = r < 0 ? 0 : aligned_[static_cast<std::size_t>(r)] + 1;
    if (target == before) continue;
    before = target;
    ++candidates_;
    tryShift(start, length, target);
  }
}

// Among equal gains the longer run wins, then the earlier one, then the earlier target. Run and
// target determine the order of the words, so Tercom's last resort, comparing these, is never
// needed.
void ShiftSearch::tryShift(Index start, Index length, Index target) {
  const auto rank = [](const Candidate& candidate) {
    return std::tuple(candidate.gain, candidate.length, -candidate.start, -candidate.target);
  };
  Candidate candidate{distance_ - least_, length, start, target, {}};
  if (found_ && rank(candidate) <= rank(best_)) return;  // even with the greatest possible gain
  Exchange& exchange = candidate.exchange;
  const Index behind = start + length;
  if (target < start) {
    exchange = {target, start, behind};
  } else if (target > behind) {
    exchange = {start, behind, target};
  } else {  // a target inside the run moves it by its distance from the start
    exchange = {start, behind, std::min(hypothesisLength(), length + target)};
  }
  candidate.gain = distance_ - distanceAfter(exchange);
  if (found_ && rank(candidate) <= rank(best_)) return;
  found_ = true;
  best_ = candidate;
}

}  // namespace strata
