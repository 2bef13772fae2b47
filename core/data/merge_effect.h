#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/json.h"
#include "core/text/word_counter.h"

namespace strata {

struct MergeSide {
  std::int64_t vocabulary = 0;  // different units, without special tokens
  double unitsPerWord = 1;
  double split = 0;               // share of the running words that have several units, 0 .. 1
  std::optional<double> unknown;  // share of valid's running words with a unit that the vocabulary
                                  // lacks; none without valid
};

struct MergeRow {
  std::int64_t merges = 0;   // asked for; 0: words are the units
  std::int64_t learned = 0;  // fewer if no pair was frequent enough
  std::array<MergeSide, 2> sides;
  std::int64_t joint = 0;  // different units of both sides together
};

// What numbers of merges do to a text, learned from a sample of its pairs.
struct MergeEffect {
  std::int64_t pairs = 0, of = 0;  // in the sample, in the text
  bool separate = false;           // merges are learned for each side separately
  std::vector<MergeRow> rows;      // ascending merges, words first

  bool isSample() const { return pairs < of; }
  Json json() const;
};

struct MergeText {
  std::array<WordCounter, 2> words, valid;
};

// Fills in the rows for these numbers of merges. Learns once, for the largest number.
std::vector<MergeRow> mergeRows(const MergeText& text, std::vector<std::int64_t> merges,
                                bool separate, const std::stop_token& stop = {});

}  // namespace strata
