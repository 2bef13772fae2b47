#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/papers/paper_table.h"
#include "core/report/svg_charts.h"
#include "core/report/table.h"
#include "core/run/network.h"

namespace strata {

// One point of a figure: the mean over runs.
struct FigurePoint {
  double x = 0;
  std::optional<double> y = {};          // none: not measured yet
  std::optional<double> deviation = {};  // standard, over runs (n - 1); none for fewer than two
  std::size_t runs = 0;
  std::optional<PrintedNumber> printed = {};  // the paper's value, if it prints one
  std::string label = {};                     // what x stands for, if x is not a number
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

// A model as a figure shows it.
struct NamedNetwork {
  std::string name, preset;
  VocabularySizes vocabulary;  // for which its parameters are counted
  Network network;

  std::string title() const;     // "dense (densenmt/enc-4l)"
  std::string sizeText() const;  // "10077136 parameters for vocabularies of 8848/6632"
};

// A figure's data: line charts, heat maps or arc charts, and what is missing.
struct FigureData {
  std::string id, title, kind, xTitle, scorer;
  bool curves = false;  // points are too dense to be marked
  std::vector<FigurePanel> panels = {};
  std::vector<HeatMapChart> maps = {};
  std::vector<ArcChart> arcs = {};
  std::vector<NamedNetwork> networks = {};
  std::optional<Table> table = {};        // the networks' parts, or the models' properties
  std::vector<std::string> missing = {};  // what would have to be run first
  std::string countedFor = {};            // vocabularies of parameters that it draws; may be empty
  std::vector<std::string> notes = {};
};

Json toJson(const FigureData& figure);
// The line charts of its panels, measured and printed points as separate series; panels of which
// nothing is measured or printed are left out.
std::vector<LineChart> chartsOf(const FigureData& figure);
std::string csvOf(const FigureData& figure);
// Its table as a LaTeX tabular.
std::string latexOf(const FigureData& figure);
// One picture of everything measured so far; if nothing is, an Error that lists what is missing.
std::string svgOf(const FigureData& figure);

}  // namespace strata
