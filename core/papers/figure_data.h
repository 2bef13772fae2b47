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
  std::optional<double> deviation = {};  // over runs (n - 1); none below two
  std::size_t runs = 0;
  std::optional<double> printed = {};  // the paper's figure, where it prints one
  std::string label = {};              // what x stands for, where it is no number
};

struct FigureSeries {
  std::string name;
  std::vector<FigurePoint> points = {};
  bool dashed = false, level = false;
  std::vector<double> marks = {};  // places on x, such as the start of annealing
};

struct FigurePanel {
  std::string key, title, yTitle, dataset;
  bool logarithmic = false;  // what is drawn is log10 of y
  std::vector<FigureSeries> series = {};
};

// A figure's data: charts of lines, heat maps or arcs, and what it lacks.
struct FigureData {
  std::string id, title, kind, xTitle, scorer;
  bool curves = false;  // points lie so close that they are not marked
  std::vector<FigurePanel> panels = {};
  std::vector<HeatMapChart> maps = {};
  std::vector<ArcChart> arcs = {};
  std::vector<std::string> missing = {};  // what would have to be run first
  std::vector<std::string> notes = {};
};

Json toJson(const FigureData& figure);
std::string csvOf(const FigureData& figure);
// One picture of all that is there; an Error that lists what is missing where nothing is.
std::string svgOf(const FigureData& figure);

}  // namespace strata
