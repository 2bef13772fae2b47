#pragma once
#include <QColor>
#include <QTimer>
#include <QVector>
#include <QWidget>
#include <memory>

#include "ui/plots/series.h"

class QCPGraph;
class QCPItemText;
class QCPRange;
class QCustomPlot;
class QLabel;

namespace strata::ui {

// One chart of curves: any number of series over one x axis. All points are kept; for drawing they
// are decimated to the extremes of each pixel column of the visible range. Wheel zooms and drag
// pans along x while y fits the visible data; over the y axis they change y; a double click fits
// everything. New points move the view only if it was at the tail. Repaints are coalesced to at
// most 25 per second, and a hidden chart draws nothing until it is shown.
class CurvePlot : public QWidget {
  Q_OBJECT
 public:
  enum class XAxis { kStep, kRelativeTime, kWallTime };
  struct Curve {
    QString label;
    QColor colour;
    std::shared_ptr<const Series> series;  // grown by its owner, who then calls dataChanged()
  };

  explicit CurvePlot(QWidget* parent = nullptr);

  void setTitle(const QString& title);
  QString title() const { return title_; }
  void setCurves(QVector<Curve> curves);  // keeps the zoom
  const QVector<Curve>& curves() const { return curves_; }
  void setXAxis(XAxis axis);  // fits everything
  void setLogarithmicX(bool on);
  void setLogarithmicY(bool on);
  void setLegendVisible(bool on);
  void setLegendRight();                       // right of the plot, not on top of the curves
  void setFixedY(double lower, double upper);  // instead of fitting y to the visible data

  bool isFitted() const { return fitX_; }  // the full x range is shown
  QCPRange xRange() const;
  QCPRange yRange() const;
  void setXRange(double lower, double upper);

  // Writes the chart (.png, .svg, .pdf with title, axis titles and legend) or all its points
  // (.csv). Throws Error.
  void exportTo(const QString& path);

  int replots() const { return replots_; }      // number of repaints; for tests
  int hiddenValues() const { return hidden_; }  // values <= 0 that a logarithmic y axis cannot show
  int markedValues() const;                     // NaN and infinite values marked on the axis
  bool isUpToDate() const { return !dirty_; }
  QCustomPlot* plot() const { return plot_; }

 public slots:
  void dataChanged();
  void fit();
  void redrawNow();  // without waiting for the timer

 signals:
  void xRangeChanged(double lower, double upper, bool fitted);  // by the user

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Drawn {  // owned by plot_
    QCPGraph* raw = nullptr;
    QCPGraph* smooth = nullptr;
    QCPGraph* marks = nullptr;  // non-finite values, on the axis
  };

  void setUpInteraction();
  void scheduleRedraw();
  void redraw();
  void fitX();
  void fitY();
  void drawCurve(int index, const std::vector<double>& edges);
  std::vector<double> columnEdges() const;
  std::span<const double> xOf(const Series& series) const;
  double shiftOf(const Series& series) const;
  void rangeMovedByUser(const QCPRange& range);
  void restyle();
  void updateStatus();
  void showReadout(const QPoint& position);
  void paintCsv(class QTextStream& out) const;

  QCustomPlot* plot_;
  QLabel* titleLabel_;
  QLabel* status_;
  QString title_;
  QVector<Curve> curves_;
  QVector<Drawn> drawn_;
  QTimer redrawTimer_;
  XAxis xAxis_ = XAxis::kStep;
  double tail_ = 0;  // largest x when the ranges were last fitted or followed
  bool fitX_ = true, fitY_ = true, dirty_ = true, settingRange_ = false;
  bool logX_ = false, logY_ = false, fixedY_ = false;
  int replots_ = 0, hidden_ = 0;
};

}  // namespace strata::ui
