#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "core/data/numbered_text.h"
#include "core/text/truecaser.h"
#include "core/text/word_counter.h"

namespace strata {

// Train while a dataset is prepared: the tokens of both sides, line by line, and which of these
// pairs are left out of it. Sides are 0 (source) and 1 (target), lines count from 0.
class TrainText {
 public:
  // Its files are created in `folder`; `threads` as for PrepareOptions.
  TrainText(const std::filesystem::path& folder, int threads);

  // Adding lines, equally many to both sides; two threads may add to one side each.
  void add(int side, std::string_view tokens) { sides_[index(side)].add(tokens); }
  void finish(std::int64_t lines);

  // Casings of words at the start of sentences are replaced.
  void truecase(int side, const Truecaser& truecaser);

  std::int64_t lines() const { return static_cast<std::int64_t>(left_.size()); }
  std::int64_t pairs() const;  // that are not left out
  bool has(std::int64_t line) const { return !left_[static_cast<std::size_t>(line)]; }
  void leaveOut(std::int64_t line) { left_[static_cast<std::size_t>(line)] = true; }

  // All lines, left out or not.
  const NumberedText& side(int side) const { return sides_[index(side)]; }
  // Words of a side in the order of their first appearance in what is not left out, with their
  // counts there. Call recountWords() after leaveOut().
  std::span<const WordCounter::Entry> words(int side) const {
    const auto& recounted = recounted_[index(side)];
    return recounted.empty() ? sides_[index(side)].words().entries() : recounted;
  }
  void recountWords();

  // The tokens of what is not left out as a text file.
  void writeText(int side, const std::filesystem::path& path) const;

 private:
  static std::size_t index(int side) { return static_cast<std::size_t>(side); }
  std::vector<WordCounter::Entry> recounted(const NumberedText& side) const;

  int threads_;
  std::array<NumberedText, 2> sides_;
  std::array<std::vector<WordCounter::Entry>, 2> recounted_;  // empty: nothing is left out
  std::vector<bool> left_;                                    // one bit per line: left out
};

// Both sides of train, line by line, left out or not.
class TrainReader {
 public:
  explicit TrainReader(const TrainText& train)
      : sides_{NumberedReader(train.side(0)), NumberedReader(train.side(1))} {}
  bool next() { return sides_[0].next() && sides_[1].next(); }
  const NumberedReader& side(int side) const { return sides_[static_cast<std::size_t>(side)]; }

 private:
  std::array<NumberedReader, 2> sides_;
};

}  // namespace strata
