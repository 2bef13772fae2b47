#pragma once
#include <cmath>
#include <vector>

#include "ui/data/history_attention.h"
#include "ui/data/values.h"
#include "ui/data/word_classes.h"

namespace strata::ui {

// One recorded sentence as the corpus view counts it: whole words.
struct CorpusSentence {
  TargetAttention words;
  std::vector<TokenClass> classes;  // one a word generated
  std::vector<int> heads;  // gold, one a word, -1: none; empty where there is no gold truth
};

// Sentences with history, their words merged. Classes are the gold ones where the dataset has them
// and they fit the words, else by spelling and word list.
std::vector<CorpusSentence> corpusSentences(const StepRecordings& recordings);

// What stands for "how much of the context is history": the norms of the two context vectors
// (comparable over models), or what the model weighs with: 1 - mean gate, or the joint softmax's
// mass on the history.
enum class ShareMeasure { kNorms, kWeights };

// The share of history, 0 .. 1, one a word; empty where the layer does not have it.
std::vector<double> historyShare(const LayerAttention& layer, ShareMeasure measure);

struct MeanValue {
  double sum = 0;
  int count = 0;

  void add(double value);  // NaN counts for nothing
  double mean() const { return count > 0 ? sum / count : NAN; }
};

// Mean share of history over all words of a position or class, by layer.
struct CorpusShares {
  QVector<int> layers;                             // their numbers from 0
  std::vector<std::vector<MeanValue>> byPosition;  // [layer][place in the sentence, from 0]
  std::vector<std::vector<MeanValue>> byClass;     // [layer][TokenClass below kTokenClasses]
};
CorpusShares corpusShares(const std::vector<CorpusSentence>& sentences, ShareMeasure measure);

// How far back the history attention looks. Bin 0 is the word itself (its earlier pieces), bin d is
// d words back, the last bin that far or further; the start symbol is counted by itself.
struct Distances {
  std::vector<double> weight;     // share of all history weight
  std::vector<double> strongest;  // share of the most attended earlier words
  double start = 0;               // share of all history weight on the start symbol
  int arcs = 0;
};
// Of one layer by its index, or of the mean of the layers where it is negative.
Distances distancesLookedBack(const std::vector<CorpusSentence>& sentences, int layer, int longest);

// Arcs of words whose gold head stands before them.
struct GoldHits {
  int words = 0;
  int hits = 0;       // the most attended earlier word is the head
  int previous = 0;   // the word just before is the head
  double chance = 0;  // expected hits of a random earlier word

  double share(double count) const { return words > 0 ? count / words : NAN; }
};
GoldHits goldHits(const std::vector<CorpusSentence>& sentences, int layer);

}  // namespace strata::ui
