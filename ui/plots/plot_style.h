#pragma once
#include <QFont>
#include <QString>

class QIcon;
class QCustomPlot;
class QCPAxis;
class QCPAxisRect;
class QCPColorScale;

namespace strata::ui {

// Applies the current theme's colours and fonts to a plot; call again when the palette changes.
void stylePlot(QCustomPlot* plot);

// The same for one of several axis rects, and for a colour scale. `font` is the plot's.
void styleAxes(QCPAxisRect* rect, const QFont& font);
void styleScale(QCPColorScale* scale, const QFont& font);

// Linear or logarithmic scale with fitting ticks ("0.001", "10k").
void setLogarithmic(QCPAxis* axis, bool logarithmic);

// A short piece of the n-th line of a plot, for lists; and an empty place of the same size.
QIcon lineIcon(int line);
QIcon emptyLineIcon();

// Writes a plot with its title above it and its legend, if it has one, as .png, .svg or .pdf.
// Throws Error.
void exportPlot(QCustomPlot* plot, const QString& path, const QString& title);

}  // namespace strata::ui
