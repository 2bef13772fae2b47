#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/inside/mean_value.h"
#include "core/inside/recorded_step.h"
#include "core/inside/target_attention.h"
#include "core/metrics/alignment_error.h"
#include "core/run/recording.h"

namespace strata {

// Any model's attention over a recorded sentence (inside.md 1, 3).

// Who reads what: source words read the source; words generated read the words before them, or the
// source.
enum class AttentionKind { kEncoder, kHistory, kSource };
inline constexpr std::array kAttentionKinds{AttentionKind::kEncoder, AttentionKind::kHistory,
                                            AttentionKind::kSource};
std::string_view nameOf(AttentionKind kind);  // "encoder", "history", "source"
std::optional<AttentionKind> attentionKindNamed(std::string_view name);

// The attentions of one kind in one layer of a model.
struct AttentionLayer {
  AttentionKind kind = AttentionKind::kSource;
  int layer = 0;       // from 0
  int units = 1;       // heads, or DenseNMT's attentions to the parts of its encoder, newest first
  bool heads = false;  // whether the units are heads
  bool joint = false;  // one softmax over source and history: rows sum to 1 only together

  bool operator==(const AttentionLayer&) const = default;
};

// By kind, then layer. A recording whose shape does not match the sentence is left out.
std::vector<AttentionLayer> attentionLayers(const SentenceRecordings& sentence);
bool hasAttention(const std::vector<RecordingInfo>& infos);

// One attention of a sentence, or the mean over layers, units or both.
struct AttentionChoice {
  static constexpr int kMean = -1;
  AttentionKind kind = AttentionKind::kSource;
  int layer = kMean, unit = kMean;  // from 0

  bool operator==(const AttentionChoice&) const = default;
};

enum class TextLevel { kTokens, kWords };

// Row i reads column j. Labels have no escapes; the history's columns begin with the start symbol.
struct AttentionMap {
  std::vector<std::string> rows, columns;
  Grid weights;
  bool causal = false;  // row i cannot read what is generated after it

  bool isEmpty() const { return weights.isEmpty(); }
};

// Empty if the sentence has no such attention. The mean is over those that were recorded. Whole
// words: columns of a word's pieces add, their rows are averaged, so row sums stay.
AttentionMap attentionMap(const SentenceRecordings& sentence, const AttentionChoice& choice,
                          TextLevel level);

// The first columns that a row may read: all of them, or in a causal map those of the words before
// the one generated and of its own earlier pieces.
int readableColumns(const AttentionMap& map, int row);

// Entropy of a row, divided by its sum, relative to the uniform distribution over its n readable
// columns: -sum a ln a / ln n, from 0 (one column) to 1. NaN if n < 2 or the row sums to 0.
double rowEvenness(const AttentionMap& map, int row);

// Of every word, the source word with the largest weight (the first of equal ones). The row of </s>
// is left out; no link if </s> has the largest weight, or if all weights are 0.
SentenceAlignment strongestLinks(const AttentionMap& words);

// Over the words of all sentences; rows of </s> are left out.
struct AttentionFigures {
  MeanValue evenness;  // of rows with a value
  MeanValue largest;   // largest weight of a row
  // Against gold alignments: sums over the sentences that have some which match their words. Only
  // for attention to the source.
  AlignmentCounts alignment;
  int alignedSentences = 0;
};
AttentionFigures attentionFigures(const RecordedStep& step, const AttentionChoice& choice);

// The recordings of the same sentence: with the same words; else one with the same source words;
// else of the same number. Null: there is none.
const SentenceRecordings* sameSentence(const SentenceRecordings& sentence,
                                       const std::vector<SentenceRecordings>& others);

// b - a, from -1 to 1, of whole words. Throws Error if the maps have different words: only models
// that are forced on the same target can be compared.
AttentionMap attentionDifference(const AttentionMap& a, const AttentionMap& b);

}  // namespace strata
