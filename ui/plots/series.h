#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/run/events.h"
#include "ui/plots/moving_average.h"

namespace strata::ui {

struct PlotPoint {
  double x = 0, y = 0;  // y NaN: a gap in the line
};

// Extremes over blocks of a growing array, and over blocks of these, so that the minimum and
// maximum of any range cost a handful of comparisons. Non-finite values are ignored.
class Extremes {
 public:
  struct Range {
    double minimum, maximum;  // +Inf, -Inf if the range has no finite value
    double minimumPositive;   // +Inf if it has no positive value
    bool broken = false;      // the range contains a non-finite value
  };

  // values.size() >= the previous size; earlier values are unchanged.
  void grow(std::span<const double> values);
  void clear();  // of no values again; it keeps its memory
  // Of values that it has grown to.
  Range of(std::span<const double> values, std::size_t begin, std::size_t end) const;

 private:
  static constexpr std::size_t kBlock = 16;  // values, or blocks of the level below
  std::vector<std::vector<Range>> levels_;   // full blocks only
};

// Every point of one series, ordered by step, with its smoothed curve (MovingAverage). Points are
// only dropped when a run resumes from a checkpoint and repeats steps.
class Series {
 public:
  void append(std::span<const ScalarPoint> points);
  void setSmoothing(double weight);  // 0 (none) <= weight < 1; recomputes the smoothed curve
  double smoothing() const { return weight_; }

  // The values of `y` by the value that another series of the run has at the same step, between its
  // points interpolated and beyond them the nearest; ascending by it. Empty if `x` is empty.
  static std::shared_ptr<Series> along(const Series& y, const Series& x);

  std::size_t size() const { return values_.size(); }
  std::span<const double> steps() const { return steps_; }
  // Ascending, even if the clock was set back.
  std::span<const double> wallTimes() const { return wallTimes_; }
  // The other series' values of along(); otherwise empty.
  std::span<const double> others() const { return others_; }
  // The other series fell: its neighbours are not neighbours in training.
  bool isScattered() const { return scattered_; }
  std::span<const double> values() const { return values_; }
  std::span<const double> smoothed() const { return weight_ > 0 ? smoothed_ : values_; }
  // Indices of NaN and infinite values.
  std::span<const std::size_t> nonFinite() const { return nonFinite_; }
  std::size_t notPositive() const { return notPositive_; }  // finite values <= 0
  const Extremes& extremes() const { return extremes_; }
  const Extremes& smoothedExtremes() const { return weight_ > 0 ? smoothedExtremes_ : extremes_; }

 private:
  void add(double value);
  void truncate(std::size_t size);
  void smoothFrom(std::size_t begin);

  std::vector<double> steps_, wallTimes_, others_, values_;
  std::vector<double> smoothed_;  // empty without smoothing, as its extremes
  bool scattered_ = false;
  std::vector<std::size_t> nonFinite_;
  std::size_t notPositive_ = 0;
  Extremes extremes_, smoothedExtremes_;
  double weight_ = 0;
  MovingAverage average_{0};  // after the last point
};

// Decimates a curve for a plot of `edges.size() - 1` pixel columns: per column the first, smallest,
// largest and last value in their order, one point beyond either side so that lines enter and
// leave, a NaN at every gap. `x` ascends. With `positiveOnly` (a logarithmic axis) values <= 0 are
// left out.
struct CurveView {
  std::span<const double> x, y;
  const Extremes* extremes = nullptr;
  bool positiveOnly = false;
};
void decimate(const CurveView& curve, std::span<const double> edges, std::vector<PlotPoint>& out);

}  // namespace strata::ui
