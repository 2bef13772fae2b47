#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/report/svg_parts.h"

namespace strata {

struct ChartSeries {
  std::string name;
  // Sorted by x; points that are not finite leave gaps.
  std::vector<std::pair<double, double>> points = {};
  std::vector<std::pair<double, double>> band =
      {};  // lower and upper y of each point, drawn lightly; empty: none
  std::vector<std::string> texts = {};  // each point's y as it was printed; empty: y's own digits
  bool dashed = false;
  bool level = false;    // one point: drawn as a horizontal line across the chart
  bool markers = false;  // every point is marked
  bool joined = true;    // by lines; false: markers only
};

// A labelled position on the x axis.
struct ChartMark {
  double x = 0;
  std::string label;
  std::size_t series = 0;  // index of the series whose colour is used
};

struct LineChart {
  std::string title, xTitle, yTitle;
  std::vector<ChartSeries> series = {};  // there are eight colours
  std::vector<ChartMark> marks = {};
};

// A heat map on the fixed scale 0..1 with the value written into each cell.
struct HeatMapChart {
  std::string title, xTitle, yTitle;
  std::vector<std::string> columns = {}, rows = {};
  std::vector<double> values = {};  // rows x columns, row-major, 0 .. 1; NaN: the cell is blank
};

// Words in a row with arcs from each to earlier ones.
struct ArcChart {
  std::string title;
  std::vector<std::string> words;
  struct Arc {
    std::size_t from = 0, to = 0;  // words; to <= from
    bool dashed = false, red = false;
  };
  std::vector<Arc> arcs = {};
};

// Pictures with axes, titles and legend, readable on light and dark pages. No series or no cells is
// an Error.
SvgPicture drawn(const LineChart& chart);
SvgPicture drawn(const HeatMapChart& chart);
SvgPicture drawn(const ArcChart& chart);

}  // namespace strata
