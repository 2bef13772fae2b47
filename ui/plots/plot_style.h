#pragma once
class QCustomPlot;
class QCPAxis;

namespace strata::ui {

// Gives a plot the colours and fonts of the theme in use; call it again when the palette changes.
void stylePlot(QCustomPlot* plot);

// Linear or logarithmic scale with fitting ticks ("0.001", "10k").
void setLogarithmic(QCPAxis* axis, bool logarithmic);

}  // namespace strata::ui
