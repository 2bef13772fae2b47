// Figures of recordings: level weights of hops, attention to the decoding history, source shares.
#include <algorithm>
#include <array>
#include <map>

#include "app/paper_figure.h"
#include "core/base/error.h"
#include "core/report/word_class.h"
#include "core/run/recording.h"

namespace strata {
namespace {

constexpr std::size_t kLongArc = 4;  // words back from which an arc is a long-range dependency

// "decoder.layers.*.gate" matches any layer.
bool matches(const std::string& name, const std::string& pattern) {
  const auto star = pattern.find('*');
  if (star == std::string::npos) return name == pattern;
  return name.starts_with(pattern.substr(0, star)) && name.ends_with(pattern.substr(star + 1));
}

std::vector<const Recording*> recordingsOf(const SentenceRecordings& sentence,
                                           const std::string& pattern) {
  std::vector<const Recording*> found;
  for (const Recording& recording : sentence.recordings) {
    if (matches(recording.info.name, pattern)) found.push_back(&recording);
  }
  std::sort(found.begin(), found.end(),
            [](const Recording* a, const Recording* b) { return a->info.layer < b->info.layer; });
  return found;
}

// The word that is read to generate the i-th: the start symbol, then the one before.
const std::string& readWord(const SentenceRecordings& sentence, std::size_t i) {
  static const std::string start = "</s>";
  return i == 0 ? start : sentence.target[i - 1];
}

struct Weights {  // of one recording [target, hop, level]
  const Recording& recording;
  std::size_t positions() const { return static_cast<std::size_t>(recording.shape.at(0)); }
  std::size_t hops() const { return static_cast<std::size_t>(recording.shape.at(1)); }
  std::size_t levels() const { return static_cast<std::size_t>(recording.shape.at(2)); }
  double at(std::size_t i, std::size_t hop, std::size_t level) const {
    return recording.values[(i * hops() + hop) * levels() + level];
  }
};

std::vector<std::string> numbered(const std::string& what, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{} {}", what, i));
  return names;
}

// One map a hop of the first sentence that was recorded.
void drawHops(const PaperFigure& figure, const RecordedRun& run, FigureData& data) {
  for (const SentenceRecordings& sentence : readRecordings(run.folder)) {
    const auto found = recordingsOf(sentence, figure.recording);
    if (found.empty()) continue;
    const Weights weights{*found.front()};
    for (std::size_t hop = 0; hop < weights.hops(); ++hop) {
      HeatMapChart map{.title = fmt::format("{}, hop {}", run.series, hop + 1),
                       .xTitle = figure.xTitle,
                       .yTitle = "level",
                       .columns = {},
                       .rows = numbered("level", weights.levels()),
                       .values = {}};
      for (std::size_t i = 0; i < weights.positions(); ++i)
        map.columns.push_back(readWord(sentence, i) + " \u2192 " + sentence.target[i]);
      for (std::size_t level = 0; level < weights.levels(); ++level) {
        for (std::size_t i = 0; i < weights.positions(); ++i)
          map.values.push_back(weights.at(i, hop, level));
      }
      data.maps.push_back(std::move(map));
    }
    return;
  }
  data.missing.push_back(fmt::format("{} has no recording {}", run.series, figure.recording));
}

// Mean weights over all recorded sentences of all runs.
void drawHopClasses(const PaperFigure& figure, const std::vector<RecordedRun>& runs,
                    FigureData& data) {
  std::map<std::pair<std::size_t, std::string>, std::vector<double>> sums;  // hop and class
  std::map<std::pair<std::size_t, std::string>, double> counts;
  std::size_t hops = 0, levels = 0;
  for (const RecordedRun& run : runs) {
    for (const SentenceRecordings& sentence : readRecordings(run.folder)) {
      for (const Recording* recording : recordingsOf(sentence, figure.recording)) {
        const Weights weights{*recording};
        hops = std::max(hops, weights.hops());
        levels = std::max(levels, weights.levels());
        for (std::size_t i = 0; i < weights.positions(); ++i) {
          const std::string word(wordClassOf(readWord(sentence, i)));
          for (std::size_t hop = 0; hop < weights.hops(); ++hop) {
            auto& sum = sums[{hop, word}];
            sum.resize(weights.levels());
            for (std::size_t l = 0; l < weights.levels(); ++l) sum[l] += weights.at(i, hop, l);
            counts[{hop, word}] += 1;
          }
        }
      }
    }
  }
  if (hops == 0) data.missing.push_back("no recording " + figure.recording);
  for (std::size_t hop = 0; hop < hops; ++hop) {
    HeatMapChart map{.title = fmt::format("hop {}", hop + 1),
                     .xTitle = "level",
                     .yTitle = "class of the word read",
                     .columns = numbered("level", levels),
                     .rows = {},
                     .values = {}};
    for (const std::string& name : wordClasses()) {
      const auto at = sums.find({hop, name});
      if (at == sums.end()) continue;
      map.rows.push_back(name);
      for (const double sum : at->second) map.values.push_back(sum / counts[{hop, name}]);
    }
    data.maps.push_back(std::move(map));
  }
}

// For every word the most and second most attended earlier words in the top layer.
void drawArcs(const PaperFigure& figure, const RecordedRun& run, FigureData& data) {
  for (const SentenceRecordings& sentence : readRecordings(run.folder)) {
    const auto found = recordingsOf(sentence, figure.recording);
    if (found.empty()) continue;
    const Recording& top = *found.back();
    const auto width = static_cast<std::size_t>(top.shape.at(1));
    ArcChart chart{.title = fmt::format("{}, sentence {}", run.series, sentence.sentence + 1),
                   .words = sentence.target,
                   .arcs = {}};
    for (std::size_t i = 1; i < static_cast<std::size_t>(top.shape.at(0)); ++i) {
      std::vector<std::pair<float, std::size_t>> earlier;  // column j reads word j - 1
      for (std::size_t j = 1; j <= i && j < width; ++j)
        earlier.emplace_back(-top.values[i * width + j], j - 1);
      std::sort(earlier.begin(), earlier.end());
      for (std::size_t rank = 0; rank < std::min<std::size_t>(2, earlier.size()); ++rank) {
        const std::size_t to = earlier[rank].second;
        chart.arcs.push_back({.from = i, .to = to, .dashed = rank == 1, .red = i - to >= kLongArc});
      }
    }
    data.arcs.push_back(std::move(chart));
    if (data.arcs.size() >= 4) return;
  }
  if (data.arcs.empty())
    data.missing.push_back(fmt::format("{} has no recording {}", run.series, figure.recording));
}

struct MeanOf {
  double sum = 0, count = 0;
  void add(double value) { sum += value, count += 1; }
};

// Shares ||first|| / (||first|| + ||second||) by series, layer, position and class.
void drawShares(const PaperFigure& figure, const std::vector<RecordedRun>& runs, FigureData& data) {
  std::map<std::pair<std::string, int>, std::map<std::size_t, MeanOf>> positions;
  std::map<std::string, std::map<std::pair<std::string, int>, MeanOf>> classes;
  for (const RecordedRun& run : runs) {
    for (const SentenceRecordings& sentence : readRecordings(run.folder)) {
      for (const Recording* recording : recordingsOf(sentence, figure.recording)) {
        const int layer = recording->info.layer;
        for (std::size_t i = 0; i < static_cast<std::size_t>(recording->shape.at(0)); ++i) {
          const double first = recording->values[2 * i], second = recording->values[2 * i + 1];
          if (first + second <= 0) continue;
          const double share = first / (first + second);
          positions[{run.series, layer}][i].add(share);
          classes[run.series][{std::string(wordClassOf(sentence.target[i])), layer}].add(share);
        }
      }
    }
  }
  if (positions.empty()) data.missing.push_back("no recording " + figure.recording);
  FigurePanel panel{.key = figure.panels.front().key,
                    .title = figure.panels.front().title,
                    .yTitle = figure.panels.front().yTitle,
                    .dataset = "",
                    .series = {}};
  for (const auto& [key, means] : positions) {
    FigureSeries series{.name = fmt::format("{}, layer {}", key.first, key.second + 1)};
    for (const auto& [position, mean] : means)
      series.points.push_back({.x = static_cast<double>(position + 1),
                               .y = mean.sum / mean.count,
                               .runs = static_cast<std::size_t>(mean.count)});
    panel.series.push_back(std::move(series));
  }
  if (!panel.series.empty()) data.panels.push_back(std::move(panel));
  for (const auto& [series, cells] : classes) {
    int layers = 0;
    for (const auto& [key, mean] : cells) layers = std::max(layers, key.second + 1);
    HeatMapChart map{.title = series + ": source share by class of the word generated",
                     .xTitle = "layer",
                     .yTitle = "class",
                     .columns = {},
                     .rows = {},
                     .values = {}};
    for (int layer = 0; layer < layers; ++layer)
      map.columns.push_back(fmt::format("layer {}", layer + 1));
    for (const std::string& name : wordClasses()) {
      if (!cells.contains({name, 0})) continue;
      map.rows.push_back(name);
      for (int layer = 0; layer < layers; ++layer) {
        const auto at = cells.find({name, layer});
        map.values.push_back(at == cells.end() ? 0 : at->second.sum / at->second.count);
      }
    }
    if (!map.rows.empty()) data.maps.push_back(std::move(map));
  }
}

}  // namespace

void drawRecordings(const PaperFigure& figure, const std::vector<RecordedRun>& runs,
                    FigureData& data) {
  if (runs.empty()) return;
  switch (figure.kind) {
    case PaperFigure::Kind::kHopMap:
      return drawHops(figure, runs.front(), data);
    case PaperFigure::Kind::kHopClasses:
      return drawHopClasses(figure, runs, data);
    case PaperFigure::Kind::kHistoryArcs:
      return drawArcs(figure, runs.front(), data);
    default:
      return drawShares(figure, runs, data);
  }
}

}  // namespace strata
