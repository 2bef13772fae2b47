#pragma once
#include <QVector>

#include "ui/plots/curve_ranges.h"
#include "ui/plots/series.h"

namespace strata::ui {

// What the axes of a plot show.
struct PlotFrame {
  AxisRange x, y;
  bool logarithmicX = false, logarithmicY = false;
};

// TeX has no lengths of many pages: a point far away from a plot stops it. These keep what is at
// most ten times the plot's width and height away from it, and cut lines and outlines there; what
// the plot shows of them stays the same.
QVector<PlotPoint> nearPoints(const QVector<PlotPoint>& points, const PlotFrame& frame);
// y NaN: a gap.
QVector<PlotPoint> nearLine(const QVector<PlotPoint>& line, const PlotFrame& frame);
// The last point of an outline is joined to the first one.
QVector<PlotPoint> nearArea(const QVector<PlotPoint>& outline, const PlotFrame& frame);

}  // namespace strata::ui
