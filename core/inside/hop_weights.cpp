#include "core/inside/hop_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/inside/target_attention.h"
#include "core/text/detokenizer.h"

namespace strata {
namespace {

// A recording as [positions, hops, levels].
struct Weights {
  const Recording& recording;
  std::size_t positions = std::size_t(recording.shape[0]), hops = std::size_t(recording.shape[1]),
              levels = std::size_t(recording.shape[2]);

  // The weights of all levels.
  const float* at(std::size_t position, std::size_t hop) const {
    return recording.values.data() + (position * hops + hop) * levels;
  }
};

double evenness(const float* weights, std::size_t levels) {
  if (levels < 2) return 0;
  double entropy = 0;
  for (std::size_t level = 0; level < levels; ++level) {
    const auto a = double(weights[level]);
    if (!std::isfinite(a)) return std::numeric_limits<double>::quiet_NaN();
    if (a > 0) entropy -= a * std::log(a);
  }
  return entropy / std::log(double(levels));
}

// The norms of the levels, [positions, levels]; null if the sentence has none.
const Recording* levelNormsOf(const SentenceRecordings& sentence, const Recording& weights) {
  for (const Recording& recording : sentence.recordings) {
    if (recording.info.kind != "level_norms" || recording.info.side != weights.info.side) continue;
    if (recording.shape != std::vector<std::int64_t>{weights.shape[0], weights.shape[2]})
      throw Error("{}: its shape does not fit that of {}; record this step again",
                  recording.info.name, weights.info.name);
    return &recording;
  }
  return nullptr;
}

// Kullback-Leibler divergence to the mean of p and q in bits; 0 log 0 = 0.
double toTheMiddle(const float* p, const float* q, std::size_t size) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto a = double(p[i]);
    if (a > 0) sum += a * std::log2(2 * a / (a + double(q[i])));
  }
  return sum;
}

// The share of each level in what a hop reads at a position; none if it reads nothing.
std::vector<double> contributionsOf(const float* weights, const float* norms, std::size_t levels) {
  std::vector<double> shares(levels);
  double all = 0;
  for (std::size_t level = 0; level < levels; ++level)
    all += shares[level] = double(weights[level]) * double(norms[level]);
  if (!(all > 0)) return {};
  for (double& share : shares) share /= all;
  return shares;
}

// Sums over the positions of all sentences.
struct HopSums {
  void add(const SentenceRecordings& sentence, const Recording& recording) {
    const Weights weights{recording};
    const Recording* norms = levelNormsOf(sentence, recording);
    for (auto* sums : {&means, &contributions}) sums->resize(weights.levels * weights.hops);
    entropies.resize(weights.hops);
    contributing.resize(weights.hops);
    similarities.resize(weights.hops * weights.hops);
    positions += double(weights.positions);
    allNorms = allNorms && norms != nullptr;
    for (std::size_t at = 0; at < weights.positions; ++at) {
      for (std::size_t hop = 0; hop < weights.hops; ++hop) {
        const float* a = weights.at(at, hop);
        for (std::size_t level = 0; level < weights.levels; ++level)
          means[level * weights.hops + hop] += double(a[level]);
        entropies[hop] += evenness(a, weights.levels);
        if (norms) addContributions(a, norms->values.data() + at * weights.levels, hop);
        for (std::size_t other = 0; other < weights.hops; ++other) {
          const float* b = weights.at(at, other);
          similarities[hop * weights.hops + other] +=
              1 - (toTheMiddle(a, b, weights.levels) + toTheMiddle(b, a, weights.levels)) / 2;
        }
      }
    }
  }

  std::vector<double> means, contributions, entropies, contributing, similarities;
  double positions = 0;
  bool allNorms = true;

 private:
  void addContributions(const float* a, const float* norms, std::size_t hop) {
    const std::size_t hops = entropies.size();
    const auto shares = contributionsOf(a, norms, means.size() / hops);
    if (!shares.empty()) ++contributing[hop];
    for (std::size_t level = 0; level < shares.size(); ++level)
      contributions[level * hops + hop] += shares[level];
  }
};

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * double(sorted.size() - 1);
  const auto below = std::size_t(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - double(below)) * (sorted[above] - sorted[below]);
}

