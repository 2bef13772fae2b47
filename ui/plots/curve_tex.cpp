// A chart of curves for pgfplots.
#include <qcustomplot.h>

#include <QDateTime>
#include <QTextStream>
#include <algorithm>
#include <cmath>

#include "core/report/latex.h"
#include "ui/data/text.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/near_lines.h"
#include "ui/plots/plot_style.h"

namespace strata::ui {
namespace {

constexpr int kTexDigits = 9;

QString tex(const QString& text) {
  return qs(texEscaped(toStd(text)));
}

QString texNumber(double value) {
  return QString::number(value, 'g', kTexDigits);
}

QString texColour(const LineStyle& style) {
  return QStringLiteral("color={rgb,255:red,%1;green,%2;blue,%3}")
      .arg(style.colour.red())
      .arg(style.colour.green())
      .arg(style.colour.blue());
}

QString texDash(const LineStyle& style) {
  const char* const dashes[] = {"solid", "dashed", "dotted", "dash dot", "dash dot dot"};
  return QLatin1String(dashes[int(style.dash) - int(Qt::SolidLine)]);
}

QString texMark(const LineStyle& style) {
  const char* const marks[] = {"none", "o", "square", "diamond", "triangle", "x"};
  return QStringLiteral("mark=%1, mark options={solid, fill=white}")
      .arg(QLatin1String(marks[int(style.marker)]));
}

// Of the legend below the axes: as many names side by side as fit into a line of text.
int legendColumns(const QVector<LabelledCurve>& curves) {
  constexpr qsizetype kLine = 88, kSample = 6;  // letters; of the line before a name
  qsizetype longest = 1;
  for (const LabelledCurve& curve : curves) longest = std::max(longest, curve.label.size());
  return int(std::clamp<qsizetype>(kLine / (longest + kSample), 1, 6));
}

// The outlines of a band between its ends: one for each stretch without a gap. The ends have their
// points at the same places.
QVector<QVector<PlotPoint>> outlinesOf(const CurveDrawing::Parts& parts) {
  QVector<QVector<PlotPoint>> outlines;
  const auto isPoint = [](const PlotPoint& point) { return std::isfinite(point.y); };
  for (auto from = parts.high.begin(); from != parts.high.end();) {
    from = std::find_if(from, parts.high.end(), isPoint);
    const auto to = std::find_if_not(from, parts.high.end(), isPoint);
    if (from == to) break;
    QVector<PlotPoint> below;
    for (const PlotPoint& point : parts.low) {
      if (isPoint(point) && point.x >= from->x && point.x <= (to - 1)->x) below << point;
    }
    if (!below.isEmpty()) {
      outlines << QVector<PlotPoint>(from, to);
      outlines.last() << QVector<PlotPoint>(below.rbegin(), below.rend());
    }
    from = to;
  }
  return outlines;
}

// The curves of one axis, as CurveDrawing draws them.
class TexCurves {
 public:
  // `origin`: subtracted from x.
  TexCurves(QTextStream& out, const PlotFrame& frame, double origin)
      : out_(out), frame_(frame), origin_(origin) {}

  void setLabelled(bool on) { labelled_ = on; }  // with entries of a legend

  void write(const QString& label, const LineStyle& style, const CurveDrawing::Parts& parts) {
    const QString colour = texColour(style);
    for (const auto& outline : outlinesOf(parts))
      plot(QStringLiteral("%1, draw=none, fill, fill opacity=%2, forget plot")
               .arg(colour, texNumber(CurveDrawing::kBandAlpha / 255.0)),
           nearArea(outline, frame_), " -- cycle");
    plot(QStringLiteral("%1, solid, mark=none, opacity=%2, forget plot")
             .arg(colour, texNumber(CurveDrawing::kRawAlpha / 255.0)),
         nearLine(parts.raw, frame_));
    writeLine(label, style, parts);
    marks(colour + QStringLiteral(", mark=*, mark size=1.2pt"), parts.alone);
    marks(colour + QStringLiteral(", mark=triangle, mark size=3pt"), parts.marks);
    marks(colour + QLatin1String(", ") + texMark(style), parts.markers);
    if (parts.broken) note(*parts.broken);
  }

 private:
  // What has no point has an entry in the legend all the same.
  void writeLine(const QString& label, const LineStyle& style, const CurveDrawing::Parts& parts) {
    const QString look = QStringLiteral("%1, %2").arg(texColour(style), texDash(style));
    QString options =
        look + QStringLiteral(", mark=none, legend image post style={%1}").arg(texMark(style));
    if (parts.isScattered)
      options = texColour(style) + QStringLiteral(", only marks, mark=*, mark size=1.2pt");
    const auto points =
        parts.isScattered ? nearPoints(parts.line, frame_) : nearLine(parts.line, frame_);
    plot(options, points);
    if (!labelled_) return;
    if (points.isEmpty()) out_ << "\\addlegendimage{" << look << ", " << texMark(style) << "}\n";
    out_ << "\\addlegendentry{" << tex(label) << "}\n";
  }

  void plot(const QString& options, const QVector<PlotPoint>& points, const char* end = "") {
    if (points.isEmpty()) return;
    out_ << "\\addplot[" << options << "] table {\n";
    for (const PlotPoint& point : points)
      out_ << texNumber(point.x - origin_) << ' '
           << (std::isfinite(point.y) ? texNumber(point.y) : QStringLiteral("nan")) << '\n';
    out_ << '}' << end << ";\n";
  }

