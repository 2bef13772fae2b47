#include "ui/data/hop_weights.h"

#include <algorithm>

#include "ui/data/text.h"

namespace strata::ui {
namespace {

// Adds one sentence's share of `weight` to the means.
void accumulate(const Recording& recording, double weight, HopMeans& means,
                std::vector<double>& sums, std::vector<double>& entropies) {
  const auto positions = std::size_t(recording.shape[0]), hops = std::size_t(means.hops),
             levels = std::size_t(means.levels);
  const double share = weight / double(positions);
  for (std::size_t at = 0; at < positions; ++at) {
    for (std::size_t hop = 0; hop < hops; ++hop) {
      const float* a = recording.values.data() + (at * hops + hop) * levels;
      double entropy = 0;
      for (std::size_t level = 0; level < levels; ++level) {
        sums[level * hops + hop] += share * double(a[level]);
        if (a[level] > 0) entropy -= double(a[level]) * std::log(double(a[level]));
      }
      entropies[hop] += share * (levels > 1 ? entropy / std::log(double(levels)) : 0);
    }
  }
}

}  // namespace

const Recording* hopWeightsOf(const SentenceRecordings& sentence, const QString& side) {
  for (const Recording& recording : sentence.recordings) {
    if (recording.info.kind == "hop_weights" && qs(recording.info.side) == side &&
        recording.shape.size() == 3) {
      return &recording;
    }
  }
  return nullptr;
}

HopMeans hopMeans(const StepRecordings& recordings, const QString& side) {
  HopMeans means;
  means.step = recordings.step;
  std::vector<const Recording*> found;
  for (const SentenceRecordings& sentence : recordings.sentences) {
    const Recording* recording = hopWeightsOf(sentence, side);
    if (recording && recording->shape[0] > 0) found.push_back(recording);
  }
  if (found.empty()) return means;
  means.hops = int(found.front()->shape[1]);
  means.levels = int(found.front()->shape[2]);
  std::vector<double> sums(std::size_t(means.levels) * std::size_t(means.hops)),
      entropies(std::size_t(means.hops));
  for (const Recording* recording : found)
    accumulate(*recording, 1.0 / double(found.size()), means, sums, entropies);
  means.weights.assign(sums.begin(), sums.end());
  means.entropy.assign(entropies.begin(), entropies.end());
  return means;
}

QStringList hopColumns(const SentenceRecordings& sentence, const QString& side) {
  QStringList columns;
  if (side == QLatin1String("encoder")) {
    for (const std::string& word : sentence.source) columns << wordText(word);
    return columns;
  }
  QString read = QStringLiteral("</s>");
  for (const std::string& word : sentence.target) {
    columns << QStringLiteral("%1 → %2").arg(read, wordText(word));
    read = wordText(word);
  }
  return columns;
}

QStringList levelNames(int levels, bool embedding) {
  QStringList names;
  for (int level = 0; level < levels; ++level) {
    const int layer = embedding ? level : level + 1;
    names << (layer == 0 ? translated("embedding") : translated("layer %1").arg(layer));
  }
  return names;
}

QVector<HeatMap> hopMaps(const SentenceRecordings& sentence, const QString& side, bool embedding) {
  const Recording* recording = hopWeightsOf(sentence, side);
  if (!recording) return {};
  const auto hops = std::size_t(recording->shape[1]), levels = std::size_t(recording->shape[2]);
  const auto columns = std::size_t(hopColumns(sentence, side).size());
  const auto positions = std::size_t(recording->shape[0]);
  QStringList rows = levelNames(int(levels), embedding);
  std::reverse(rows.begin(), rows.end());
  QVector<HeatMap> maps;
  for (std::size_t hop = 0; hop < hops; ++hop) {
    HeatMap map{translated("hop %1").arg(hop + 1), rows, std::vector<float>(levels * columns, NAN)};
    for (std::size_t level = 0; level < levels; ++level) {
      float* row = map.values.data() + (levels - 1 - level) * columns;
      for (std::size_t at = 0; at < std::min(positions, columns); ++at)
        row[at] = recording->values[(at * hops + hop) * levels + level];
    }
    maps.push_back(std::move(map));
  }
  return maps;
}

}  // namespace strata::ui
