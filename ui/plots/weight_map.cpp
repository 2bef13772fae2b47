#include "ui/plots/weight_map.h"

#include <QTextStream>
#include <cmath>

#include "ui/plots/picture_export.h"
#include "ui/style/colour_map.h"

namespace strata::ui {

float WeightMap::largest() const {
  float most = 0;
  for (const float value : values) most = std::fmax(most, std::abs(value));
  return most;
}

QColor weightColour(const WeightMap& map, double value, double scale) {
  return map.difference ? differenceColour(value / scale) : mapColour(value / scale);
}

void writeWeightMaps(QTextStream& out, const QVector<WeightMap>& maps) {
  out << "map,row_number,row,column_number,column,value\n";
  for (const WeightMap& map : maps) {
    if (map.isEmpty()) continue;
    for (int row = 0; row < map.rows.size(); ++row) {
      for (int column = 0; column < map.columns.size(); ++column) {
        if (std::isnan(map.at(row, column))) continue;
        out << csvLine({map.title, QString::number(row), map.rows[row], QString::number(column),
                        map.columns[column], csvNumber(double(map.at(row, column)))});
      }
    }
  }
}

}  // namespace strata::ui
