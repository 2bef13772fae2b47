#include "ui/plots/line_plot.h"

#include <qcustomplot.h>

#include <QTextStream>
#include <algorithm>
#include <cmath>

#include "ui/data/text.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/plot_style.h"
#include "ui/style/theme.h"

namespace strata::ui {
LinePlot::LinePlot(QWidget* parent) : WalkedPlot(parent) {
  plot_->setMinimumSize(200, 120);
  setLogarithmic(plot_->xAxis, false);
  setLogarithmic(plot_->yAxis, false);
}

void LinePlot::setAxisTitles(const QString& x, const QString& y) {
  setAxisTitle(plot_->xAxis, x);
  setAxisTitle(plot_->yAxis, y);
}

void LinePlot::setLogarithmicX(bool on) {
  setLogarithmic(plot_->xAxis, on);
}

void LinePlot::setLines(QVector<PlotLine> lines) {
  lines_ = std::move(lines);
  redraw();
}

QVector<WalkedPlot::Stop> LinePlot::stops() const {
  QVector<Stop> all;
  for (const PlotLine& line : lines_) {
    for (const PlotPoint& point : line.points)
      all << Stop{point.x, point.y,
                  QStringLiteral("%1\n%2: %3\n%4: %5")
                      .arg(line.label, axisTitle(plot_->xAxis), numberText(point.x, 6),
                           axisTitle(plot_->yAxis), numberText(point.y, 6))};
  }
  return all;
}

void LinePlot::drawContent() {
  plot_->legend->setIconSize(18, QFontMetrics(plot_->legend->font()).height());
  QCPRange x(std::nan(""), std::nan("")), y(0, 0);
  for (int index = 0; index < lines_.size(); ++index) {
    const PlotLine& line = lines_[index];
    QCPGraph* graph = plot_->addGraph();
    graph->setName(line.label);
    const QColor colour = seriesColour(line.colour < 0 ? index : line.colour);
    graph->setPen(QPen(colour, 1.8, line.dashed ? Qt::DashLine : Qt::SolidLine));
    for (const PlotPoint& point : line.points) {
      graph->addData(point.x, point.y);
      include(x, point.x);
      include(y, point.y);
    }
  }
  const bool logarithmic = plot_->xAxis->scaleType() == QCPAxis::stLogarithmic;
  if (!std::isnan(x.lower))
    plot_->xAxis->setRange(logarithmic ? std::max(1.0, x.lower) : 0,
                           std::max(x.upper, x.lower + 1));
  plot_->yAxis->setRange(0, unitScale_ ? 1 : y.upper > 0 ? y.upper * 1.08 : 1);
}

void LinePlot::writeValues(QTextStream& out) const {
  out << csvLine({tr("line"), axisTitle(plot_->xAxis), axisTitle(plot_->yAxis)});
  for (const PlotLine& line : lines_) {
    for (const PlotPoint& point : line.points)
      out << csvLine({line.label, csvNumber(point.x), csvNumber(point.y)});
  }
}

}  // namespace strata::ui
