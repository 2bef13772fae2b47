#pragma once
#include <limits>
#include <vector>

#include "core/inside/mean_value.h"
#include "core/inside/recorded_step.h"
#include "core/inside/target_attention.h"
#include "core/inside/word_class.h"

namespace strata {

// Statistics over all recorded sentences (inside.md 1, 2).
//
// One recorded sentence as counted by means over a corpus: full words, without the row that
// generates the end of the sentence.
struct CorpusSentence {
  TargetAttention words;
  std::vector<WordClass> classes;  // one per generated word
  std::vector<int> heads;          // gold, one per word, -1: none; empty if there are no gold heads
};

// Sentences with history, their subwords merged to words. Classes are the gold ones if the dataset
// has them and they match the words, else from spelling and word list.
std::vector<CorpusSentence> corpusSentences(const RecordedStep& step);

// The measure of "how much of the context is source": the norms of the two context vectors
// (comparable across models), or the model's own weighting: the mean gate, or the joint softmax's
// mass on the source.
enum class ShareMeasure { kNorms, kWeights };

// The share of the source, 0 .. 1 or NaN, one per word; empty if the layer has none.
std::vector<double> sourceShares(const LayerAttention& layer, ShareMeasure measure);

// Mean share of the source over all words of a position or class, by layer.
struct CorpusShares {
  std::vector<int> layers;                         // their numbers from 0
  std::vector<std::vector<MeanValue>> byPosition;  // [layer][place in the sentence, from 0]
  std::vector<std::vector<MeanValue>> byClass;     // [layer][place in kWordClasses]
};
CorpusShares corpusShares(const std::vector<CorpusSentence>& sentences, ShareMeasure measure);

// The last bin of distances in panels and tables.
inline constexpr int kLongestDistance = 12;  // words

// How far back the history attention looks. Bin 0 is the word itself (its earlier subwords), bin d
// is d words back, the last bin that far or further; the start symbol is counted separately.
struct Distances {
  std::vector<double> weight;     // share of all history weight
  std::vector<double> strongest;  // share of the most attended earlier words
  double start = 0;               // share of all history weight on the start symbol
  int arcs = 0;
};
// Of one layer by its index, or of the mean of the layers if negative.
Distances distancesLookedBack(const std::vector<CorpusSentence>& sentences, int layer, int longest);

// Over words whose gold head precedes them.
struct GoldHits {
  int words = 0;
  int hits = 0;       // the most attended earlier word is the head
  int previous = 0;   // the previous word is the head
  double chance = 0;  // expected hits of a random earlier word

  double share(double count) const {
    return words > 0 ? count / words : std::numeric_limits<double>::quiet_NaN();
  }
};
GoldHits goldHits(const std::vector<CorpusSentence>& sentences, int layer);

}  // namespace strata
