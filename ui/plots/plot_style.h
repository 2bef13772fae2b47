#pragma once
#include <QColor>
#include <QFont>
#include <QPen>
#include <QSize>
#include <QString>

class QCPAxis;
class QCPAxisRect;
class QCPColorGradient;
class QCPColorScale;
class QCPPainter;
class QCPRange;
class QCPScatterStyle;
class QCustomPlot;
class QIcon;

namespace strata::ui {

// How the n-th line of a picture is drawn in the current theme: on the screen, in legends, in lists
// and in files. Eight are told apart by colour, and by lightness in grey; further ones by their
// dashes and markers, too.
struct LineStyle {
  enum class Marker { kNone, kDisc, kSquare, kDiamond, kTriangle, kCross };
  static constexpr int kMarkers = 6, kDashes = 5;

  QColor colour;
  Qt::PenStyle dash = Qt::SolidLine;
  Marker marker = Marker::kNone;

  QPen pen(double width) const { return {colour, width, dash}; }
  QCPScatterStyle scatter(double size) const;
};
LineStyle lineStyle(int index);

inline constexpr int kClickMove = 3;  // pixels that the mouse may move in a click

// A short piece of a line with its marker, in the middle of `area`, and the same as an icon.
void drawLineSample(QCPPainter& painter, const QRectF& area, const LineStyle& style);
QIcon lineIcon(int line);
QIcon emptyLineIcon();  // of the same size

// Applies the current theme's colours and fonts to a plot; call again when the palette changes.
void stylePlot(QCustomPlot* plot);

// The same for one of several axis rects, and for a colour scale. `font` is the plot's.
void styleAxes(QCPAxisRect* rect, const QFont& font);
void styleScale(QCPColorScale* scale, const QFont& font);

// The colours of mapColour for a colour map; NaN is transparent.
QCPColorGradient mapGradient();
// The middles of the first and last of `count` cells between two ends; the ends of a single one.
QCPRange cellCentres(double first, double last, int count);

// Of tick labels and legends, next to a plot's font.
QFont smallFont(QFont font);

// Linear or logarithmic scale with fitting ticks ("0.001", "10k").
void setLogarithmic(QCPAxis* axis, bool logarithmic);

// The title of an axis that shows a series of runs, with its unit, "loss (nats per word)", or
// without one, "loss", if it is not known (hasKnownUnit of core/store/imported.h).
enum class AxisUnit { kKnown, kUnknown };
QString axisTitleOf(const QString& series, AxisUnit unit = AxisUnit::kKnown);

// Writes a plot with its title above it and its legend, if it has one, as .png, .svg or .pdf.
// Throws Error.
struct PlotPicture {
  QString title;
  QSize size;  // pixels at 96 per inch
};
void exportPlot(QCustomPlot* plot, const QString& path, const PlotPicture& picture);

}  // namespace strata::ui
