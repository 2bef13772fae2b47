#include "core/metrics/ter.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <tuple>

#include "core/base/error.h"
#include "core/metrics/ter_tokenizer.h"
#include "core/text/words.h"

namespace strata {
namespace {

using Words = std::span<const std::int32_t>;
using Index = std::ptrdiff_t;

constexpr std::int32_t kUnknown = -1;  // a hypothesis's word that no reference holds
constexpr Index kLongestShift = 10;    // words
constexpr Index kFarthestShift = 50;   // words between the two places of a matching run
constexpr Index kBeam = 25;            // words on either side of the pseudo-diagonal
constexpr int kMostCandidates = 1000;  // shifts tried for a pair of sentences

// More than any distance; two of them and a few edits still fit.
constexpr std::int32_t kUnreachable = std::numeric_limits<std::int32_t>::max() / 4;

// A distance matrix of hypothesis (rows 0 .. H) and reference (columns 0 .. R) that keeps only the
// cells of the beam: row i holds columns [begin(i), end(i)), both ends not decreasing in i. A cell
// on either side of them may be read too and is unreachable.
//
// The beam follows the pseudo-diagonal floor(i * R / H). Rows 0 and H reach to the last column.
class Beam {
 public:
  void shape(Index hypothesisLength, Index referenceLength) {
    const double ratio = hypothesisLength > 0 ? static_cast<double>(referenceLength) /
                                                    static_cast<double>(hypothesisLength)
                                              : 1.0;
    // Neighbouring rows must touch even where the reference is many times longer.
    const Index reach = static_cast<double>(kBeam) < ratio / 2
                            ? static_cast<Index>(std::ceil(ratio / 2 + kBeam))
                            : kBeam;
    rows_.clear();
    Index cells = 0;
    for (Index i = 0; i <= hypothesisLength; ++i) {
      const auto diagonal = static_cast<Index>(std::floor(static_cast<double>(i) * ratio));
      const bool whole = i == 0 || i == hypothesisLength;
      const Index begin = i == 0 ? 0 : std::max<Index>(0, diagonal - reach);
      const Index end =
          whole ? referenceLength + 1 : std::min(referenceLength + 1, diagonal + reach);
      rows_.push_back({begin, end, cells + 1 - begin});
      cells += end - begin + 2;
    }
    cells_ = cells;
  }

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

// Fills row i of the distances from (0, 0) from the row above, for a hypothesis whose word i - 1 is
// `word`. Cells are addressed by column; those beside the row above must be unreachable.
void stepDown(const Beam& beam, Index i, std::int32_t word, Words reference,
              const std::int32_t* above, std::int32_t* row) {
  const Index begin = beam.begin(i), end = beam.end(i);
  std::int32_t left = kUnreachable;
  Index j = begin;
  row[begin - 1] = kUnreachable;
  if (j == 0) row[j++] = left = above[0] + 1;
  for (const Index known = std::min(end, beam.end(i - 1) + 1); j < known; ++j) {
    const std::int32_t match = above[j - 1] + (reference[static_cast<std::size_t>(j - 1)] != word);
    row[j] = left = std::min(match, std::min(above[j], left) + 1);
  }
  for (; j < end; ++j) row[j] = ++left;
  row[end] = kUnreachable;
}

// The same for the distances to (H, R), from the row below, where word i is `word`.
void stepUp(const Beam& beam, Index i, std::int32_t word, Words reference,
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
    row[j] = right = std::min(match, std::min(below[j], right) + 1);
  }
  for (; j >= begin; --j) row[j] = ++right;
  row[begin - 1] = kUnreachable;
}

// The greedy search for one hypothesis and reference at a time; keeps its memory for the next.
class ShiftSearch {
 public:
  int edits(Words hypothesis, Words reference);

