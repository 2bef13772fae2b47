#include "core/inside/history_corpus.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace strata {
namespace {

void addGold(CorpusSentence& sentence, const std::vector<GoldWord>& gold) {
  if (gold.empty() || gold.size() != sentence.classes.size()) return;
  for (std::size_t word = 0; word < gold.size(); ++word) {
    sentence.heads.push_back(gold[word].head);
    if (sentence.classes[word] != WordClass::kUnknown)
      sentence.classes[word] = gold[word].wordClass;
  }
}

void dropLastRow(Grid& grid) {
  if (grid.rows == 0) return;
  --grid.rows;
  grid.values.resize(grid.values.size() - static_cast<std::size_t>(grid.columns));
}

// The row that generates the end of the sentence is in no mean.
void dropEnd(TargetAttention& words) {
  if (words.generated.empty() || words.generated.back() != "</s>") return;
  words.generated.pop_back();
  for (LayerAttention& layer : words.layers) {
    for (Grid* part : {&layer.source, &layer.history, &layer.gate, &layer.share})
      dropLastRow(*part);
  }
}

}  // namespace

std::vector<CorpusSentence> corpusSentences(const RecordedStep& step) {
  std::vector<CorpusSentence> sentences;
  for (const SentenceRecordings& recorded : step.sentences) {
    CorpusSentence sentence;
    sentence.words = wordsMerged(targetAttention(recorded));
    if (sentence.words.isEmpty()) continue;
    dropEnd(sentence.words);
    for (const std::string& word : sentence.words.generated)
      sentence.classes.push_back(wordClassOf(word, step.targetLanguage));
    const auto gold = step.gold.find(recorded.sentence);
    if (gold != step.gold.end()) addGold(sentence, gold->second);
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::vector<double> sourceShares(const LayerAttention& layer, ShareMeasure measure) {
  std::vector<double> shares;
  for (int word = 0; word < layer.history.rows; ++word) {
    if (measure == ShareMeasure::kNorms) {
      if (layer.hasShare()) shares.push_back(double(layer.share.at(word, 0)));
    } else if (layer.joint) {
      shares.push_back(double(rowSum(layer.source, word)));
    } else if (!layer.gate.isEmpty()) {
      shares.push_back(double(layer.gate.at(word, 0)));
    }
  }
  return shares;
}

CorpusShares corpusShares(const std::vector<CorpusSentence>& sentences, ShareMeasure measure) {
  struct Means {
    std::vector<MeanValue> byPosition, byClass = std::vector<MeanValue>(kWordClasses.size());
  };
  std::map<int, Means> layers;
  for (const CorpusSentence& sentence : sentences) {
    for (const LayerAttention& layer : sentence.words.layers) {
      const auto shares = sourceShares(layer, measure);
      if (shares.empty()) continue;
      Means& means = layers[layer.layer];
      means.byPosition.resize(std::max(means.byPosition.size(), shares.size()));
      for (std::size_t word = 0; word < shares.size(); ++word) {
        means.byPosition[word].add(shares[word]);
        means.byClass[std::size_t(sentence.classes[word])].add(shares[word]);
      }
    }
  }
  CorpusShares made;
  for (auto& [number, means] : layers) {
    made.layers.push_back(number);
    made.byPosition.push_back(std::move(means.byPosition));
    made.byClass.push_back(std::move(means.byClass));
  }
  return made;
}

Distances distancesLookedBack(const std::vector<CorpusSentence>& sentences, int layer,
                              int longest) {
  Distances made;
  made.weight.resize(std::size_t(longest) + 1);
  made.strongest.resize(std::size_t(longest) + 1);
  const auto bin = [&](int back) { return std::size_t(std::clamp(back, 0, longest)); };
  double total = 0;
  for (const CorpusSentence& sentence : sentences) {
    const Grid history = layerOf(sentence.words, layer).history;
    for (int row = 0; row < history.rows; ++row) {
      for (int column = 0; column < history.columns; ++column) {
        const double weight = double(history.at(row, column));
        (column == 0 ? made.start : made.weight[bin(wordsBack(row, column))]) += weight;
        total += weight;
      }
    }
    for (const Arc& arc : arcsOf(history)) {
      if (arc.second) continue;
      made.strongest[bin(arc.length())] += 1;
      ++made.arcs;
    }
  }
  if (total > 0) {
    for (double& weight : made.weight) weight /= total;
    made.start /= total;
  }
  for (double& count : made.strongest) count /= std::max(1, made.arcs);
  return made;
}

GoldHits goldHits(const std::vector<CorpusSentence>& sentences, int layer) {
  GoldHits hits;
  for (const CorpusSentence& sentence : sentences) {
    std::map<int, int> first;  // by word, the target of its first arc
    for (const Arc& arc : arcsOf(layerOf(sentence.words, layer).history))
      first.emplace(arc.from, arc.to);
    for (int word = 1; word < int(sentence.heads.size()); ++word) {
      const int head = sentence.heads[std::size_t(word)];
      if (head < 0 || head >= word) continue;
      ++hits.words;
      hits.hits += first.contains(word) && first[word] == head;
      hits.previous += head == word - 1;
      hits.chance += 1.0 / word;
    }
  }
  return hits;
}

}  // namespace strata
