#include "ui/data/hop_pictures.h"

#include <algorithm>

#include "ui/data/text.h"

namespace strata::ui {
namespace {

// A map of values, levels x columns, lowest level first.
HeatMap turned(const QString& title, const std::vector<float>& values,
               const std::vector<std::string>& levels) {
  HeatMap map{title, qs(levels), {}};
  std::reverse(map.rows.begin(), map.rows.end());
  const auto columns = std::ptrdiff_t(values.size() / levels.size());
  for (auto row = values.end(); row != values.begin(); row -= columns)
    map.values.insert(map.values.end(), row - columns, row);
  return map;
}

}  // namespace

QVector<HeatMap> hopPictures(const SentenceRecordings& sentence, const std::string& side) {
  QVector<HeatMap> maps;
  const Recording* recording = hopWeightsOf(sentence, side);
  for (const auto& values : hopMaps(sentence, side))
    maps << turned(translated("hop %1").arg(maps.size() + 1), values, levelNames(*recording));
  return maps;
}

QVector<HeatMap> meanPicture(const HopMeans& means) {
  if (means.levels == 0) return {};
  return {turned({}, means.weights, levelNames(means.levels, means.firstLevel))};
}

}  // namespace strata::ui
