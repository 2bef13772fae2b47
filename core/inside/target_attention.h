#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/run/recording.h"

namespace strata {

// A rows x columns table, row-major; NaN: no value.
struct Grid {
  int rows = 0, columns = 0;
  std::vector<float> values;

  bool isEmpty() const { return values.empty(); }
  float at(int row, int column) const {
    return values[std::size_t(row) * std::size_t(columns) + std::size_t(column)];
  }
};

// What one decoder layer attended to while it generated a sentence. Parts that the model does not
// have are empty. Row i is the generated word; column j of `history` is the word read at step j,
// i.e. the one generated before it, the start symbol first (so the diagonal is the previous word).
struct LayerAttention {
  int layer = -1;      // from 0; -1: the mean of all
  Grid source;         // [generated, source words]
  Grid history;        // [generated, read], lower triangular
  bool joint = false;  // one softmax over source and history: their weights sum to 1 only together
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

// Whether a sentence's decoder attends to its history: any recording of kind "history_attention"
// (axes target, history) or "joint_attention" (axes target, memory: the source first, then the
// history).
bool hasHistory(const SentenceRecordings& sentence);
bool isHistoryKind(const std::string& kind);
// Whether targetAttention() uses a recording.
bool isPartOfTargetAttention(const RecordingInfo& info);

// How many layers have recorded their attention to the history.
int historyLayers(const SentenceRecordings& sentence);

// Recognised by kind and axes of the recordings; no layers if the sentence has no history.
TargetAttention targetAttention(const SentenceRecordings& sentence);

// Where each word begins in a list of subwords ("@@" ends all subwords of a word but the last), and
// the end of the last.
std::vector<std::size_t> wordStarts(const std::vector<std::string>& tokens);

// The word consisting of tokens first .. end - 1.
std::string joinedPieces(const std::vector<std::string>& tokens, std::size_t first,
                         std::size_t end);

// The words of such a list; `starts`: as wordStarts() returns them.
std::vector<std::string> joinedWords(const std::vector<std::string>& tokens,
                                     const std::vector<std::size_t>& starts);

// Merges rows (averaged) and columns (summed) to those that begin at these places.
Grid mergedGrid(const Grid& grid, const std::vector<std::size_t>& rows,
                const std::vector<std::size_t>& columns);

// Merges subwords to words. Weights on the subwords of a word are summed (columns), the rows of its
// subwords are averaged; so every row keeps its sum. Subwords of a word that read its own earlier
// subwords look back 0 words.
TargetAttention wordsMerged(const TargetAttention& tokens);

// The mean over the layers that have the part.
LayerAttention meanOfLayers(const TargetAttention& attention);
// layers[index], or the mean if `index` is negative.
LayerAttention layerOf(const TargetAttention& attention, int index);

float rowSum(const Grid& grid, int row);  // over finite values; 0 for an empty grid

// Distance in words from the generated word back to the word read: 1 is the previous one. Rows and
// columns from 0; column 0, the start symbol, is row + 1 back.
inline int wordsBack(int row, int column) {
  return row - column + 1;
}

// A word and one of the two earlier words that it attended to most. Words by position in the
// sentence, from 0. The start symbol is not a word.
struct Arc {
  int from = 0, to = 0;
  float weight = 0;
  bool second = false;  // the second most attended

  int length() const { return from - to; }
  bool operator==(const Arc&) const = default;
};

// By word, the most attended first; ties: the nearer word. Weights of 0 yield no arc.
std::vector<Arc> arcsOf(const Grid& history);

}  // namespace strata
