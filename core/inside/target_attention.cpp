#include "core/inside/target_attention.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text/detokenizer.h"

namespace strata {
namespace {

constexpr std::string_view kJoiner = "@@";

bool hasAxes(const Recording& recording, const char* rows, const char* columns) {
  return recording.shape.size() == 2 && recording.info.axes.size() == 2 &&
         recording.info.axes[0] == rows && recording.info.axes[1] == columns;
}

Grid gridOf(const Recording& recording) {
  return {int(recording.shape[0]), int(recording.shape[1]), recording.values};
}

// Columns begin .. end - 1.
Grid columnsOf(const Grid& grid, int begin, int end) {
  Grid part{grid.rows, end - begin, {}};
  for (int row = 0; row < grid.rows; ++row) {
    const auto first = grid.values.begin() + std::ptrdiff_t(row) * grid.columns;
    part.values.insert(part.values.end(), first + begin, first + end);
  }
  return part;
}

// Mean and standard deviation of each row.
Grid spreadOf(const Grid& grid) {
  Grid made{grid.rows, 2, {}};
  for (int row = 0; row < grid.rows; ++row) {
    double sum = 0, squares = 0;
    for (int column = 0; column < grid.columns; ++column) {
      sum += double(grid.at(row, column));
      squares += double(grid.at(row, column)) * double(grid.at(row, column));
    }
    const double mean = sum / grid.columns;
    made.values.push_back(float(mean));
    made.values.push_back(float(std::sqrt(std::max(0.0, squares / grid.columns - mean * mean))));
  }
  return made;
}

// The first of two norms as a share of both; NaN where both are 0.
Grid shareOf(const Grid& norms) {
  Grid made{norms.rows, 1, {}};
  for (int row = 0; row < norms.rows; ++row) {
    const float both = norms.at(row, 0) + norms.at(row, 1);
    made.values.push_back(both > 0 ? norms.at(row, 0) / both : NAN);
  }
  return made;
}

void addTo(LayerAttention& layer, const Recording& recording, int sourceWords) {
  const std::string& kind = recording.info.kind;
  if (kind == "attention" && hasAxes(recording, "target", "source")) {
    layer.source = gridOf(recording);
  } else if (kind == "history_attention" && hasAxes(recording, "target", "history")) {
    layer.history = gridOf(recording);
  } else if (kind == "joint_attention" && hasAxes(recording, "target", "memory") &&
             recording.shape[1] >= sourceWords) {
    const Grid both = gridOf(recording);
    layer.source = columnsOf(both, 0, sourceWords);
    layer.history = columnsOf(both, sourceWords, both.columns);
    layer.joint = true;
  } else if (kind == "gate" && hasAxes(recording, "target", "feature") && recording.shape[1] > 0) {
    layer.gate = spreadOf(gridOf(recording));
  } else if (kind == "context_norms" && hasAxes(recording, "target", "part") &&
             recording.shape[1] == 2) {
    layer.share = shareOf(gridOf(recording));
  }
}

bool fits(const Grid& grid, std::size_t rows, std::size_t columns) {
  return grid.isEmpty() || (static_cast<std::size_t>(grid.rows) == rows &&
                            static_cast<std::size_t>(grid.columns) == columns);
}

// One column per column: for grids whose columns are not words.
std::vector<std::size_t> everyColumn(std::size_t columns) {
  std::vector<std::size_t> starts;
  for (std::size_t column = 0; column <= columns; ++column) starts.push_back(column);
  return starts;
}

Grid meanOf(const std::vector<LayerAttention>& layers, Grid LayerAttention::*part) {
  Grid mean;
  std::vector<double> sums;
  int count = 0;
  for (const LayerAttention& layer : layers) {
    const Grid& grid = layer.*part;
    if (grid.isEmpty()) continue;
    mean.rows = grid.rows;
    mean.columns = grid.columns;
    sums.resize(grid.values.size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += double(grid.values[i]);
    ++count;
  }
  for (const double sum : sums) mean.values.push_back(float(sum / count));
  return mean;
}

}  // namespace

std::vector<std::size_t> wordStarts(const std::vector<std::string>& tokens) {
  std::vector<std::size_t> starts;
  bool inside = false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!inside) starts.push_back(i);
    inside = tokens[i].ends_with(kJoiner);
  }
  starts.push_back(tokens.size());
  return starts;
}

std::string joinedPieces(const std::vector<std::string>& tokens, std::size_t first,
                         std::size_t end) {
  std::string word;
  for (std::size_t i = first; i < end; ++i) {
    std::string_view piece = tokens[i];
    if (piece.ends_with(kJoiner)) piece.remove_suffix(kJoiner.size());
    word += piece;
  }
  return word;
}

std::vector<std::string> joinedWords(const std::vector<std::string>& tokens,
                                     const std::vector<std::size_t>& starts) {
  std::vector<std::string> words;
  for (std::size_t word = 0; word + 1 < starts.size(); ++word)
    words.push_back(joinedPieces(tokens, starts[word], starts[word + 1]));
  return words;
}

Grid mergedGrid(const Grid& grid, const std::vector<std::size_t>& rows,
                const std::vector<std::size_t>& columns) {
  if (grid.isEmpty()) return {};
  Grid made{int(rows.size()) - 1, int(columns.size()) - 1, {}};
  for (std::size_t row = 0; row + 1 < rows.size(); ++row) {
    for (std::size_t column = 0; column + 1 < columns.size(); ++column) {
      double sum = 0;
      for (std::size_t r = rows[row]; r < rows[row + 1]; ++r) {
        for (std::size_t c = columns[column]; c < columns[column + 1]; ++c)
          sum += double(grid.at(int(r), int(c)));
      }
      made.values.push_back(float(sum / double(rows[row + 1] - rows[row])));
    }
  }
  return made;
}

