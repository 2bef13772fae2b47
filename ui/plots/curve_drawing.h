#pragma once
#include <QColor>
#include <QString>
#include <QVector>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ui/plots/curve_ranges.h"
#include "ui/plots/series.h"

class QCPGraph;
class QCustomPlot;
class QPoint;

namespace strata::ui {

struct LabelledCurve {
  QString label;
  QColor colour;
  std::shared_ptr<const Series> series;  // grown by its owner
};

// Draws curves into a plot, decimated to the extremes of each pixel column of the visible range.
// Values that are not finite are marked on the x axis.
class CurveDrawing {
 public:
  explicit CurveDrawing(QCustomPlot* plot) : plot_(plot) {}

  // Replaces all graphs of the plot.
  void setCurves(QVector<LabelledCurve> curves);
  const QVector<LabelledCurve>& curves() const { return curves_; }
  CurveRanges::Curves series() const;

  // Pens and marks in the current theme's colours.
  void restyle();
  // Draws what is visible in the ranges of the plot's axes.
  void draw(const CurveRanges& ranges);

  int hiddenValues() const { return hidden_; }  // values <= 0 that a logarithmic y axis left out
  int markedValues() const;                     // NaN and infinite values

  struct Point {
    int curve = 0;
    std::size_t index = 0;  // in its series
  };
  // The point of a curve to read out at a position in the plot; none if all are far away.
  std::optional<Point> pointAt(const QPoint& position, const CurveRanges& ranges) const;

 private:
  struct Graphs {  // owned by plot_
    QCPGraph* raw = nullptr;
    QCPGraph* smooth = nullptr;
    QCPGraph* marks = nullptr;  // non-finite values, on the axis
  };

  void drawCurve(int index, const CurveRanges& ranges, const std::vector<double>& edges);
  std::vector<double> columnEdges(bool logarithmic) const;
  double markHeight(bool logarithmic) const;

  QCustomPlot* plot_;
  QVector<LabelledCurve> curves_;
  QVector<Graphs> graphs_;  // one per curve
  int hidden_ = 0;
};

}  // namespace strata::ui
