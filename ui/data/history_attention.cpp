#include "ui/data/history_attention.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/data/text.h"

namespace strata::ui {
namespace {

const QString kJoiner = QStringLiteral("@@");

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

bool fits(const Grid& grid, qsizetype rows, qsizetype columns) {
  return grid.isEmpty() || (grid.rows == rows && grid.columns == columns);
}

// A list cut into words: where each begins, and the end of the last.
std::vector<int> wordStarts(const QStringList& tokens) {
  std::vector<int> starts;
  bool inside = false;
  for (int i = 0; i < tokens.size(); ++i) {
    if (!inside) starts.push_back(i);
    inside = tokens[i].endsWith(kJoiner);
  }
  starts.push_back(int(tokens.size()));
  return starts;
}

QStringList joinedWords(const QStringList& tokens, const std::vector<int>& starts) {
  QStringList words;
  for (std::size_t word = 0; word + 1 < starts.size(); ++word) {
    QString text;
    for (int i = starts[word]; i < starts[word + 1]; ++i) {
      QString piece = tokens[i];
      if (piece.endsWith(kJoiner)) piece.chop(kJoiner.size());
      text += piece;
    }
    words << text;
  }
  return words;
}

// One column a column: for grids whose columns are not words.
std::vector<int> everyColumn(int columns) {
  std::vector<int> starts;
  for (int column = 0; column <= columns; ++column) starts.push_back(column);
  return starts;
}

Grid merged(const Grid& grid, const std::vector<int>& rows, const std::vector<int>& columns) {
  if (grid.isEmpty()) return {};
  Grid made{int(rows.size()) - 1, int(columns.size()) - 1, {}};
  for (std::size_t row = 0; row + 1 < rows.size(); ++row) {
    for (std::size_t column = 0; column + 1 < columns.size(); ++column) {
      double sum = 0;
      for (int r = rows[row]; r < rows[row + 1]; ++r) {
        for (int c = columns[column]; c < columns[column + 1]; ++c) sum += double(grid.at(r, c));
      }
      made.values.push_back(float(sum / (rows[row + 1] - rows[row])));
    }
  }
  return made;
}

Grid meanOf(const QVector<LayerAttention>& layers, Grid LayerAttention::*part) {
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

TargetAttention targetAttention(const SentenceRecordings& sentence) {
  TargetAttention made;
  for (const std::string& word : sentence.source) made.source << wordText(word);
  made.read << QStringLiteral("</s>");
  for (const std::string& word : sentence.target) {
    made.generated << wordText(word);
    made.read << wordText(word);
  }
  made.read.removeLast();
  if (!hasHistory(sentence)) return made;
  for (const Recording& recording : sentence.recordings) {
    if (!isPartOfTargetAttention(recording.info)) continue;
    const auto found = std::find_if(
        made.layers.begin(), made.layers.end(),
        [&](const LayerAttention& layer) { return layer.layer == recording.info.layer; });
    LayerAttention fresh;
    fresh.layer = recording.info.layer;
    LayerAttention& layer =
        found != made.layers.end() ? *found : (made.layers.push_back(fresh), made.layers.back());
    addTo(layer, recording, int(made.source.size()));
  }
  // A layer whose history does not belong to these words cannot be drawn beside them.
  const qsizetype words = made.generated.size();
  made.layers.removeIf([&](const LayerAttention& layer) {
    return layer.history.isEmpty() || !fits(layer.history, words, words) ||
           !fits(layer.source, words, made.source.size()) || !fits(layer.gate, words, 2) ||
           !fits(layer.share, words, 1);
  });
  std::sort(made.layers.begin(), made.layers.end(),
            [](const LayerAttention& a, const LayerAttention& b) { return a.layer < b.layer; });
  return made;
}

TargetAttention wordsMerged(const TargetAttention& tokens) {
  const std::vector<int> source = wordStarts(tokens.source),
                         generated = wordStarts(tokens.generated);
  const std::vector<int> read = wordStarts(tokens.read);
  TargetAttention made;
  made.source = joinedWords(tokens.source, source);
  made.generated = joinedWords(tokens.generated, generated);
  made.read = joinedWords(tokens.read, read);
  for (const LayerAttention& layer : tokens.layers) {
    LayerAttention words = layer;
    words.source = merged(layer.source, generated, source);
    words.history = merged(layer.history, generated, read);
    words.gate = merged(layer.gate, generated, everyColumn(2));
    words.share = merged(layer.share, generated, everyColumn(1));
    made.layers << words;
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
  if (index >= 0 && index < attention.layers.size()) return attention.layers[index];
  return meanOfLayers(attention);
}

float rowSum(const Grid& grid, int row) {
  double sum = 0;
  for (int column = 0; column < grid.columns; ++column) {
    if (std::isfinite(grid.at(row, column))) sum += double(grid.at(row, column));
  }
  return float(sum);
}

QVector<Arc> arcsOf(const Grid& history) {
  QVector<Arc> arcs;
  for (int word = 1; word < history.rows; ++word) {
    QVector<Arc> candidates;
    for (int column = 1; column <= std::min(word, history.columns - 1); ++column) {
      const float weight = history.at(word, column);
      if (weight > 0) candidates << Arc{word, column - 1, weight, false};
    }
    std::sort(candidates.begin(), candidates.end(), [](const Arc& a, const Arc& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.to > b.to;
    });
    for (int rank = 0; rank < std::min<int>(2, int(candidates.size())); ++rank) {
      candidates[rank].second = rank == 1;
      arcs << candidates[rank];
    }
  }
  return arcs;
}

}  // namespace strata::ui