bool isHistoryKind(const std::string& kind) {
  return kind == "history_attention" || kind == "joint_attention";
}

bool isPartOfTargetAttention(const RecordingInfo& info) {
  const bool known = isHistoryKind(info.kind) || info.kind == "attention" || info.kind == "gate" ||
                     info.kind == "context_norms";
  return known && info.side == "decoder" && info.layer >= 0;
}

bool hasHistory(const SentenceRecordings& sentence) {
  return std::any_of(sentence.recordings.begin(), sentence.recordings.end(),
                     [](const Recording& r) { return isHistoryKind(r.info.kind); });
}

int historyLayers(const SentenceRecordings& sentence) {
  std::set<int> layers;
  for (const Recording& recording : sentence.recordings) {
    if (isHistoryKind(recording.info.kind) && isPartOfTargetAttention(recording.info))
      layers.insert(recording.info.layer);
  }
  return int(layers.size());
}

TargetAttention targetAttention(const SentenceRecordings& sentence) {
  TargetAttention made;
  for (const std::string& word : sentence.source) made.source.push_back(withoutEntities(word));
  made.read.emplace_back("</s>");
  for (const std::string& word : sentence.target) {
    made.generated.push_back(withoutEntities(word));
    made.read.push_back(made.generated.back());
  }
  made.read.pop_back();
  if (!hasHistory(sentence)) return made;
  for (const Recording& recording : sentence.recordings) {
    if (!isPartOfTargetAttention(recording.info)) continue;
    auto layer = std::find_if(
        made.layers.begin(), made.layers.end(),
        [&](const LayerAttention& known) { return known.layer == recording.info.layer; });
    if (layer == made.layers.end()) {
      layer = made.layers.emplace(made.layers.end());
      layer->layer = recording.info.layer;
    }
    addTo(*layer, recording, int(made.source.size()));
  }
  // A layer whose history does not match these words cannot be drawn next to them.
  const std::size_t words = made.generated.size();
  std::erase_if(made.layers, [&](const LayerAttention& layer) {
    return layer.history.isEmpty() || !fits(layer.history, words, words) ||
           !fits(layer.source, words, made.source.size()) || !fits(layer.gate, words, 2) ||
           !fits(layer.share, words, 1);
  });
  std::sort(made.layers.begin(), made.layers.end(),
            [](const LayerAttention& a, const LayerAttention& b) { return a.layer < b.layer; });
  return made;
}

TargetAttention wordsMerged(const TargetAttention& tokens) {
  const auto source = wordStarts(tokens.source), generated = wordStarts(tokens.generated),
             read = wordStarts(tokens.read);
  TargetAttention made;
  made.source = joinedWords(tokens.source, source);
  made.generated = joinedWords(tokens.generated, generated);
  made.read = joinedWords(tokens.read, read);
  for (const LayerAttention& layer : tokens.layers) {
    LayerAttention words = layer;
    words.source = mergedGrid(layer.source, generated, source);
    words.history = mergedGrid(layer.history, generated, read);
    words.gate = mergedGrid(layer.gate, generated, everyColumn(2));
    words.share = mergedGrid(layer.share, generated, everyColumn(1));
    made.layers.push_back(std::move(words));
  }
  return made;
}

LayerAttention meanOfLayers(const TargetAttention& attention) {
  LayerAttention mean;
  mean.source = meanOf(attention.layers, &LayerAttention::source);
  mean.history = meanOf(attention.layers, &LayerAttention::history);
  mean.gate = meanOf(attention.layers, &LayerAttention::gate);
  mean.share = meanOf(attention.layers, &LayerAttention::share);
  mean.joint = !attention.isEmpty() && std::all_of(attention.layers.begin(), attention.layers.end(),
                                                   [](const LayerAttention& l) { return l.joint; });
  return mean;
}

LayerAttention layerOf(const TargetAttention& attention, int index) {
  if (index >= 0 && std::size_t(index) < attention.layers.size())
    return attention.layers[std::size_t(index)];
  return meanOfLayers(attention);
}

float rowSum(const Grid& grid, int row) {
  double sum = 0;
  for (int column = 0; column < grid.columns; ++column) {
    if (std::isfinite(grid.at(row, column))) sum += double(grid.at(row, column));
  }
  return float(sum);
}

std::vector<Arc> arcsOf(const Grid& history) {
  std::vector<Arc> arcs;
  for (int word = 1; word < history.rows; ++word) {
    std::vector<Arc> candidates;
    for (int column = 1; column <= std::min(word, history.columns - 1); ++column) {
      const float weight = history.at(word, column);
      if (weight > 0) candidates.push_back({word, column - 1, weight, false});
    }
    const auto kept = std::min<std::size_t>(candidates.size(), 2);
    std::partial_sort(candidates.begin(), candidates.begin() + std::ptrdiff_t(kept),
                      candidates.end(), [](const Arc& a, const Arc& b) {
                        return a.weight != b.weight ? a.weight > b.weight : a.to > b.to;
                      });
    candidates.resize(kept);
    if (candidates.size() == 2) candidates.back().second = true;
    arcs.insert(arcs.end(), candidates.begin(), candidates.end());
  }
  return arcs;
}

}  // namespace strata
