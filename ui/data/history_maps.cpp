#include "ui/data/history_maps.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/data/text.h"

namespace strata::ui {
namespace {

// A column with one value per word.
struct Strip {
  QString name;
  std::function<float(const LayerAttention&, int row)> value;
};

float orNan(const Grid& grid, int row, int column) {
  return grid.isEmpty() ? NAN : grid.at(row, column);
}

float sumOrNan(const Grid& grid, int row) {
  return grid.isEmpty() ? NAN : rowSum(grid, row);
}

std::vector<LayerAttention> chosenLayers(const TargetAttention& attention, LayerChoice choice) {
  if (attention.isEmpty()) return {};
  if (choice.index == LayerChoice::kAll) return attention.layers;
  return {layerOf(attention, choice.index)};
}

bool has(const std::vector<LayerAttention>& layers, Grid LayerAttention::*part) {
  return std::any_of(layers.begin(), layers.end(),
                     [part](const LayerAttention& layer) { return !(layer.*part).isEmpty(); });
}

bool isJoint(const std::vector<LayerAttention>& layers) {
  return std::any_of(layers.begin(), layers.end(),
                     [](const LayerAttention& layer) { return layer.joint; });
}

QVector<Strip> shareStrips(const std::vector<LayerAttention>& layers) {
  QVector<Strip> strips;
  if (has(layers, &LayerAttention::gate)) {
    strips << Strip{translated("gate, mean"),
                    [](const LayerAttention& l, int row) { return orNan(l.gate, row, 0); }}
           << Strip{translated("gate, std"),
                    [](const LayerAttention& l, int row) { return orNan(l.gate, row, 1); }};
  }
  if (isJoint(layers)) {
    strips << Strip{translated("mass on source"), [](const LayerAttention& l, int row) {
                      return l.joint ? sumOrNan(l.source, row) : NAN;
                    }};
  }
  if (has(layers, &LayerAttention::share)) {
    strips << Strip{translated("source share"),
                    [](const LayerAttention& l, int row) { return orNan(l.share, row, 0); }};
  }
  return strips;
}

QVector<Strip> sumStrips(const std::vector<LayerAttention>& layers) {
  const auto source = [](const LayerAttention& l, int row) { return sumOrNan(l.source, row); };
  const auto history = [](const LayerAttention& l, int row) { return sumOrNan(l.history, row); };
  if (isJoint(layers)) {
    return {{translated("source + history"), [](const LayerAttention& l, int row) {
               return rowSum(l.source, row) + rowSum(l.history, row);
             }}};
  }
  QVector<Strip> strips;
  if (has(layers, &LayerAttention::source)) strips << Strip{translated("source"), source};
  strips << Strip{translated("history"), history};
  return strips;
}

// Words not yet generated have no weights.
bool existed(const Grid& history, int row, int column) {
  return column <= row || history.at(row, column) > 0;
}

void addWeights(const LayerAttention& layer, int row, std::size_t sources, std::vector<float>& out,
                float& largest) {
  for (std::size_t column = 0; column < sources; ++column)
    out.push_back(orNan(layer.source, row, int(column)));
  for (int column = 0; column < layer.history.columns; ++column) {
    out.push_back(existed(layer.history, row, column) ? layer.history.at(row, column) : NAN);
  }
  const auto first = out.end() - std::ptrdiff_t(sources) - layer.history.columns;
  for (auto value = first; value != out.end(); ++value) {
    if (*value > largest) largest = *value;
  }
}

QString layerTitle(const LayerAttention& layer) {
  return layer.layer < 0 ? QString() : translated("layer %1").arg(layer.layer + 1);
}

}  // namespace

AttentionPicture attentionPicture(const TargetAttention& attention, LayerChoice choice) {
  AttentionPicture picture;
  const std::vector<LayerAttention> layers = chosenLayers(attention, choice);
  if (layers.empty()) return picture;
  const std::size_t sources = has(layers, &LayerAttention::source) ? attention.source.size() : 0;
  if (sources > 0) picture.blocks << ColumnBlock{translated("source"), 0, false, false, false};
  picture.firstRead = int(sources);
  picture.reads = int(attention.read.size());
  picture.columns = qs(attention.source).mid(0, qsizetype(sources)) + qs(attention.read);
  picture.blocks << ColumnBlock{translated("history: words read"), int(sources), isJoint(layers),
                                false, false};
  QVector<Strip> strips = shareStrips(layers);
  const QVector<Strip> sums = sumStrips(layers);
  const int firstStrip = int(picture.columns.size());
  if (!strips.isEmpty())
    picture.blocks << ColumnBlock{translated("shares"), firstStrip, false, true, false};
  picture.blocks << ColumnBlock{translated("row sums"), firstStrip + int(strips.size()), false,
                                true, true};
  strips += sums;
  for (const Strip& strip : strips) picture.columns << strip.name;
  for (const LayerAttention& layer : layers) {
    HeatMap map{choice.index == LayerChoice::kAll ? layerTitle(layer) : QString(),
                qs(attention.generated),
                {}};
    for (int row = 0; row < layer.history.rows; ++row) {
      addWeights(layer, row, sources, map.values, picture.largest);
      for (const Strip& strip : strips) map.values.push_back(strip.value(layer, row));
    }
    picture.maps << map;
  }
  return picture;
}

QVector<ArcRow> arcRows(const TargetAttention& attention, LayerChoice choice) {
  QVector<ArcRow> rows;
  for (const LayerAttention& layer : chosenLayers(attention, choice)) {
    rows << ArcRow{choice.index == LayerChoice::kAll ? layerTitle(layer) : QString(),
                   arcsOf(layer.history)};
  }
  return rows;
}

HistoryDrawing historyDrawing(const SentenceRecordings& sentence, LayerChoice choice, bool words) {
  HistoryDrawing made;
  made.attention = targetAttention(sentence);
  if (words) made.attention = wordsMerged(made.attention);
  if (!made.attention.isEmpty()) {
    made.shown = layerOf(made.attention, choice.index);
    made.arcs = arcsOf(made.shown.history);
  }
  made.picture = attentionPicture(made.attention, choice);
  made.arcRows = arcRows(made.attention, choice);
  return made;
}

}  // namespace strata::ui
