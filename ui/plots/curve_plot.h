#pragma once
#include <QTimer>
#include <QVector>

#include "ui/plots/chart.h"
#include "ui/plots/curve_drawing.h"
#include "ui/plots/curve_ranges.h"

class QCPAxis;
class QCPRange;
class QLabel;

namespace strata::ui {

// One chart of curves: any number of series over one x axis. All points are kept; for drawing they
// are decimated to the extremes of each pixel column of the visible range. Wheel zooms and drag
// pans along x while y fits the visible data; over the y axis they change y; a double click fits
// everything. New points move the view only if it was at the tail. Repaints are coalesced to at
// most 25 per second, and a hidden chart draws nothing until it is shown.
class CurvePlot : public PlotChart {
  Q_OBJECT
 public:
  using XAxis = CurveRanges::XAxis;
  using Curve = LabelledCurve;  // the owner of a series calls dataChanged() when it has grown

  explicit CurvePlot(QWidget* parent = nullptr);

  void setCurves(QVector<Curve> curves);  // keeps the zoom
  const QVector<Curve>& curves() const { return drawing_.curves(); }
  void setXAxis(XAxis axis);  // fits everything
  void setLogarithmicX(bool on);
  void setLogarithmicY(bool on);
  void setLegendRight();                       // right of the plot, not on top of the curves
  void setFixedY(double lower, double upper);  // instead of fitting y to the visible data

  bool isFitted() const { return ranges_.xIsFitted(); }  // the full x range is shown
  QCPRange xRange() const;
  QCPRange yRange() const;
  void setXRange(double lower, double upper);

  int replots() const { return replots_; }  // number of repaints; for tests
  int hiddenValues() const { return drawing_.hiddenValues(); }
  int markedValues() const { return drawing_.markedValues(); }
  bool isUpToDate() const { return !dirty_; }

 public slots:
  void dataChanged() { scheduleRedraw(); }
  void fit();
  void redrawNow();  // without waiting for the timer

 signals:
  void xRangeChanged(double lower, double upper, bool fitted);  // by the user

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void restyle() override;
  void writeValues(QTextStream& out) const override;
  void setUpInteraction();
  void scheduleRedraw();
  void redraw();
  void showRanges();
  void setRange(QCPAxis* axis, const AxisRange& range);
  void rangeMovedByUser(const QCPRange& range);
  void updateStatus();
  void showReadout(const QPoint& position);

  QLabel* status_;
  CurveDrawing drawing_;
  CurveRanges ranges_;
  QTimer redrawTimer_;
  bool dirty_ = true, settingRange_ = false;
  int replots_ = 0;
};

}  // namespace strata::ui
