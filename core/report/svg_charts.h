#pragma once
#include <string>
#include <utility>
#include <vector>

namespace strata {

struct ChartSeries {
  std::string name;
  std::vector<std::pair<double, double>>
      points;  // sorted by x; points that are not finite leave gaps
};

struct LineChart {
  std::string title, xTitle, yTitle;
  std::vector<ChartSeries> series;  // at most eight are told apart by colour
};

// A heat map on the fixed scale 0..1 with the value written into each cell.
struct HeatMapChart {
  std::string title, xTitle, yTitle;
  std::vector<std::string> columns, rows;
  std::vector<double> values;  // rows x columns, row-major, 0 .. 1
};

// Self-contained SVG pictures with axes, titles and legend, readable on light and dark pages. No
// series or no cells is an Error.
std::string lineChartSvg(const LineChart& chart);
std::string heatMapSvg(const HeatMapChart& chart);

}  // namespace strata