// Adds the mean of the positions of a word's pieces.
void addWord(const Weights& weights, std::size_t first, std::size_t end, std::size_t wordClass,
             HopClassMeans& classes) {
  for (std::size_t hop = 0; hop < weights.hops; ++hop) {
    for (std::size_t level = 0; level < weights.levels; ++level) {
      double sum = 0;
      for (std::size_t i = first; i < end; ++i) sum += double(weights.at(i, hop)[level]);
      classes.means[hop][wordClass][level].add(sum / double(end - first));
    }
  }
}

}  // namespace

bool isHopWeights(const RecordingInfo& info) {
  return info.kind == "hop_weights";
}

const Recording* hopWeightsOf(const SentenceRecordings& sentence, const std::string& side) {
  for (const Recording& recording : sentence.recordings) {
    if (isHopWeights(recording.info) && recording.info.side == side &&
        recording.shape.size() == 3 && recording.shape[1] > 0 && recording.shape[2] > 0)
      return &recording;
  }
  return nullptr;
}

HopMeans hopMeans(const std::vector<SentenceRecordings>& sentences, const std::string& side) {
  HopMeans means;
  HopSums sums;
  for (const SentenceRecordings& sentence : sentences) {
    const Recording* recording = hopWeightsOf(sentence, side);
    if (recording == nullptr || recording->shape[0] == 0) continue;
    means.hops = int(recording->shape[1]);
    means.levels = int(recording->shape[2]);
    means.firstLevel = recording->info.firstLevel;
    sums.add(sentence, *recording);
  }
  const auto divided = [](const std::vector<double>& values, const auto& by) {
    std::vector<float> made;
    for (std::size_t i = 0; i < values.size(); ++i) made.push_back(float(values[i] / by(i)));
    return made;
  };
  const auto byPositions = [&](std::size_t) { return sums.positions; };
  means.weights = divided(sums.means, byPositions);
  means.entropy = divided(sums.entropies, byPositions);
  means.similarity = divided(sums.similarities, byPositions);
  if (sums.allNorms)
    means.contributions = divided(sums.contributions, [&](std::size_t i) {
      return sums.contributing[i % std::size_t(means.hops)];
    });
  return means;
}

std::vector<WeightSpread> hopSpread(const std::vector<SentenceRecordings>& sentences,
                                    const std::string& side, int hop) {
  std::vector<std::vector<double>> values;  // by level
  for (const SentenceRecordings& sentence : sentences) {
    const Recording* recording = hopWeightsOf(sentence, side);
    if (recording == nullptr) continue;
    const Weights weights{*recording};
    const std::size_t first = hop < 0 ? 0 : std::size_t(hop);
    const std::size_t last = hop < 0 ? weights.hops : first + 1;
    values.resize(weights.levels);
    for (std::size_t at = 0; at < weights.positions; ++at) {
      for (std::size_t level = 0; level < weights.levels; ++level) {
        double sum = 0;
        for (std::size_t each = first; each < last; ++each)
          sum += double(weights.at(at, each)[level]);
        const double weight = sum / double(last - first);
        if (std::isfinite(weight)) values[level].push_back(weight);
      }
    }
  }
  std::vector<WeightSpread> spread;
  for (std::vector<double>& level : values) {
    std::ranges::sort(level);
    if (level.empty()) {
      const double none = std::numeric_limits<double>::quiet_NaN();
      spread.push_back({none, none, none, none, none});
      continue;
    }
    spread.push_back({quantile(level, 0.05), quantile(level, 0.25), quantile(level, 0.5),
                      quantile(level, 0.75), quantile(level, 0.95)});
  }
  return spread;
}

bool HopMeans::has(HopMeasure measure) const {
  return !(measure == HopMeasure::kWeight ? weights : contributions).empty();
}

