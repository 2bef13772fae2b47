#pragma once
#include <qcustomplot.h>

#include <QPen>
#include <memory>
#include <vector>

#include "ui/plots/curve_ranges.h"
#include "ui/plots/line_canvas.h"
#include "ui/plots/series.h"

namespace strata::ui {

// Many curves in a plot, as one picture on the screen: some ten times as fast as a graph of
// QCustomPlot for each.
class CurveCanvas : public QCPAbstractPlottable {
  Q_OBJECT
 public:
  CurveCanvas(QCPAxis* xAxis, QCPAxis* yAxis);  // owned by their plot

  struct Curve {
    std::shared_ptr<const Series> series;
    bool smoothed = false;  // its smoothed values
    QPen pen;
  };
  // Later ones over earlier ones; what they are drawn along.
  void setCurves(std::vector<Curve> curves, const CurveRanges& ranges);

  double selectTest(const QPointF& position, bool onlySelectable,
                    QVariant* details = nullptr) const override;
  QCPRange getKeyRange(bool& found, QCP::SignDomain domain = QCP::sdBoth) const override;
  QCPRange getValueRange(bool& found, QCP::SignDomain domain = QCP::sdBoth,
                         const QCPRange& keys = QCPRange()) const override;

 protected:
  void draw(QCPPainter* painter) override;
  void drawLegendIcon(QCPPainter* painter, const QRectF& rect) const override;

 private:
  void drawColumns(LineCanvas& canvas, const LineCanvas::Columns& columns) const;

  std::vector<Curve> curves_;
  CurveRanges ranges_;
};

// The borders between so many columns of what an axis shows.
std::vector<double> columnEdges(const AxisRange& range, int columns, bool logarithmic);

}  // namespace strata::ui
