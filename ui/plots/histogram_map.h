#pragma once
#include <vector>

#include "core/inside/histograms.h"
#include "ui/data/gradient_flow.h"
#include "ui/plots/framed_plot.h"
#include "ui/plots/plot_cursor.h"

class QCPColorScale;

namespace strata::ui {

// Steps x values of one layer: the share of its values in each bin as colour, with lines at the
// quantiles. Values are on a logarithmic axis for each sign, 0 between them. The wheel zooms and a
// drag pans along the steps; a double click shows all. The arrow keys, Home and End move a cursor
// over the cells; Enter chooses its step, like a click.
class HistogramMapView : public FramedPlot {
  Q_OBJECT
 public:
  explicit HistogramMapView(QWidget* parent = nullptr);

  void setSteps(const QString& title, std::vector<StepHistogram> steps);
  const std::vector<StepHistogram>& steps() const { return steps_; }
  const HistogramMap& map() const { return map_; }  // as drawn
  StepRange range() const { return range_; }
  void showRange(const StepRange& range);  // what of it is recorded

  struct Cell {
    int column = -1, row = 0;
  };
  Cell cursor() const { return cursor_; }  // column -1: none
  QString readout(const Cell& cell) const;

 signals:
  void stepChosen(qint64 step);  // by a click or Enter

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void drawContent() override;
  void fitLabels() override {}
  void writeValues(QTextStream& out) const override;
  void drawShares();
  void drawQuantiles();
  void markBreaks();
  void setAxes();
  StepRange whole() const;
  double middleOf(int column) const;
  Cell cellAt(const QPoint& position) const;
  void showCursor();

  QCPColorScale* scale_;  // owned by plot_
  PlotCursor ring_;
  std::vector<StepHistogram> steps_;  // ascending
  HistogramMap map_;
  StepRange range_;
  Cell cursor_;
  QPoint pressed_;
  bool drawing_ = false;
};

}  // namespace strata::ui
