#pragma once
#include <QHash>

#include "ui/plots/chart.h"

class QCPAbstractPlottable;
class QCPErrorBars;
class QCPGraph;
class QCPRange;
class QPen;

namespace strata::ui {

// A plot with its title above it and its legend below it.
class FramedPlot : public PlotChart {
  Q_OBJECT
 protected:
  explicit FramedPlot(QWidget* parent);
  void resizeEvent(QResizeEvent* event) override;
  void redraw();
  QString wholeTextAt(const QPoint& position) const override;
  // The ends of the intervals of a graph's points, for each point to be added to what it returns,
  // which plot() owns. `whisker`: width of an end in pixels.
  QCPErrorBars* addErrorBars(QCPGraph* graph, const QPen& pen, double whisker);
  // Extends a range, at first from NaN to NaN, to a value, unless that is not finite.
  static void include(QCPRange& range, double value);
  // With room for the outermost points.
  static QCPRange withMargins(const QCPRange& range);

 private:
  virtual void drawContent() = 0;  // into a plot without graphs and items
  virtual void fitLabels() = 0;    // of the ticks, to the width
  void restyle() override { redraw(); }
  void applyStyle();
  void fitToWidth();
  int fitEntries();  // of the legend; the width that each needs

  QHash<const QCPAbstractPlottable*, QString> names_;  // whole, of the legend's entries
};

}  // namespace strata::ui
