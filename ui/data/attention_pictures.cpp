#include "ui/data/attention_pictures.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "ui/data/text.h"

namespace strata::ui {
namespace {

// Words not yet generated have no weights.
WeightMap weightMap(const QString& title, const AttentionMap& map) {
  WeightMap made{title, qs(map.rows), qs(map.columns), map.weights.values};
  for (int row = 0; map.causal && row < map.weights.rows; ++row) {
    for (int column = readableColumns(map, row); column < map.weights.columns; ++column)
      made.values[std::size_t(row * map.weights.columns + column)] = NAN;
  }
  return made;
}

WeightMap differenceMap(const QString& title, const AttentionMap& a, const AttentionMap& b) {
  AttentionMap difference = attentionDifference(a, b);
  WeightMap made = weightMap(title, a);  // its cells without weights
  for (std::size_t i = 0; i < made.values.size(); ++i) {
    if (!std::isnan(made.values[i])) made.values[i] = difference.weights.values[i];
  }
  made.difference = true;
  return made;
}

std::vector<AttentionLayer> layersOfKind(const SentenceRecordings& sentence, AttentionKind kind) {
  auto layers = attentionLayers(sentence);
  std::erase_if(layers, [kind](const AttentionLayer& layer) { return layer.kind != kind; });
  return layers;
}

int mostUnits(const std::vector<AttentionLayer>& layers, int layer) {
  int units = 0;
  for (const AttentionLayer& each : layers) {
    if (layer < 0 || each.layer == layer) units = std::max(units, each.units);
  }
  return units;
}

AttentionMap otherMap(const OtherSentence& other, const AttentionChoice& choice) {
  AttentionMap map = attentionMap(*other.sentence, choice, TextLevel::kWords);
  if (map.isEmpty())
    throw Error("no difference: {} has no such attention; choose a mean that both have",
                toStd(other.name));
  return map;
}

}  // namespace

QString attentionKindText(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::kEncoder:
      return translated("Encoder attention");
    case AttentionKind::kHistory:
      return translated("History attention");
    case AttentionKind::kSource:
      break;
  }
  return translated("Source attention");
}

QString layerText(int layer) {
  return layer < 0 ? translated("mean of layers") : translated("layer %1").arg(layer + 1);
}

QString unitText(const AttentionLayer& layer, int unit) {
  if (unit == AttentionRequest::kAllUnits)
    return layer.heads ? translated("all heads") : translated("all attentions");
  if (unit < 0) return layer.heads ? translated("mean of heads") : translated("mean");
  return (layer.heads ? translated("head %1") : translated("attention %1")).arg(unit + 1);
}

QVector<WeightMap> attentionPictures(const SentenceRecordings& sentence,
                                     const AttentionRequest& request, const OtherSentence& other) {
  const auto layers = layersOfKind(sentence, request.choice.kind);
  if (layers.empty()) return {};
  QVector<WeightMap> maps;
  AttentionChoice choice = request.choice;
  const auto mapOf = [&] {
    return attentionMap(sentence, choice, other.sentence ? TextLevel::kWords : request.level);
  };
  if (request.choice.unit != AttentionRequest::kAllUnits) {
    const AttentionMap map = mapOf();
    if (map.isEmpty()) return {};
    if (!other.sentence) return {weightMap({}, map)};
    const AttentionMap theirs = otherMap(other, choice);
    const WeightMap difference = differenceMap(translated("B − A"), map, theirs);
    return {weightMap(translated("A: %1").arg(request.name), map),
            weightMap(translated("B: %1").arg(other.name), theirs), difference};
  }
  const int units = mostUnits(layers, choice.layer);
  for (choice.unit = 0; choice.unit < units; ++choice.unit) {
    const AttentionMap map = mapOf();
    if (map.isEmpty()) continue;
    const QString title = unitText(layers.front(), choice.unit);
    maps << (other.sentence
                 ? differenceMap(translated("B − A, %1").arg(title), map, otherMap(other, choice))
                 : weightMap(title, map));
  }
  return maps;
}

MapGridView::Content birdsEye(const SentenceRecordings& sentence, const AttentionRequest& request,
                              const OtherSentence& other) {
  MapGridView::Content content;
  const auto layers = layersOfKind(sentence, request.choice.kind);
  const int units = mostUnits(layers, AttentionChoice::kMean);
  for (int unit = 0; unit < units; ++unit)
    content.columns << (units > 1 ? unitText(layers.front(), unit) : QString());
  for (const AttentionLayer& layer : layers) {
    content.rows << layerText(layer.layer);
    for (int unit = 0; unit < units; ++unit) {
      const AttentionChoice choice{layer.kind, layer.layer, unit};
      const AttentionMap map =
          attentionMap(sentence, choice, other.sentence ? TextLevel::kWords : request.level);
      QString title = layerText(layer.layer);
      if (units > 1) title += QStringLiteral(" · ") + unitText(layer, unit);
      content.tiles << (map.isEmpty()    ? WeightMap()
                        : other.sentence ? differenceMap(title, map, otherMap(other, choice))
                                         : weightMap(title, map));
    }
  }
  return content;
}

SideBySide sideBySide(const QVector<WeightMap>& maps, const SideBySideOptions& options) {
  SideBySide made;
  if (maps.isEmpty()) return made;
  made.map.rows = maps.first().rows;
  for (const WeightMap& map : maps) {
    made.blocks << ColumnBlock{
        .title = map.title, .first = int(made.columns.size()), .difference = map.difference};
    made.columns << map.columns;
    if (!options.rowSums) continue;
    made.blocks << ColumnBlock{.first = int(made.columns.size()), .figures = true, .plain = true};
    made.columns << translated("row sum");
  }
  for (int row = 0; row < made.map.rows.size(); ++row) {
    for (const WeightMap& map : maps) {
      double sum = 0;
      for (int column = 0; column < map.columns.size(); ++column) {
        const float value = map.at(row, column);
        made.map.values.push_back(value);
        if (std::isfinite(value)) sum += double(value);
      }
      if (options.rowSums) made.map.values.push_back(float(sum));
    }
  }
  return made;
}

}  // namespace strata::ui
