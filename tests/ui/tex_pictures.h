#pragma once
#include <qcustomplot.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMap>
#include <QPointF>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/plot_legend.h"

// What LaTeX, or a reader of what it makes, would complain of in a picture for pgfplots.
namespace strata::ui {

// What LaTeX prints; none: a character would do something else.
inline std::optional<QString> printedByTex(const QString& tex) {
  static const QMap<QString, QString> kSymbols{{QStringLiteral("textasciitilde{}"), "~"},
                                               {QStringLiteral("textasciicircum{}"), "^"},
                                               {QStringLiteral("textbackslash{}"), "\\"}};
  const QString special = QStringLiteral("_%&#${}");
  QString text;
  for (qsizetype i = 0; i < tex.size(); ++i) {
    if (special.contains(tex[i]) || tex[i] == '~' || tex[i] == '^') return std::nullopt;
    if (tex[i] != '\\') {
      text += tex[i];
      continue;
    }
    const QString rest = tex.mid(i + 1);
    const auto symbol = std::find_if(kSymbols.keyBegin(), kSymbols.keyEnd(),
                                     [&](const QString& name) { return rest.startsWith(name); });
    if (symbol != kSymbols.keyEnd()) {
      text += kSymbols[*symbol];
      i += symbol->size();
    } else if (!rest.isEmpty() && special.contains(rest[0])) {
      text += rest[0];
      ++i;
    } else {
      return std::nullopt;
    }
  }
  return text;
}

// What stands in braces after each `before`, which ends with their opening one.
inline QStringList texArguments(const QString& tex, const QString& before) {
  QStringList arguments;
  for (qsizetype at = tex.indexOf(before); at >= 0; at = tex.indexOf(before, at + 1)) {
    const qsizetype begin = at + before.size();
    qsizetype end = begin;
    for (int depth = 1; end < tex.size(); ++end) {
      if (tex[end] == '{') ++depth;
      if (tex[end] == '}' && --depth == 0) break;
      if (tex[end] == '\\') ++end;
    }
    arguments << tex.mid(begin, end - begin);
  }
  return arguments;
}

// Braces and environments that do not match, and characters that TeX takes for something else.
inline QStringList faultsOfTexSyntax(const QString& tex) {
  QStringList faults;
  QString code;
  for (const QString& line : tex.split('\n'))
    if (!line.startsWith('%')) code += line + '\n';
  int depth = 0;
  for (qsizetype i = 0; i < code.size(); ++i) {
    if (code[i] == '\\') {
      ++i;
      continue;
    }
    depth += code[i] == '{' ? 1 : code[i] == '}' ? -1 : 0;
    if (depth < 0) faults << QStringLiteral("a closing brace too many");
    if (QStringLiteral("_%&#$~^").contains(code[i]))
      faults << QStringLiteral("a raw %1 in \"%2\"").arg(code[i]).arg(code.mid(i - 20, 40));
  }
  if (depth != 0) faults << QStringLiteral("%1 braces are not closed").arg(depth);
  QStringList open;
  static const QRegularExpression kEnds(QStringLiteral("\\\\(begin|end)\\{(\\w+)\\}"));
  for (auto found = kEnds.globalMatch(code); found.hasNext();) {
    const auto match = found.next();
    if (match.captured(1) == QLatin1String("begin"))
      open << match.captured(2);
    else if (open.isEmpty() || open.takeLast() != match.captured(2))
      faults << QStringLiteral("\\end{%1} without its beginning").arg(match.captured(2));
  }
  if (!open.isEmpty()) faults << QStringLiteral("\\begin{%1} has no end").arg(open.join(' '));
  return faults;
}

struct TexPlot {
  QString options;
  QVector<QPointF> points;  // y NaN: a gap

