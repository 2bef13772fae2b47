#include "core/inside/hop_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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
  std::vector<double> sums, entropies;
  double positions = 0;
  for (const SentenceRecordings& sentence : sentences) {
    const Recording* recording = hopWeightsOf(sentence, side);
    if (recording == nullptr || recording->shape[0] == 0) continue;
    const Weights weights{*recording};
    means.hops = int(weights.hops);
    means.levels = int(weights.levels);
    means.firstLevel = recording->info.firstLevel;
    sums.resize(weights.levels * weights.hops);
    entropies.resize(weights.hops);
    positions += double(weights.positions);
    for (std::size_t at = 0; at < weights.positions; ++at) {
      for (std::size_t hop = 0; hop < weights.hops; ++hop) {
        const float* a = weights.at(at, hop);
        for (std::size_t level = 0; level < weights.levels; ++level)
          sums[level * weights.hops + hop] += double(a[level]);
        entropies[hop] += evenness(a, weights.levels);
      }
    }
  }
  for (const double sum : sums) means.weights.push_back(float(sum / positions));
  for (const double entropy : entropies) means.entropy.push_back(float(entropy / positions));
  return means;
}

double HopMeans::weight(int level, int hop) const {
  if (hop >= 0) return double(weights.at(std::size_t(level * hops + hop)));
  double sum = 0;
  for (int each = 0; each < hops; ++each) sum += weight(level, each);
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

std::vector<std::vector<float>> hopMaps(const SentenceRecordings& sentence,
                                        const std::string& side) {
  const Recording* recording = hopWeightsOf(sentence, side);
  if (recording == nullptr) return {};
  const Weights weights{*recording};
  const std::size_t columns = side == "encoder" ? sentence.source.size() : sentence.target.size();
  std::vector<std::vector<float>> maps(weights.hops,
                                       std::vector<float>(weights.levels * columns, NAN));
  for (std::size_t hop = 0; hop < weights.hops; ++hop) {
    for (std::size_t at = 0; at < std::min(weights.positions, columns); ++at) {
      for (std::size_t level = 0; level < weights.levels; ++level)
        maps[hop][level * columns + at] = weights.at(at, hop)[level];
    }
  }
  return maps;
}

void addHopClasses(const RecordedStep& step, HopClassMeans& classes) {
  for (const SentenceRecordings& sentence : step.sentences) {
    const Recording* recording = hopWeightsOf(sentence, "decoder");
    if (recording == nullptr || recording->shape[0] != std::int64_t(sentence.target.size()))
      continue;
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
    // Position i + 1 reads token i; the last token is not read.
    std::vector<std::string> read(sentence.target.begin(), sentence.target.end());
    if (!read.empty()) read.pop_back();
    const auto starts = wordStarts(read);
    for (std::size_t word = 0; word + 1 < starts.size(); ++word) {
      const std::size_t first = starts[word], end = starts[word + 1];
      const WordClass wordClass = wordClassOf(joinedPieces(read, first, end), step.targetLanguage);
      if (wordClass == WordClass::kEnd) continue;
      for (std::size_t hop = 0; hop < weights.hops; ++hop) {
        for (std::size_t level = 0; level < weights.levels; ++level) {
          double sum = 0;
          for (std::size_t i = first; i < end; ++i) sum += double(weights.at(i + 1, hop)[level]);
          classes.means[hop][std::size_t(wordClass)][level].add(sum / double(end - first));
        }
      }
    }
  }
}

}  // namespace strata
