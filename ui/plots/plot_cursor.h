#pragma once
#include <QPointer>

class QCPAxisRect;
class QCPItemTracer;
class QCustomPlot;

namespace strata::ui {

// The ring around the point of a plot that the keyboard has chosen, visible in both themes. It is
// no part of pictures.
class PlotCursor {
 public:
  explicit PlotCursor(QCustomPlot* plot) : plot_(plot) {}

  void show(QCPAxisRect* rect, double x, double y);
  void hide();
  bool isShown() const;

 private:
  QCustomPlot* plot_;
  QPointer<QCPItemTracer> ring_, edge_;  // owned by plot_; null once the plot was cleared
};

}  // namespace strata::ui
