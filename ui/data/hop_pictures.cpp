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

QVector<HeatMap> hopPictures(const SentenceRecordings& sentence, const std::string& side,
                             HopMeasure measure) {
  QVector<HeatMap> maps;
  const Recording* recording = hopWeightsOf(sentence, side);
  for (const auto& values : hopMaps(sentence, side, measure))
    maps << turned(translated("hop %1").arg(maps.size() + 1), values, levelNames(*recording));
  return maps;
}

QVector<HeatMap> meanPicture(const HopMeans& means, HopMeasure measure) {
  if (!means.has(measure)) return {};
  return {turned({}, measure == HopMeasure::kWeight ? means.weights : means.contributions,
                 levelNames(means.levels, means.firstLevel))};
}

QVector<HeatMap> classPicture(const HopClassMeans& classes, int hop) {
  if (classes.hops == 0) return {};
  const std::size_t first = hop < 0 ? 0 : std::size_t(hop);
  const std::size_t last = hop < 0 ? classes.means.size() : first + 1;
  std::vector<float> values;
  for (std::size_t level = 0; level < std::size_t(classes.levels); ++level) {
    for (std::size_t c = 0; c < kWordClasses.size(); ++c) {
      double sum = 0;
      for (std::size_t each = first; each < last; ++each)
        sum += classes.means[each][c][level].mean();
      values.push_back(float(sum / double(last - first)));
    }
  }
  return {turned({}, values, levelNames(classes.levels, classes.firstLevel))};
}

QStringList wordClassNames() {
  QStringList names;
  for (const WordClass each : kWordClasses) names << qs(nameOf(each));
  return names;
}

}  // namespace strata::ui