  bool isPart() const { return options.contains(QLatin1String("forget plot")); }
};

inline QVector<TexPlot> texPlots(const QString& tex) {
  QVector<TexPlot> plots;
  static const QRegularExpression kPlot(
      QStringLiteral("\\\\addplot\\[([^\\]]*)\\] table \\{\\n([^}]*)\\}"));
  for (auto found = kPlot.globalMatch(tex); found.hasNext();) {
    const auto match = found.next();
    TexPlot plot{match.captured(1), {}};
    for (const QString& line : match.captured(2).split('\n', Qt::SkipEmptyParts))
      plot.points << QPointF(line.section(' ', 0, 0).toDouble(), line.section(' ', 1).toDouble());
    plots << plot;
  }
  return plots;
}

// The points of a curve that a chart shows, where the file has them.
inline QVector<QPointF> shownPoints(const CurvePlot& chart, const CurvePlot::Curve& curve,
                                    const QCPAxis* yAxis) {
  const Series& series = *curve.series;
  const QCPRange x = chart.xRange(), y = yAxis->range();
  auto along = series.steps();
  double shift = 0, origin = 0;
  if (chart.xAxis() == CurvePlot::XAxis::kOther && !series.others().empty())
    along = series.others();
  if (chart.xAxis() == CurvePlot::XAxis::kRelativeTime ||
      chart.xAxis() == CurvePlot::XAxis::kWallTime)
    along = series.wallTimes();
  if (chart.xAxis() == CurvePlot::XAxis::kRelativeTime && !along.empty()) shift = along.front();
  if (chart.xAxis() == CurvePlot::XAxis::kWallTime) origin = std::floor(x.lower);
  QVector<QPointF> points;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const QPointF point(along[i] - shift, series.smoothed()[i]);
    if (std::isfinite(point.y()) && x.contains(point.x()) && y.contains(point.y()))
      points << QPointF(point.x() - origin, point.y());
  }
  return points;
}

inline bool isSameNumber(double a, double b) {
  return std::abs(a - b) <= 1e-8 * std::max(std::abs(a), std::abs(b)) + 1e-300;
}

// Points that a plot lacks: those of a long curve may be between others of their pixel column.
inline int missingFrom(const TexPlot& plot, const QVector<QPointF>& points, double column) {
  int missing = 0;
  for (const QPointF& point : points) {
    bool found = false, below = false, above = false;
    for (const QPointF& each : plot.points) {
      if (std::isnan(each.y()) || std::abs(each.x() - point.x()) > column) continue;
      found |= isSameNumber(each.x(), point.x()) && isSameNumber(each.y(), point.y());
      below |= each.y() <= point.y() + 1e-8 * std::abs(point.y());
      above |= each.y() >= point.y() - 1e-8 * std::abs(point.y());
    }
    missing += found || (below && above && points.size() > 100) ? 0 : 1;
  }
  return missing;
}

inline QStringList faultsOfTexTexts(const CurvePlot& chart, const QString& tex) {
  QStringList faults;
  const auto compare = [&](const QString& before, const QStringList& expected) {
    const QStringList found = texArguments(tex, before);
    for (qsizetype i = 0; i < std::max(found.size(), expected.size()); ++i) {
      const auto printed = printedByTex(found.value(i));
      if (i >= found.size() || i >= expected.size() || printed != expected[i])
        faults
            << QStringLiteral("%1%2} is not \"%3\"").arg(before, found.value(i), expected.value(i));
    }
  };
  const bool second = !chart.second().isEmpty();
  QStringList labels, sides{chart.axisTitle(chart.plot()->yAxis)};
  for (const auto& entry : chart.legend()->entries()) labels << entry.label;
  if (second) sides << chart.axisTitle(chart.plot()->yAxis2);
  compare(QStringLiteral("\\addlegendentry{"), labels);
  compare(QStringLiteral(" title={"), {chart.title()});
  compare(QStringLiteral("xlabel={"), {chart.axisTitle(chart.plot()->xAxis)});
  compare(QStringLiteral("ylabel={"), sides);
  return faults;
}

