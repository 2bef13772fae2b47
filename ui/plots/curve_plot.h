#pragma once
#include <QElapsedTimer>
#include <QTimer>
#include <QVector>
#include <memory>
#include <optional>

#include "ui/plots/chart.h"
#include "ui/plots/curve_drawing.h"
#include "ui/plots/curve_ranges.h"

class QAction;
class QCPAxis;
class QCPRange;
class QHBoxLayout;
class QLabel;

namespace strata::ui {
class PlotCursor;
class PlotLegend;

// One chart of curves: any number of series over one x axis. All points are kept; for drawing they
// are decimated to the extremes of each pixel column of the visible range. Wheel zooms and drag
// pans along x while y fits the visible data; over the y axis they change y; a double click fits
// everything. New points move the view only if it was at the tail. Repaints are coalesced to at
// most 25 per second, and a hidden chart draws nothing until it is shown. The legend of several
// curves is right of them, if there is room. With the arrow keys a cursor goes from point to point
// (left, right, Home, End) and from curve to curve (up, down); Enter chooses the point, like a
// click.
class CurvePlot : public PlotChart {
  Q_OBJECT
 public:
  using XAxis = CurveRanges::XAxis;
  using Curve = LabelledCurve;  // the owner of a series calls dataChanged() when it has grown

  explicit CurvePlot(QWidget* parent = nullptr);
  ~CurvePlot() override;

  void addTool(QAction* action);          // a button next to the title
  void setCurves(QVector<Curve> curves);  // keeps the zoom
  const QVector<Curve>& curves() const { return drawing_.curves(); }
  void setXAxis(XAxis axis);  // fits everything
  XAxis xAxis() const { return ranges_.xAxis(); }
  void setOtherTitle(const QString& title);  // of the x axis kOther
  void setYTitle(const QString& title);      // with the unit
  // Other series of the same runs, dotted, over an axis of their own at the right that always fits
  // what is visible; no curves: there is none.
  void setSecond(const QString& series, const QString& title, QVector<Curve> curves);
  const QVector<Curve>& second() const { return second_.curves(); }
  QCPRange secondRange() const;
  void setLogarithmicX(bool on);
  void setLogarithmicY(bool on);
  void setWithoutOutliers(bool on);  // y fits most of the values; the status counts the others
  void setLegendShown(bool on);      // on the screen; on by default
  void setFixedY(double lower, double upper);  // instead of fitting y to the visible data

  bool isFitted() const { return ranges_.xIsFitted(); }  // the full x range is shown
  QCPRange xRange() const;
  QCPRange yRange() const;
  void setXRange(double lower, double upper);

  int replots() const { return replots_; }  // number of repaints; for tests
  int hiddenValues() const { return drawing_.hiddenValues(); }
  int markedValues() const { return drawing_.markedValues(); }
  int outliers() const { return outliers_; }  // visible values above or below the plot
  const PlotLegend* legend() const { return legend_; }

  // A value that is NaN or infinite, or the end of a run without any point (value: none).
  struct Break {
    QString label;
    qint64 step = 0;
    std::optional<double> value;
  };
  QVector<Break> breaks() const;
  void showStep(const QString& label, qint64 step);  // in the middle, closely; as the user would

  // The point under the keyboard's cursor; none: it is not shown.
  std::optional<CurveDrawing::Point> cursor() const { return cursorAt_; }
  QString readout(const CurveDrawing::Point& point) const;
  bool isUpToDate() const { return !dirty_; }
  bool hasTex() const override { return true; }

 public slots:
  void dataChanged() { scheduleRedraw(); }
  void fit();
  void redrawNow();  // without waiting for the timer

 signals:
  void xRangeChanged(double lower, double upper, bool fitted);  // by the user
  void pointChosen(int curve, qint64 step);                     // by a click or Enter

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  QSize pictureSize() const override;

 private:
  void restyle() override;
  void drawPicture();
  void drawAll(CurveDrawing::Target target);
  CurveRanges secondRanges() const;
  void fitLegend();
  void writeValues(QTextStream& out) const override;
  bool hasBands() const;
  void writeCurves(QTextStream& out, const QVector<Curve>& curves, const QString& name) const;
  void setUpInteraction();
  void scheduleRedraw();
  void redraw();
  void showRanges();
  void setRange(QCPAxis* axis, const AxisRange& range);
  void rangeMovedByUser(const QCPRange& range);
  void updateStatus();
  void showReadout(const QPoint& position);
  void choosePoint(const QPoint& position);
  void moveCursor(const CurveDrawing::Point& point);
  std::optional<CurveDrawing::Point> firstPoint(int curve) const;
  CurveDrawing::Point stepped(const CurveDrawing::Point& from, int direction) const;
  CurveDrawing::Point onCurve(const CurveDrawing::Point& from, int direction) const;
  CurveDrawing::Point atEnd(const CurveDrawing::Point& from, bool last) const;
  QPointF pixelOf(const CurveDrawing::Point& point) const;
  void writeTex(QTextStream& out) override;
  void writeSecond(QTextStream& out);

  QHBoxLayout* head_;
  QLabel* status_;
  CurveDrawing drawing_, second_;
  QString secondSeries_;
  CurveRanges ranges_;
  PlotLegend* legend_;  // owned by plot_
  std::unique_ptr<PlotCursor> cursor_;
  std::optional<CurveDrawing::Point> cursorAt_;
  QString otherTitle_;
  QPoint pressed_;
  QTimer redrawTimer_;
  QElapsedTimer redrawn_;  // since the last redraw
  bool dirty_ = true, settingRange_ = false, legendShown_ = true;
  int replots_ = 0, outliers_ = 0;
};

}  // namespace strata::ui
