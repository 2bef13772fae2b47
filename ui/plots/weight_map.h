#pragma once
#include <QColor>
#include <QStringList>
#include <QVector>
#include <vector>

class QTextStream;

namespace strata::ui {

// Weights with which words (rows) read words (columns), or the difference of two such maps.
struct WeightMap {
  QString title;              // "layer 1 · head 2"; empty: none
  QStringList rows, columns;  // words
  std::vector<float> values;  // rows x columns, row-major; NaN: none
  bool difference = false;    // from -1 to 1 instead of 0 to 1

  bool isEmpty() const { return values.empty(); }
  float at(int row, int column) const {
    return values[std::size_t(row) * std::size_t(columns.size()) + std::size_t(column)];
  }
  float largest() const;  // magnitude; 0 if there is none
};

// The colour of a weight, where `scale` is the largest magnitude of the legend.
QColor weightColour(const WeightMap& map, double value, double scale);

// map,row_number,row,column_number,column,value
void writeWeightMaps(QTextStream& out, const QVector<WeightMap>& maps);

}  // namespace strata::ui