// Each curve is a line of its own, in their order; one that is not seen may have none.
inline QStringList faultsOfTexCurves(const QVector<CurvePlot::Curve>& curves,
                                     const CurvePlot& chart, const QCPAxis* yAxis,
                                     const QVector<TexPlot>& all) {
  QStringList faults;
  QVector<TexPlot> lines;
  for (const TexPlot& plot : all)
    if (!plot.isPart()) lines << plot;
  const bool logarithmic = chart.plot()->xAxis->scaleType() == QCPAxis::stLogarithmic;
  const double column = logarithmic ? 1e300 : chart.xRange().size() / 200;
  for (qsizetype i = 0; i < curves.size(); ++i) {
    const auto points = shownPoints(chart, curves[i], yAxis);
    int missing = int(points.size());
    for (qsizetype j = 0; j < lines.size(); ++j)
      if (i == j || lines.size() != curves.size())
        missing = std::min(missing, missingFrom(lines[j], points, column));
    if (missing > 0)
      faults << QStringLiteral("\"%1\" lacks %2 of %3 points")
                    .arg(curves[i].label)
                    .arg(missing)
                    .arg(points.size());
  }
  return faults;
}

// Compiles it, if there is a pdflatex with pgfplots.
inline QStringList faultsOfCompiling(const QString& path) {
  static const bool hasLatex = [] {
    QProcess finder;
    finder.start(QStringLiteral("kpsewhich"), {QStringLiteral("pgfplots.sty")});
    const bool found = finder.waitForFinished() && finder.exitCode() == 0 &&
                       !QStandardPaths::findExecutable(QStringLiteral("pdflatex")).isEmpty();
    if (!found) qInfo("There is no pdflatex with pgfplots here: no .tex is compiled.");
    return found;
  }();
  if (!hasLatex) return {};
  const QString folder = QFileInfo(path).path();
  QFile document(folder + QStringLiteral("/document.tex"));
  if (!document.open(QIODevice::WriteOnly)) qFatal("%s: no document", qPrintable(folder));
  document.write(
      "\\documentclass{article}\n\\usepackage{pgfplots}\n\\pgfplotsset{compat=1.15}\n"
      "\\begin{document}\n\\input{" +
      QFileInfo(path).fileName().toUtf8() + "}\n\\end{document}\n");
  document.close();
  QProcess latex;
  latex.setWorkingDirectory(folder);
  latex.setProcessChannelMode(QProcess::MergedChannels);
  latex.start(QStringLiteral("pdflatex"),
              {QStringLiteral("-interaction=nonstopmode"), QStringLiteral("-halt-on-error"),
               QStringLiteral("document.tex")});
  if (latex.waitForFinished(120000) && latex.exitCode() == 0) return {};
  return {QStringLiteral("pdflatex: ") + QString::fromUtf8(latex.readAll().right(600))};
}

// Exports a chart for pgfplots and says what is wrong with the file; or that it should have been
// refused.
inline QStringList faultsOfTex(Chart& chart, const QString& folder) {
  const QString path = folder + QStringLiteral("/picture.tex");
  QFile::remove(path);
  try {
    chart.exportTo(path);
  } catch (const Error& error) {
    const bool refused = QString::fromUtf8(error.what()).contains("has no pgfplots form");
    if (refused && !chart.hasTex() && !QFile::exists(path)) return {};
    return {QStringLiteral("as .tex: ") + QString::fromUtf8(error.what())};
  }
  const auto* curves = dynamic_cast<const CurvePlot*>(&chart);
  if (!chart.hasTex() || curves == nullptr) return {QStringLiteral("it was written as .tex")};
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {QStringLiteral("%1 is missing").arg(path)};
  const QString tex = QString::fromUtf8(file.readAll());
  const qsizetype axis = tex.indexOf("\\begin{axis}"),
                  right = tex.indexOf("\\begin{axis}", axis + 1);
  QStringList faults = faultsOfTexSyntax(tex) + faultsOfTexTexts(*curves, tex);
  faults += faultsOfTexCurves(curves->curves(), *curves, curves->plot()->yAxis,
                              texPlots(tex.first(right < 0 ? tex.size() : right)));
  if (right >= 0)
    faults += faultsOfTexCurves(curves->second(), *curves, curves->plot()->yAxis2,
                                texPlots(tex.mid(right)));
  return faults + faultsOfCompiling(path);
}

}  // namespace strata::ui
