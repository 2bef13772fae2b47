#pragma once
#include <QVector>

#include "ui/plots/heat_map_layout.h"

class QPainter;

namespace strata::ui {

// What is highlighted in heat maps.
struct HeatMapMarks {
  int linkedRow = -1;  // of every map
  QVector<int> linkedColumns;
};

// Paints maps, labels and legend in the current theme's colours.
void paintHeatMaps(QPainter& painter, const HeatMapLayout& layout, const HeatMapMarks& marks);

}  // namespace strata::ui
