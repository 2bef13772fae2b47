#pragma once
#include <QString>
#include <QVector>
#include <vector>

#include "ui/plots/series.h"
#include "ui/plots/walked_plot.h"

namespace strata::ui {

struct PlotLine {
  QString label;
  std::vector<PlotPoint> points;  // x ascends
  int colour = -1;                // index for seriesColour(); -1: the index of the line
  bool dashed = false;
};

// Lines over a number, with a y axis from 0.
class LinePlot : public WalkedPlot {
  Q_OBJECT
 public:
  explicit LinePlot(QWidget* parent = nullptr);

  void setAxisTitles(const QString& x, const QString& y);
  void setLogarithmicX(bool on);                   // x > 0
  void setUnitScale(bool on) { unitScale_ = on; }  // y from 0 to 1
  void setLines(QVector<PlotLine> lines);
  const QVector<PlotLine>& lines() const { return lines_; }

 private:
  QVector<Stop> stops() const override;
  void drawContent() override;
  void fitLabels() override {}
  void writeValues(QTextStream& out) const override;

  QVector<PlotLine> lines_;
  bool unitScale_ = false;
};

}  // namespace strata::ui
