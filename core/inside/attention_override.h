#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/run/recording.h"

namespace strata {

// Weights that a user gives to an attention of the decoder, or to the hops of its fusion, at one
// position of a translation.

// Whether its rows, one per word generated, are distributions that can be given.
bool canOverride(const RecordingInfo& info);
// Those that read the source's words.
bool readsSource(const RecordingInfo& info);
// The axis of heads or hops; empty: it has none.
std::string unitAxis(const RecordingInfo& info);

// Where weights are given: in one map or in several with the same last axis.
struct OverridePlace {
  std::vector<RecordingInfo> maps;
  int unit = -1;  // head or hop, from 0; -1: all of them
  std::int64_t target = 0;
};

// The model's own weights there, the mean over maps and units, and what they are over: words, or
// numbers of levels. Columns of words that are generated later are left out. Empty if it was not
// recorded.
struct OverrideRow {
  std::vector<std::string> labels;
  std::vector<double> weights;
  int units = 1;  // heads or hops of the maps: the fewest of one
};
OverrideRow overrideRow(const SentenceRecordings& sentence, const OverridePlace& place);

// What is given for each column of a row: weights in proportion, where those without one have 0; or
// else columns that are not to be read, whose weight the others share.
struct GivenWeights {
  std::vector<std::optional<double>> weights;
  std::vector<bool> forbidden = {};
};
// As --intervene takes them (core/nn/interventions.h); none if nothing is given.
std::vector<std::string> interventionsOf(const OverridePlace& place, const GivenWeights& given);

}  // namespace strata
