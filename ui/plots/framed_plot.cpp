#include "ui/plots/framed_plot.h"

#include <qcustomplot.h>

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/plots/plot_style.h"

namespace strata::ui {
namespace {
constexpr int kLegendIcon = 46;  // pixels next to a legend's text

// The margins around the legend are empty elements, because a grid's own margins are not part of
// its size hint.
void placeLegendBelow(QCustomPlot* plot) {
  const auto space = [plot](int width, int height) {
    auto* element = new QCPLayoutElement(plot);
    element->setMinimumSize(width, height);
    return element;
  };
  auto* below = new QCPLayoutGrid;  // owned by the plot, like its elements
  below->setRowSpacing(0);
  plot->plotLayout()->addElement(1, 0, below);
  below->addElement(0, 0, space(4, 1));
  below->addElement(0, 1, plot->legend);
  below->addElement(0, 2, space(4, 1));
  below->addElement(1, 1, space(1, 6));
  for (const int column : {0, 1}) below->setColumnStretchFactor(column, 0.001);
  below->setRowStretchFactor(1, 0.001);
  plot->plotLayout()->setRowStretchFactor(1, 0.001);
  plot->legend->setFillOrder(QCPLayoutGrid::foColumnsFirst);
  plot->legend->setMargins(QMargins(0, 0, 0, 0));
  plot->legend->setVisible(true);
}

}  // namespace

FramedPlot::FramedPlot(QWidget* parent) : PlotChart(parent) {
  titleLabel_->setContentsMargins(8, 4, 0, 0);
  titleLabel_->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(titleLabel_);
  layout->addWidget(plot_, 1);
  placeLegendBelow(plot_);
  applyStyle();
}

void FramedPlot::applyStyle() {
  stylePlot(plot_);
  plot_->legend->setBorderPen(Qt::NoPen);
}

void FramedPlot::redraw() {
  applyStyle();
  plot_->clearPlottables();
  plot_->clearItems();
  names_.clear();
  drawContent();
  fitToWidth();
}

// A name that is wider than the plot is shortened.
int FramedPlot::fitEntries() {
  const QFontMetrics metrics(plot_->legend->font());
  const int room = drawingWidth() - kLegendIcon;
  int widest = 1;
  for (int i = 0; i < plot_->legend->itemCount(); ++i) {
    auto* item = qobject_cast<QCPPlottableLegendItem*>(plot_->legend->item(i));
    if (!item) continue;  // an empty cell
    QCPAbstractPlottable* drawn = item->plottable();
    const QString name = names_.value(drawn, drawn->name());
    names_.insert(drawn, name);
    drawn->setName(metrics.elidedText(name, Qt::ElideMiddle, room));
    widest = std::max(widest, metrics.horizontalAdvance(drawn->name()) + kLegendIcon);
  }
  return widest;
}

// The legend has as many columns as fit next to each other.
void FramedPlot::fitToWidth() {
  fitLabels();
  QCPLegend* legend = plot_->legend;
  const QFontMetrics metrics(legend->font());
  const int entry = fitEntries(), entries = std::max(1, int(names_.size()));
  const int columns = std::clamp(drawingWidth() / entry, 1, entries);
  legend->setWrap(columns);
  // A little more than the text's height: the legend's own size hint cuts off descenders.
  legend->setMinimumSize(std::min(drawingWidth(), columns * entry),
                         (entries + columns - 1) / columns * (metrics.height() + 4));
  legend->setFillOrder(QCPLayoutGrid::foColumnsFirst, /*rearrange=*/true);
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

QString FramedPlot::wholeTextAt(const QPoint& position) const {
  for (int i = 0; i < plot_->legend->itemCount(); ++i) {
    auto* item = qobject_cast<QCPPlottableLegendItem*>(plot_->legend->item(i));
    if (!item || !item->outerRect().contains(position)) continue;
    const QString name = names_.value(item->plottable());
    return name == item->plottable()->name() ? QString() : name;
  }
  return PlotChart::wholeTextAt(position);
}

QCPErrorBars* FramedPlot::addErrorBars(QCPGraph* graph, const QPen& pen, double whisker) {
  auto* bars = new QCPErrorBars(graph->keyAxis(), graph->valueAxis());
  bars->removeFromLegend();
  bars->setDataPlottable(graph);
  bars->setPen(pen);
  bars->setWhiskerWidth(whisker);
  bars->setSymbolGap(0);
  return bars;
}

void FramedPlot::include(QCPRange& range, double value) {
  if (std::isfinite(value)) range.expand(value);
}

QCPRange FramedPlot::withMargins(const QCPRange& range) {
  const double margin = range.upper > range.lower ? range.size() * 0.06 : 1;
  return {range.lower - margin, range.upper + margin};
}

void FramedPlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitToWidth();
}

}  // namespace strata::ui
