#pragma once
#include <QStringList>

class QCustomPlot;

namespace strata::ui {

// Puts a plot's legend below its axes, without a frame. Call once per plot.
void placeLegendBelow(QCustomPlot* plot);

// As many columns as fit into `width` pixels. `labels` are the legend's entries.
void fitLegendBelow(QCustomPlot* plot, const QStringList& labels, int width);

}  // namespace strata::ui
