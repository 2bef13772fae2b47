// A chart of curves for pgfplots.
#include <qcustomplot.h>

#include <QTextStream>
#include <cmath>

#include "core/report/latex.h"
#include "ui/data/text.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/plot_style.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {

QString tex(const QString& text) {
  return qs(texEscaped(toStd(text)));
}

// The options of a line, as lineStyle() draws it on the screen.
QString optionsOf(const LineStyle& style) {
  const char* const dashes[] = {"solid", "dashed", "dotted", "dash dot", "dash dot dot"};
  const char* const marks[] = {"none", "o", "square", "diamond", "triangle", "x"};
  QString options = QStringLiteral("color={rgb,255:red,%1;green,%2;blue,%3}, %4, mark=%5")
                        .arg(style.colour.red())
                        .arg(style.colour.green())
                        .arg(style.colour.blue())
                        .arg(QLatin1String(dashes[int(style.dash) - int(Qt::SolidLine)]),
                             QLatin1String(marks[int(style.marker)]));
  if (style.marker != LineStyle::Marker::kNone)
    options += QStringLiteral(", mark repeat=100, mark options={solid}");
  return options;
}

void writePoints(QTextStream& out, const QVector<PlotPoint>& points) {
  for (const PlotPoint& point : points) {
    out << point.x << ' ';
    if (std::isfinite(point.y)) {
      out << point.y << '\n';
    } else {
      out << "nan\n";
    }
  }
}

// Points to which no line goes.
void writeLonePoints(QTextStream& out, const LineStyle& style, const QVector<PlotPoint>& points) {
  if (points.isEmpty()) return;
  out << "\\addplot[" << optionsOf(style)
      << ", only marks, mark=*, mark size=1.2pt, mark repeat=1, forget plot] table {\n";
  writePoints(out, points);
  out << "};\n";
}

}  // namespace

// An axis at the right over the same x, with dotted lines.
void CurvePlot::writeSecond(QTextStream& out) {
  const QCPRange x = xRange(), y = secondRange();
  out << "\\begin{axis}[width=\\linewidth, height=0.65\\linewidth, unbounded coords=jump,\n"
      << "  axis y line*=right, axis x line=none, ylabel={" << tex(axisTitle(plot_->yAxis2))
      << "},\n  xmin=" << x.lower << ", xmax=" << x.upper << ", ymin=" << y.lower
      << ", ymax=" << y.upper << (ranges_.logarithmicX() ? ", xmode=log" : "") << "]\n";
  for (int curve = 0; curve < second().size(); ++curve) {
    LineStyle style = lineStyle(second()[curve].style);
    style.dash = Qt::DotLine;
    style.marker = LineStyle::Marker::kNone;
    out << "\\addplot[" << optionsOf(style) << "] table {\n";
    writePoints(out, second_.drawnPoints(curve));
    out << "};\n";
    writeLonePoints(out, style, second_.lonePoints(curve));
  }
  out << "\\end{axis}\n";
}

// The points are those that the picture draws: the extremes of each of its pixel columns. All
// points are in the values beside it.
bool CurvePlot::writeTex(QTextStream& out) {
  const LightTheme light;
  const QCPRange x = xRange(), y = yRange();
  out.setRealNumberPrecision(9);
  out << "% \\usepackage{pgfplots} \\pgfplotsset{compat=1.15}\n\\begin{tikzpicture}\n"
      << "\\begin{axis}[width=\\linewidth, height=0.65\\linewidth, unbounded coords=jump,\n"
      << "  title={" << tex(title()) << "}, xlabel={" << tex(axisTitle(plot_->xAxis))
      << "}, ylabel={" << tex(axisTitle(plot_->yAxis)) << "},\n  xmin=" << x.lower
      << ", xmax=" << x.upper << ", ymin=" << y.lower << ", ymax=" << y.upper
      << (ranges_.logarithmicX() ? ", xmode=log" : "")
      << (ranges_.logarithmicY() ? ", ymode=log" : "") << ",\n  legend pos=outer north east]\n";
  for (int curve = 0; curve < curves().size(); ++curve) {
    out << "\\addplot[" << optionsOf(lineStyle(curves()[curve].style)) << "] table {\n";
    writePoints(out, drawing_.drawnPoints(curve));
    out << "};\n\\addlegendentry{" << tex(curves()[curve].label) << "}\n";
    writeLonePoints(out, lineStyle(curves()[curve].style), drawing_.lonePoints(curve));
  }
  out << "\\end{axis}\n";
  if (!second().isEmpty()) writeSecond(out);
  out << "\\end{tikzpicture}\n";
  return true;
}

}  // namespace strata::ui