  void marks(const QString& options, const QVector<PlotPoint>& points) {
    plot(options + QStringLiteral(", only marks, forget plot"), nearPoints(points, frame_));
  }

  void note(const CurveDrawing::Note& note) {
    out_ << "\\node[anchor=south " << (note.isLeft ? "east" : "west")
         << ", font=\\scriptsize] at (axis cs:" << texNumber(note.at.x - origin_) << ','
         << texNumber(note.at.y) << ") {" << tex(note.text) << "};\n";
  }

  QTextStream& out_;
  PlotFrame frame_;
  double origin_;
  bool labelled_ = false;
};

// Clock times have more digits than TeX: seconds after the first one.
double xOriginOf(CurvePlot::XAxis axis, const QCPRange& range) {
  return axis == CurvePlot::XAxis::kWallTime ? std::floor(range.lower) : 0;
}

// Times as the picture writes them.
void writeTimes(QTextStream& out, const QCPAxis* axis, double origin) {
  QStringList ticks, labels;
  const QVector<double> at = axis->tickVector();
  const QVector<QString> texts = axis->tickVectorLabels();
  for (qsizetype i = 0; i < std::min(at.size(), texts.size()); ++i) {
    if (!axis->range().contains(at[i])) continue;
    ticks << texNumber(at[i] - origin);
    labels << QLatin1Char('{') + tex(texts[i]).replace(QLatin1Char('\n'), QStringLiteral("\\\\")) +
                  QLatin1Char('}');
  }
  const QString comma = QStringLiteral(",");
  out << ",\n  xtick=" << (ticks.isEmpty() ? "\\empty" : '{' + ticks.join(comma) + '}')
      << ", xticklabels={" << labels.join(comma) << "}, xticklabel style={align=center}";
}

void writeRanges(QTextStream& out, const PlotFrame& frame, double origin) {
  out << "xmin=" << texNumber(frame.x.lower - origin)
      << ", xmax=" << texNumber(frame.x.upper - origin) << ", ymin=" << texNumber(frame.y.lower)
      << ", ymax=" << texNumber(frame.y.upper) << (frame.logarithmicX ? ", xmode=log" : "")
      << (frame.logarithmicY ? ", ymode=log" : "");
}

const char* const kTexAxis =
    "\\begin{axis}[width=\\linewidth, height=0.65\\linewidth, unbounded coords=jump,\n"
    "  every axis plot/.append style={line width=0.8pt},\n  ";

}  // namespace

// An axis at the right over the same x, with dotted lines.
void CurvePlot::writeSecond(QTextStream& out) {
  const double origin = xOriginOf(xAxis(), xRange());
  const PlotFrame frame{
      {xRange().lower, xRange().upper},
      {secondRange().lower, secondRange().upper},
      ranges_.logarithmicX(),
  };
  out << kTexAxis << "axis y line*=right, axis x line=none, ylabel={"
      << tex(axisTitle(plot_->yAxis2)) << "},\n  ";
  writeRanges(out, frame, origin);
  out << "]\n";
  TexCurves curves(out, frame, origin);
  for (int curve = 0; curve < second().size(); ++curve) {
    LineStyle style = lineStyle(second()[curve].style);
    style.dash = Qt::DotLine;
    style.marker = LineStyle::Marker::kNone;
    curves.write(second()[curve].label, style, second_.parts(curve));
  }
  out << "\\end{axis}\n";
}

// What the picture draws: of long curves the extremes of each of its pixel columns. All points are
// in the values beside it.
void CurvePlot::writeTex(QTextStream& out) {
  asPicture([&] {
    const double origin = xOriginOf(xAxis(), xRange());
    const PlotFrame frame{{xRange().lower, xRange().upper},
                          {yRange().lower, yRange().upper},
                          ranges_.logarithmicX(),
                          ranges_.logarithmicY()};
    out << "% \\usepackage{pgfplots} \\pgfplotsset{compat=1.15}\n";
    if (xAxis() == XAxis::kWallTime)
      out << "% x: seconds after "
          << QDateTime::fromSecsSinceEpoch(qint64(origin)).toString(Qt::ISODate) << '\n';
    out << "\\begin{tikzpicture}\n"
        << kTexAxis << "title={" << tex(title()) << "}, xlabel={" << tex(axisTitle(plot_->xAxis))
        << "}, ylabel={" << tex(axisTitle(plot_->yAxis)) << "},\n  ";
    writeRanges(out, frame, origin);
    if (xAxis() == XAxis::kRelativeTime || xAxis() == XAxis::kWallTime)
      writeTimes(out, plot_->xAxis, origin);
    out << ",\n  legend style={at={(0.5,-0.2)}, anchor=north, draw=none, font=\\small}, "
        << "legend cell align=left, legend columns=" << legendColumns(curves()) << "]\n";
    TexCurves written(out, frame, origin);
    written.setLabelled(true);
    for (int curve = 0; curve < curves().size(); ++curve)
      written.write(curves()[curve].label, lineStyle(curves()[curve].style), drawing_.parts(curve));
    out << "\\end{axis}\n";
    if (!second().isEmpty()) writeSecond(out);
    out << "\\end{tikzpicture}\n";
  });
}

}  // namespace strata::ui
