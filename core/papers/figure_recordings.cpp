#include "core/papers/figure_recordings.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/inside/history_corpus.h"
#include "core/inside/hop_weights.h"

namespace strata {
namespace {

constexpr int kLongestArc = 3;  // words back; longer arcs are long-range dependencies

std::string sideOf(const PaperFigure& figure) {
  return figure.recording.substr(0, figure.recording.find('.'));
}

// "Dec-SA, sentence 3 of mt06".
std::string titleOf(const RecordedRun& run, const SentenceRecordings& sentence) {
  return fmt::format("{}, sentence {}{}", run.series, sentence.sentence + 1,
                     run.set.empty() ? "" : " of " + run.set);
}

// One map per hop of each recorded sentence.
void drawHops(const PaperFigure& figure, const RecordedRun& run, FigureData& data) {
  const std::string side = sideOf(figure);
  for (const SentenceRecordings& sentence : run.step.sentences) {
    const Recording* recording = hopWeightsOf(sentence, side);
    if (recording == nullptr) continue;
    int hop = 0;
    for (const auto& values : hopMaps(sentence, side)) {
      data.maps.push_back({.title = fmt::format("{}, hop {}", titleOf(run, sentence), ++hop),
                           .xTitle = figure.xTitle,
                           .yTitle = "level",
                           .columns = hopColumns(sentence, side),
                           .rows = levelNames(*recording),
                           .values = {values.begin(), values.end()}});
    }
  }
  if (data.maps.empty())
    data.missing.push_back(fmt::format("{} has no recording {}", run.series, figure.recording));
}

// Mean weights over all recorded sentences of all runs.
void drawHopClasses(const PaperFigure& figure, const std::vector<RecordedRun>& runs,
                    FigureData& data) {
  HopClassMeans classes;
  for (const RecordedRun& run : runs) addHopClasses(run.step, "decoder", classes);
  if (classes.hops == 0) data.missing.push_back("no recording " + figure.recording);
  for (std::size_t hop = 0; hop < classes.means.size(); ++hop) {
    HeatMapChart map{.title = fmt::format("hop {}", hop + 1),
                     .xTitle = "level",
                     .yTitle = "class of the word read",
                     .columns = levelNames(classes.levels, classes.firstLevel)};
    for (std::size_t c = 0; c < kWordClasses.size(); ++c) {
      const auto& levels = classes.means[hop][c];
      if (levels.front().count == 0) continue;
      map.rows.emplace_back(nameOf(kWordClasses[c]));
      for (const MeanValue& level : levels) map.values.push_back(level.mean());
    }
    data.maps.push_back(std::move(map));
  }
}

// For each word the most and second most attended earlier words in the top layer.
void drawArcs(const PaperFigure& figure, const RecordedRun& run, FigureData& data) {
  for (const SentenceRecordings& sentence : run.step.sentences) {
    const TargetAttention words = wordsMerged(targetAttention(sentence));
    if (words.isEmpty()) continue;
    ArcChart chart{.title = titleOf(run, sentence), .words = words.generated};
    for (const Arc& arc : arcsOf(words.layers.back().history)) {
      chart.arcs.push_back({.from = static_cast<std::size_t>(arc.from),
                            .to = static_cast<std::size_t>(arc.to),
                            .dashed = arc.second,
                            .red = arc.length() > kLongestArc});
    }
    data.arcs.push_back(std::move(chart));
  }
  if (data.arcs.empty())
    data.missing.push_back(fmt::format("{} has no recording {}", run.series, figure.recording));
}

// The sentences of all runs, by series.
std::map<std::string, std::vector<CorpusSentence>> corpora(const std::vector<RecordedRun>& runs) {
  std::map<std::string, std::vector<CorpusSentence>> bySeries;
  for (const RecordedRun& run : runs) {
    auto sentences = corpusSentences(run.step);
    auto& all = bySeries[run.series];
    std::move(sentences.begin(), sentences.end(), std::back_inserter(all));
  }
  return bySeries;
}

void addPositions(const std::string& series, const CorpusShares& shares, FigurePanel& panel) {
  for (std::size_t layer = 0; layer < shares.layers.size(); ++layer) {
    FigureSeries drawn{.name = fmt::format("{}, layer {}", series, shares.layers[layer] + 1)};
    for (std::size_t position = 0; position < shares.byPosition[layer].size(); ++position) {
      const MeanValue& mean = shares.byPosition[layer][position];
      if (mean.count > 0)
        drawn.points.push_back({.x = static_cast<double>(position + 1),
                                .y = mean.mean(),
                                .runs = static_cast<std::size_t>(mean.count)});
    }
    panel.series.push_back(std::move(drawn));
  }
}

HeatMapChart classMap(const std::string& series, const CorpusShares& shares) {
  HeatMapChart map{.title = series + ": source share by class of the word generated",
                   .xTitle = "layer",
                   .yTitle = "class"};
  for (const int layer : shares.layers) map.columns.push_back(fmt::format("layer {}", layer + 1));
  for (std::size_t c = 0; c < kWordClasses.size(); ++c) {
    if (shares.byClass.front()[c].count == 0) continue;
    map.rows.emplace_back(nameOf(kWordClasses[c]));
    for (const auto& layer : shares.byClass) map.values.push_back(layer[c].mean());
  }
  return map;
}

// Shares ||source|| / (||source|| + ||history||) by series, layer, position and class.
void drawShares(const PaperFigure& figure, const std::vector<RecordedRun>& runs, FigureData& data) {
  FigurePanel panel = emptyPanel(figure.panels.front());
  for (const auto& [series, sentences] : corpora(runs)) {
    const CorpusShares shares = corpusShares(sentences, ShareMeasure::kNorms);
    if (shares.layers.empty()) continue;
    addPositions(series, shares, panel);
    data.maps.push_back(classMap(series, shares));
  }
  if (panel.series.empty()) data.missing.push_back("no recording " + figure.recording);
  if (!panel.series.empty()) data.panels.push_back(std::move(panel));
}

}  // namespace

bool isDrawn(const RecordingInfo& info) {
  return isHopWeights(info) || isPartOfTargetAttention(info);
}

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
