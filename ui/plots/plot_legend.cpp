#include "ui/plots/plot_legend.h"

#include <qcustomplot.h>

#include <algorithm>

namespace strata::ui {
namespace {
constexpr int kLegendIcon = 46;  // pixels next to a legend's text
}

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

void fitLegendBelow(QCustomPlot* plot, const QStringList& labels, int width) {
  const QFontMetrics metrics(plot->legend->font());
  int entry = 1;
  for (const QString& label : labels)
    entry = std::max(entry, metrics.horizontalAdvance(label) + kLegendIcon);
  const int entries = std::max(1, int(labels.size()));
  const int columns = std::clamp(width / entry, 1, entries);
  plot->legend->setWrap(columns);
  // A little more than the text's height: the legend's own size hint cuts off descenders.
  plot->legend->setMinimumSize(std::min(width, columns * entry),
                               (entries + columns - 1) / columns * (metrics.height() + 4));
  plot->legend->setFillOrder(QCPLayoutGrid::foColumnsFirst, /*rearrange=*/true);
}

}  // namespace strata::ui
