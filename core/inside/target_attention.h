#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/run/recording.h"

namespace strata {

// A rows x columns table, row-major; NaN where there is no value.
struct Grid {
  int rows = 0, columns = 0;
  std::vector<float> values;

  bool isEmpty() const { return values.empty(); }
  float at(int row, int column) const {
    return values[std::size_t(row) * std::size_t(columns) + std::size_t(column)];
  }
};

// What one decoder layer looked at while it generated a sentence. Parts that the model does not
// have are empty. Row i is the word generated; column j of `history` is the word read at step j,
// the one generated before it, the start symbol first (so the diagonal is the previous word).
struct LayerAttention {
  int layer = -1;      // from 0; -1: the mean of all
  Grid source;         // [generated, source words]
  Grid history;        // [generated, read], lower triangular
  bool joint = false;  // one softmax over source and history: only their sums together are 1
  Grid gate;           // [generated, 2]: mean and standard deviation over the gate's dimensions
  Grid share;          // [generated, 1]: norm of the source context / (source + history)
  bool hasShare() const { return !share.isEmpty(); }
};

struct TargetAttention {
  // Tokens or words without the escapes of Moses's tokenizer; `read` begins with the start symbol,
  // </s>.
  std::vector<std::string> source, generated, read;
  std::vector<LayerAttention> layers;  // ascending

  bool isEmpty() const { return layers.empty(); }
};

// Whether a sentence's decoder attends to what it has generated: any recording of the kinds
// "history_attention" (axes target, history) or "joint_attention" (axes target, memory: the source
// first, then the history).
bool hasHistory(const SentenceRecordings& sentence);
bool isHistoryKind(const std::string& kind);
// Whether a recording is one of those that targetAttention() reads.
bool isPartOfTargetAttention(const RecordingInfo& info);

// By kind and axes of what was recorded; no layers where the sentence has no history.
TargetAttention targetAttention(const SentenceRecordings& sentence);

// Where each word begins in a list of subwords ("@@" ends all pieces of a word but the last), and
// the end of the last.
std::vector<std::size_t> wordStarts(const std::vector<std::string>& tokens);

// The word that tokens first .. end - 1 make.
std::string joinedPieces(const std::vector<std::string>& tokens, std::size_t first,
                         std::size_t end);

// Subwords joined to words. Weights on the pieces of a word add up (columns are summed), the rows
// of its pieces are averaged; so every row keeps its sum. Pieces of a word that read its own
// earlier pieces look back 0 words.
TargetAttention wordsMerged(const TargetAttention& tokens);

// The mean over the layers that have the part.
LayerAttention meanOfLayers(const TargetAttention& attention);
// layers[index], or the mean where `index` is negative.
LayerAttention layerOf(const TargetAttention& attention, int index);

float rowSum(const Grid& grid, int row);  // over finite values; 0 of an empty grid

// How many words before the word generated the word read stands: 1 is the previous one. Rows and
// columns from 0; column 0, the start symbol, is row + 1 back.
inline int wordsBack(int row, int column) {
  return row - column + 1;
}

// A word and one of the two earlier words that it attended to most. Words by their place in the
// sentence, from 0. The start symbol is no word.
struct Arc {
  int from = 0, to = 0;
  float weight = 0;
  bool second = false;  // the second most attended

  int length() const { return from - to; }
  bool operator==(const Arc&) const = default;
};

// By word, the most attended first; of equal weights the nearer word. Weights of 0 make no arc.
std::vector<Arc> arcsOf(const Grid& history);

}  // namespace strata