double HopMeans::value(int level, int hop, HopMeasure measure) const {
  const auto& values = measure == HopMeasure::kWeight ? weights : contributions;
  if (hop >= 0) return double(values.at(std::size_t(level * hops + hop)));
  double sum = 0;
  for (int each = 0; each < hops; ++each) sum += value(level, each, measure);
  return sum / hops;
}

std::vector<std::string> hopColumns(const SentenceRecordings& sentence, const std::string& side) {
  std::vector<std::string> columns;
  if (side == "encoder") {
    for (const std::string& word : sentence.source) columns.push_back(withoutEntities(word));
    return columns;
  }
  std::string read = "</s>";
  for (const std::string& word : sentence.target) {
    const std::string generated = withoutEntities(word);
    columns.push_back(fmt::format("{} \u2192 {}", read, generated));
    read = generated;
  }
  return columns;
}

std::vector<std::string> levelNames(int levels, int first) {
  std::vector<std::string> names;
  for (int level = 0; level < levels; ++level) {
    const auto layer = std::int64_t{first} + level;
    names.push_back(layer == 0 ? "embedding" : fmt::format("layer {}", layer));
  }
  return names;
}

std::vector<std::string> levelNames(const Recording& hopWeights) {
  return levelNames(int(hopWeights.shape.at(2)), hopWeights.info.firstLevel);
}

std::vector<std::vector<float>> hopMaps(const SentenceRecordings& sentence, const std::string& side,
                                        HopMeasure measure) {
  const Recording* recording = hopWeightsOf(sentence, side);
  if (recording == nullptr) return {};
  const Recording* norms = levelNormsOf(sentence, *recording);
  if (measure == HopMeasure::kContribution && norms == nullptr) return {};
  const Weights weights{*recording};
  const std::size_t columns = side == "encoder" ? sentence.source.size() : sentence.target.size();
  std::vector<std::vector<float>> maps(weights.hops,
                                       std::vector<float>(weights.levels * columns, NAN));
  for (std::size_t hop = 0; hop < weights.hops; ++hop) {
    for (std::size_t at = 0; at < std::min(weights.positions, columns); ++at) {
      const float* a = weights.at(at, hop);
      const auto shares =
          measure == HopMeasure::kWeight
              ? std::vector<double>(a, a + weights.levels)
              : contributionsOf(a, norms->values.data() + at * weights.levels, weights.levels);
      for (std::size_t level = 0; level < shares.size(); ++level)
        maps[hop][level * columns + at] = float(shares[level]);
    }
  }
  return maps;
}

void addHopClasses(const RecordedStep& step, const std::string& side, HopClassMeans& classes) {
  const bool encoder = side == "encoder";
  const std::string& language = encoder ? step.sourceLanguage : step.targetLanguage;
  for (const SentenceRecordings& sentence : step.sentences) {
    const Recording* recording = hopWeightsOf(sentence, side);
    std::vector<std::string> read = encoder ? sentence.source : sentence.target;
    if (recording == nullptr || recording->shape[0] != std::int64_t(read.size())) continue;
    const Weights weights{*recording};
    if (classes.hops == 0) {
      classes.hops = int(weights.hops);
      classes.levels = int(weights.levels);
      classes.firstLevel = recording->info.firstLevel;
    } else if (classes.hops != int(weights.hops) || classes.levels != int(weights.levels)) {
      continue;  // from another model: cannot be averaged with the others
    }
    classes.means.resize(weights.hops,
                         {kWordClasses.size(), std::vector<MeanValue>(weights.levels)});
    if (!encoder && !read.empty()) read.pop_back();  // the decoder does not read its last token
    const auto starts = wordStarts(read);
    for (std::size_t word = 0; word + 1 < starts.size(); ++word) {
      const WordClass wordClass =
          wordClassOf(joinedPieces(read, starts[word], starts[word + 1]), language);
      if (wordClass == WordClass::kEnd) continue;
      // Position i of the encoder reads token i, position i + 1 of the decoder.
      const std::size_t first = starts[word] + (encoder ? 0 : 1);
      addWord(weights, first, first + starts[word + 1] - starts[word], std::size_t(wordClass),
              classes);
    }
  }
}

}  // namespace strata
