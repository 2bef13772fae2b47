#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/report/svg_charts.h"

namespace strata {

// One point of a figure: the mean over runs.
struct FigurePoint {
  double x = 0;
  std::optional<double> y = {};          // none: not measured yet
  std::optional<double> deviation = {};  // standard, over runs (n - 1); none for fewer than two
  std::size_t runs = 0;
  std::optional<double> printed = {};  // the paper's value, if it prints one
  std::string label = {};              // what x stands for, if x is not a number
};

struct FigureSeries {
  std::string name;
  std::vector<FigurePoint> points = {};
  bool dashed = false, level = false;
  std::vector<double> marks = {};  // x positions, such as the start of annealing
};

struct FigurePanel {
  std::string key, title, yTitle, dataset = {};
  bool logarithmic = false;  // log10 of y is drawn
  std::vector<FigureSeries> series = {};
};

// A figure's data: line charts, heat maps or arc charts, and what is missing.
struct FigureData {
  std::string id, title, kind, xTitle, scorer;
  bool curves = false;  // points are too dense to be marked
  std::vector<FigurePanel> panels = {};
  std::vector<HeatMapChart> maps = {};
  std::vector<ArcChart> arcs = {};
  std::vector<std::string> missing = {};  // what would have to be run first
  std::vector<std::string> notes = {};
};

Json toJson(const FigureData& figure);
// The line charts of its panels, measured and printed points as separate series; panels of which
// nothing is measured or printed are left out.
std::vector<LineChart> chartsOf(const FigureData& figure);
std::string csvOf(const FigureData& figure);
// One picture of everything measured so far; if nothing is, an Error that lists what is missing.
std::string svgOf(const FigureData& figure);

}  // namespace strata