 private:
  // Lets the runs [first, middle) and [middle, last) of the hypothesis change places.
  struct Exchange {
    Index first, middle, last;
  };
  struct Candidate {
    int gain = 0;  // by how much the distance falls
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
  Beam beam_;
  std::vector<std::int32_t> down_, up_;  // distances from (0, 0) and to (H, R)
  std::vector<std::int32_t> rows_[2];    // of distanceAfter
  int distance_ = 0;                     // of the hypothesis as it is now
  int least_ = 0;                        // no order of its words has a smaller one
  int candidates_ = 0;
  Candidate best_;
  bool found_ = false;
  std::vector<Index> aligned_;  // the hypothesis's word at or before each of the reference, or -1
  std::vector<char> hypothesisWrong_, referenceWrong_;  // words that an edit touches
  std::vector<std::int32_t> sorted_[2], common_;
};

// max(H, R) less the words in common, as often as both have them: what no shift can save.
int ShiftSearch::leastDistance() {
  for (auto& words : sorted_) std::sort(words.begin(), words.end());
  common_.clear();
  std::set_intersection(sorted_[0].begin(), sorted_[0].end(), sorted_[1].begin(), sorted_[1].end(),
                        std::back_inserter(common_));
  return static_cast<int>(std::max(sorted_[0].size(), sorted_[1].size()) - common_.size());
}

int ShiftSearch::edits(Words hypothesis, Words reference) {
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
    // The last shift is not made where the search ran out of candidates.
    if (candidates_ >= kMostCandidates || best_.gain <= 0) return shifts + distance_;
    const Exchange& exchange = best_.exchange;
    std::rotate(hypothesis_.begin() + exchange.first, hypothesis_.begin() + exchange.middle,
                hypothesis_.begin() + exchange.last);
  }
}

std::int32_t ShiftSearch::distanceTo(Index row, Index column) {
  return column < beam_.begin(row) || column >= beam_.end(row) ? kUnreachable : down(row)[column];
}

// The distances, and one cheapest way of editing: among equal ones, seen from the end, a match or
// substitution goes before a deletion, and that before an insertion.
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

// Fills the distances to (H, R) that distanceAfter wants.
void ShiftSearch::alignBackwards() {
  const Index last = hypothesisLength();
  for (Index column = beam_.begin(last); column <= referenceLength(); ++column)
    up(last)[column] = static_cast<int>(referenceLength() - column);
  up(last)[beam_.begin(last) - 1] = up(last)[referenceLength() + 1] = kUnreachable;
  for (Index row = last - 1; row >= 0; --row)
    stepUp(beam_, row, word(row), reference_, up(row + 1), up(row));
}

// Every path crosses the row behind the exchanged words, below which nothing has changed, as
// nothing has above them. So only the rows between are computed anew.
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

// The best shift of a run of words that the reference has too. An exhausted search ends early.
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

// All runs that start at these words: a run is worth moving where both the hypothesis is wrong
// there and the reference is not met, unless it would move into itself.
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

// The targets are the places behind the words that the run's words, and the one before them, are
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

// Of equal gains the longer run wins, then the earlier one, then the earlier target. Run and target
// decide the order of the words, so that Tercom's last resort, comparing these, is never needed.
void ShiftSearch::tryShift(Index start, Index length, Index target) {
  const auto rank = [](const Candidate& candidate) {
    return std::tuple(candidate.gain, candidate.length, -candidate.start, -candidate.target);
  };
  Candidate candidate{distance_ - least_, length, start, target, {}};
  if (found_ && rank(candidate) <= rank(best_)) return;  // even with the greatest gain possible
  Exchange& exchange = candidate.exchange;
  const Index behind = start + length;
  if (target < start) {
    exchange = {target, start, behind};
  } else if (target > behind) {
    exchange = {start, behind, target};
  } else {  // a target in the run moves it on by as many words as it lies behind the start
    exchange = {start, behind, std::min(hypothesisLength(), length + target)};
  }
  candidate.gain = distance_ - distanceAfter(exchange);
  if (found_ && rank(candidate) <= rank(best_)) return;
  found_ = true;
  best_ = candidate;
}

}  // namespace

std::string terSignature(const TerOptions& options, std::size_t references) {
  const auto answer = [](bool yes) { return yes ? "yes" : "no"; };
  return fmt::format("nrefs:{}|case:{}|tok:tercom|norm:{}|punct:{}|asian:{}|version:2.6.0",
                     references, options.caseSensitive ? "mixed" : "lc", answer(options.normalized),
                     answer(!options.noPunctuation), answer(options.asianSupport));
}

TerMetric::TerMetric(const std::vector<std::vector<std::string>>& references,
                     const TerOptions& options)
    : options_(options), references_(references.size()) {
  sentences_ = checkReferences(references);
  starts_.reserve(sentences_ * references_ + 1);
  starts_.push_back(0);
  for (std::size_t i = 0; i < sentences_; ++i) {
    for (const auto& reference : references) {
      std::string line = terTokenized(reference[i], options_);
      // sacreBLEU tokenises references twice and hypotheses once. So "John's." against itself is 2
      // edits: the stop, now apart, lets the second pass part 's from the name.
      if (options_.normalized) line = terTokenized(line, options_);
      forEachWord(line, [&](std::string_view word) {
        auto known = ids_.find(word);
        if (known == ids_.end())
          known = ids_.emplace(word, static_cast<std::int32_t>(ids_.size())).first;
        words_.push_back(known->second);
      });
      starts_.push_back(words_.size());
    }
  }
}

std::span<const std::int32_t> TerMetric::reference(std::size_t sentence, std::size_t which) const {
  const std::size_t at = sentence * references_ + which;
  return std::span(words_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
}

TerEdits TerMetric::edits(std::size_t sentence, std::string_view hypothesis) const {
  if (sentence >= sentences_)
    throw Error("there is no sentence {}: the references have {}", sentence, sentences_);
  thread_local std::vector<std::int32_t> words;
  thread_local ShiftSearch search;
  words.clear();
  forEachWord(terTokenized(hypothesis, options_), [&](std::string_view word) {
    const auto known = ids_.find(word);
    words.push_back(known == ids_.end() ? kUnknown : known->second);
  });
  int fewest = std::numeric_limits<int>::max();
  std::size_t length = 0;
  for (std::size_t r = 0; r < references_; ++r) {
    fewest = std::min(fewest, search.edits(words, reference(sentence, r)));
    length += reference(sentence, r).size();
  }
  return {static_cast<double>(fewest),
          static_cast<double>(length) / static_cast<double>(references_)};
}

void TerMetric::compare(std::size_t sentence, std::string_view hypothesis,
                        std::span<double> row) const {
  const TerEdits result = edits(sentence, hypothesis);
  row[0] = result.edits;
  row[1] = result.referenceLength;
}

double TerMetric::score(std::span<const double> sums) const {
  if (sums[1] > 0) return 100 * (sums[0] / sums[1]);
  return sums[0] > 0 ? 100 : 0;
}

}  // namespace strata
