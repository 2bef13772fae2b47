#pragma once
#include <QPen>
#include <QPointer>
#include <QString>
#include <QVector>
#include <memory>
#include <optional>
#include <vector>

#include "ui/plots/curve_ranges.h"
#include "ui/plots/plot_style.h"
#include "ui/plots/series.h"

class QCPAxis;
class QCPGraph;
class QCPItemText;
class QCustomPlot;
class QPoint;

namespace strata::ui {
class CurveCanvas;

struct LabelledCurve {
  QString label;
  int style = 0;                         // of lineStyle()
  std::shared_ptr<const Series> series;  // grown by its owner
  // The ends of a band around the curve, at the same steps; null: none.
  std::shared_ptr<const Series> low = nullptr, high = nullptr;
  // The step at which a run without any point here broke; -1: it did not.
  qint64 brokeAt = -1;
};

// Draws curves into a plot, decimated to the extremes of each pixel column of the visible range.
// Values that are not finite are marked on the x axis.
class CurveDrawing {
 public:
  enum class Look { kLines, kDotted };  // dotted: other lines of the same runs
  CurveDrawing(QCustomPlot* plot, QCPAxis* yAxis, Look look = Look::kLines)
      : plot_(plot), yAxis_(yAxis), look_(look) {}

  // Replaces those drawn before.
  void setCurves(QVector<LabelledCurve> curves);
  const QVector<LabelledCurve>& curves() const { return curves_; }
  CurveRanges::Curves lines() const;   // without bands
  CurveRanges::Curves series() const;  // with their ends

  // Pens and marks in the current theme's colours.
  void restyle();
  // Draws what is visible in the ranges of the plot's axes. Many curves are one picture on the
  // screen, and a graph each in files.
  enum class Target { kScreen, kFile };
  void draw(const CurveRanges& ranges, Target target = Target::kScreen);

  int hiddenValues() const { return hidden_; }  // values <= 0 that a logarithmic axis left out
  int markedValues() const;                     // NaN and infinite values, and broken runs

  struct Note {
    QString text;
    PlotPoint at;
    bool isLeft = false;  // the text ends there
  };
  // What the last draw() for a file has drawn of a curve; y NaN: a gap.
  struct Parts {
    QVector<PlotPoint> line;       // the smoothed one, if it is smoothed
    QVector<PlotPoint> raw;        // under a smoothed line
    QVector<PlotPoint> low, high;  // ends of a band
    QVector<PlotPoint> alone;      // to which no line goes
    QVector<PlotPoint> marks;      // on the x axis: values that are not finite, or a broken run
    QVector<PlotPoint> markers;    // that tell this line from others
    bool isScattered = false;      // the points of the line are not joined
    std::optional<Note> broken = {};
  };
  Parts parts(int curve) const;
  static constexpr int kRawAlpha = 70, kBandAlpha = 45;  // of 255

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
    QCPGraph* marks = nullptr;    // non-finite values, on the axis
    QCPGraph* markers = nullptr;  // a few points that tell this line from others; null: none
    QCPGraph* alone = nullptr;    // points without a neighbour, to which no line goes
    QCPGraph* low = nullptr;      // of the band; null: none
    QCPGraph* high = nullptr;
    QPointer<QCPItemText> broken;  // null: it is not
  };

  QCPGraph* addGraph();
  Graphs addLines(const LabelledCurve& curve);
  void addMarks(const LabelledCurve& curve, Graphs& graphs);
  bool isSharp() const;
  bool isCanvas(int index, Target target) const;
  void drawOnCanvas(Target target);
  void drawCurve(int index, const std::vector<double>& edges, Target target);
  void drawBand(int index, const std::vector<double>& edges);
  void drawMarks(int index);
  void drawMarkers(int index);
  void drawLonePoints(int index);
  void fill(QCPGraph* graph, const CurveView& view, const std::vector<double>& edges, double shift);
  std::vector<double> edges() const;
  // The points that a curve is drawn with, and those that have a gap, or nothing, on either side.
  QVector<PlotPoint> drawnPoints(int curve) const;
  QVector<PlotPoint> lonePoints(int curve) const;
  double markHeight(bool logarithmic, double share) const;

  QPen penOf(const LineStyle& style) const;

  QCustomPlot* plot_;
  QCPAxis* yAxis_;
  Look look_;
  CurveRanges ranges_;             // of the last draw()
  CurveCanvas* canvas_ = nullptr;  // owned by plot_; null: few curves
  QVector<LabelledCurve> curves_;
  QVector<Graphs> graphs_;  // one per curve
  std::vector<PlotPoint> points_;
  int hidden_ = 0;
};

}  // namespace strata::ui
