#pragma once
#include <string>
#include <vector>

#include "core/base/json.h"

namespace strata::ui {

// Times of one thing that the window does, each repetition by itself, and how long it may take.
struct BenchmarkFigure {
  std::string name, what;  // "zoom", and what is timed
  double limit = 0;        // milliseconds, of every repetition
  std::vector<double> times = {};
  Json details = Json::object();  // further fields of its JSON
};

// Number, smallest, median and largest time; the limit, how many times kept it, and whether all
// did.
Json jsonOf(const BenchmarkFigure& figure);

}  // namespace strata::ui
