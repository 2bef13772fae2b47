#include "ui/data/history_corpus.h"

#include <algorithm>

namespace strata::ui {
namespace {

// The number of words without the end of the sentence.
std::size_t realWords(const std::vector<TokenClass>& classes) {
  const bool ended = !classes.empty() && classes.back() == TokenClass::kEnd;
  return classes.size() - (ended ? 1 : 0);
}

void addGold(CorpusSentence& sentence, const std::vector<GoldWord>& gold) {
  if (gold.empty() || gold.size() != realWords(sentence.classes)) return;
  sentence.heads.assign(sentence.classes.size(), -1);
  for (std::size_t word = 0; word < gold.size(); ++word) {
    sentence.heads[word] = gold[word].head;
    if (sentence.classes[word] != TokenClass::kUnknown) sentence.classes[word] = gold[word].kind;
  }
}

int layerCount(const std::vector<CorpusSentence>& sentences) {
  int layers = 0;
  for (const CorpusSentence& sentence : sentences)
    layers = std::max(layers, int(sentence.words.layers.size()));
  return layers;
}

}  // namespace

void MeanValue::add(double value) {
  if (std::isnan(value)) return;
  sum += value;
  ++count;
}

std::vector<CorpusSentence> corpusSentences(const StepRecordings& recordings) {
  std::vector<CorpusSentence> sentences;
  for (const SentenceRecordings& recorded : recordings.sentences) {
    CorpusSentence sentence;
    sentence.words = wordsMerged(targetAttention(recorded));
    if (sentence.words.isEmpty()) continue;
    for (const QString& word : sentence.words.generated)
      sentence.classes.push_back(tokenClass(word, recordings.targetLanguage));
    const auto gold = recordings.gold.find(recorded.sentence);
    if (gold != recordings.gold.end()) addGold(sentence, gold->second);
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::vector<double> historyShare(const LayerAttention& layer, ShareMeasure measure) {
  std::vector<double> shares;
  const int words = layer.history.rows;
  if (measure == ShareMeasure::kNorms) {
    for (int word = 0; layer.hasShare() && word < words; ++word)
      shares.push_back(1 - double(layer.share.at(word, 0)));
  } else if (layer.joint) {
    for (int word = 0; word < words; ++word) shares.push_back(double(rowSum(layer.history, word)));
  } else {
    for (int word = 0; !layer.gate.isEmpty() && word < words; ++word)
      shares.push_back(1 - double(layer.gate.at(word, 0)));
  }
  return shares;
}

CorpusShares corpusShares(const std::vector<CorpusSentence>& sentences, ShareMeasure measure) {
  CorpusShares made;
  for (int index = 0; index < layerCount(sentences); ++index) {
    std::vector<MeanValue> positions, classes(kTokenClasses);
    int number = index;
    for (const CorpusSentence& sentence : sentences) {
      if (index >= sentence.words.layers.size()) continue;
      number = sentence.words.layers[index].layer;
      const auto shares = historyShare(sentence.words.layers[index], measure);
      if (positions.size() < shares.size()) positions.resize(shares.size());
      for (std::size_t word = 0; word < shares.size(); ++word) {
        positions[word].add(shares[word]);
        const TokenClass tokenClass = sentence.classes[word];
        if (tokenClass != TokenClass::kEnd) classes[std::size_t(tokenClass)].add(shares[word]);
      }
    }
    if (positions.empty()) continue;
    made.layers << number;
    made.byPosition.push_back(std::move(positions));
    made.byClass.push_back(std::move(classes));
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
    if (sentence.heads.empty()) continue;
    for (const Arc& arc : arcsOf(layerOf(sentence.words, layer).history)) {
      const int head = sentence.heads[std::size_t(arc.from)];
      if (arc.second || head < 0 || head >= arc.from) continue;
      ++hits.words;
      hits.hits += arc.to == head;
      hits.previous += head == arc.from - 1;
      hits.chance += 1.0 / arc.from;
    }
  }
  return hits;
}

}  // namespace strata::ui
