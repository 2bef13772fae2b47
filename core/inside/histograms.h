// Figures of histograms (core/run/histogram.h) and their course over training, as they are printed
// and drawn (docs/inside.md, "Histograms").
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/json.h"
#include "core/run/histogram.h"

namespace strata {

inline constexpr std::array kHistogramQuantiles{0.05, 0.25, 0.5, 0.75, 0.95};
inline constexpr double kNoFigure = std::numeric_limits<double>::quiet_NaN();

// NaN: there is no finite value.
struct HistogramFigures {
  std::int64_t values = 0;                         // all
  std::int64_t zeros = 0, nonFinite = 0;           // of them
  double lowest = kNoFigure, highest = kNoFigure;  // the bounds of the outermost bins with values
  std::array<double, kHistogramQuantiles.size()> quantiles{};  // of the finite values
  double magnitude = kNoFigure;                                // the median of |x|

  std::int64_t finite() const { return values - nonFinite; }
  double zeroShare() const;       // of the finite values
  double nonFiniteShare() const;  // of all
};
HistogramFigures figuresOf(const ValueHistogram& values);
// At or below which a share of the finite values is, in the bin's place by the logarithm of the
// magnitude; the bound of a bin without an end.
double quantileOf(const ValueHistogram& values, double share);

// {"values", "zeros", "non_finite", "zero_share", "non_finite_share", "lowest", "highest",
// "quantiles": [5, 25, 50, 75, 95 %], "magnitude"}; null where there is no such number.
Json toJson(const HistogramFigures& figures);
// [[lower bound, upper bound, count] per bin with values], ascending; null: no end.
Json binsOf(const ValueHistogram& values);

// Steps x values of one layer and kind.
struct HistogramMap {
  struct Row {
    double lower = 0, upper = 0;  // the row of 0 has the small values of both signs, too
  };
  struct Column {
    std::int64_t first = 0, last = 0;  // the recorded steps in it
    std::vector<double> shares = {};   // of the finite values, by row; NaN: there are none
    HistogramFigures figures = {};
  };
  std::int64_t first = 0, last = 0;  // the range of steps
  std::vector<Row> rows = {};        // ascending
  std::vector<Column> columns =
      {};  // equally wide; one without a recorded step is as the one before

  bool isEmpty() const { return columns.empty(); }
  // The place of a value on an axis on which row r is from r - 1/2 to r + 1/2.
  double placeOf(double value) const;
  std::size_t columnOf(std::int64_t step) const;
};
struct HistogramRange {
  std::int64_t first = 0, last = 0;  // steps, both in it
  int mostColumns = 300;
};
// `steps`: of one layer and kind, ascending. Rows begin where, at every step, at most 1 % of the
// values other than 0 are smaller.
HistogramMap histogramMap(std::span<const StepHistogram> steps, const HistogramRange& range);

}  // namespace strata
