#pragma once
#include <QtGlobal>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ui/plots/series.h"

namespace strata::ui {

struct AxisRange {
  double lower = 0, upper = 1;
  bool operator==(const AxisRange&) const = default;
};

// The x values of one series on the chosen axis: ascending.
struct CurveX {
  std::span<const double> values;
  double shift = 0;  // subtracted for drawing

  double at(std::size_t index) const { return values[index] - shift; }
  // The first point at x or beyond, and the first beyond x.
  std::size_t lowerBound(double x) const;
  std::size_t upperBound(double x) const;
};

// Decides which ranges a chart of curves shows: everything, what the user has chosen, or, if the
// user's choice is at the tail of growing curves, the newest part. The caller knows the ranges that
// are shown now, and shows those that it is given.
class CurveRanges {
 public:
  enum class XAxis { kStep, kRelativeTime, kWallTime, kOther };  // kOther: of Series::along()
  using Curves = std::vector<const Series*>;

  void setXAxis(XAxis axis) { xAxis_ = axis; }
  void setLogarithmicX(bool on) { logX_ = on; }
  void setLogarithmicY(bool on) { logY_ = on; }
  // y fits the central 98 % of the visible values, with as much again above and below.
  void setWithoutOutliers(bool on) { withoutOutliers_ = on; }
  bool withoutOutliers() const { return withoutOutliers_; }
  XAxis xAxis() const { return xAxis_; }
  // Times are linear.
  bool logarithmicX() const { return logX_ && (xAxis_ == XAxis::kStep || xAxis_ == XAxis::kOther); }
  bool logarithmicY() const { return logY_; }
  CurveX xOf(const Series& series) const;

  // A step that a fitted x axis of steps shows, too: of a mark outside the curves. -1: none.
  void setMarkedStep(qint64 step) { markedStep_ = step; }

  // Both axes fit the curves from now on; an axis that has been taken keeps its range.
  void fit() { fitX_ = fitY_ = true; }
  void fitY() { fitY_ = true; }
  void takeX() { fitX_ = false; }
  void takeY() { fitY_ = fixedY_ = false; }
  void freeY() { fitY_ = true, fixedY_ = false; }
  void fixY() { fixedY_ = true; }  // fit() does not change it either, only takeY()
  bool xIsFitted() const { return fitX_; }

  // The range to show instead of `shown` now that the curves may have grown; none: it stays.
  std::optional<AxisRange> nextX(const Curves& curves, const AxisRange& shown);
  // The y range of the curves between the bounds of `x`; none: the axis is not fitted.
  std::optional<AxisRange> nextY(const Curves& curves, const AxisRange& x) const;
  // The number of finite values between the bounds of x that lie outside those of y.
  std::size_t outside(const Curves& curves, const AxisRange& x, const AxisRange& y) const;
  // The number of points that a logarithmic x axis cannot show.
  std::size_t hiddenByX(const Curves& curves) const;

 private:
  // The visible values, at most kSampled of them, evenly spaced.
  std::vector<double> visibleValues(const Curves& curves, const AxisRange& x) const;
  std::pair<double, double> central(const Curves& curves, const AxisRange& x,
                                    const AxisRange& all) const;

  XAxis xAxis_ = XAxis::kStep;
  bool logX_ = false, logY_ = false, withoutOutliers_ = false;
  bool fitX_ = true, fitY_ = true, fixedY_ = false;
  qint64 markedStep_ = -1;
  double tail_ = 0;  // largest x at the last call of nextX
};

}  // namespace strata::ui
