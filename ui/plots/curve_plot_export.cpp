#include <qcustomplot.h>

#include <QFileInfo>
#include <QLabel>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QTextStream>
#include <QToolTip>

#include "core/base/error.h"
#include "ui/data/text.h"
#include "ui/plots/curve_plot.h"

namespace strata::ui {
namespace {

// Text of a CSV field: quoted where it holds a separator.
QString csvField(QString text) {
  if (!text.contains(QLatin1Char(',')) && !text.contains(QLatin1Char('"'))) return text;
  return QLatin1Char('"') + text.replace(QStringLiteral("\""), QStringLiteral("\"\"")) +
         QLatin1Char('"');
}

[[noreturn]] void failToWrite(const QString& path, const QString& reason) {
  throw Error("{}: cannot be written: {}", toStd(path), toStd(reason));
}

bool saveSvg(QCustomPlot* plot, const QString& path, const QString& title) {
  QSvgGenerator generator;
  generator.setFileName(path);
  generator.setSize(plot->size());
  generator.setViewBox(QRect(QPoint(0, 0), plot->size()));
  generator.setTitle(title);
  QCPPainter painter;
  if (!painter.begin(&generator)) return false;
  painter.setMode(QCPPainter::pmVectorized);
  plot->toPainter(&painter, plot->width(), plot->height());
  return painter.end();
}

}  // namespace

void CurvePlot::paintCsv(QTextStream& out) const {
  out.setRealNumberPrecision(17);
  out << "run,series,step,wall_time,value\n";
  for (const Curve& curve : curves_) {
    const Series& series = *curve.series;
    const QString prefix =
        csvField(curve.label) + QLatin1Char(',') + csvField(title_) + QLatin1Char(',');
    for (std::size_t i = 0; i < series.size(); ++i) {
      out << prefix << qint64(series.steps()[i]) << ',' << series.wallTimes()[i] << ','
          << numberText(series.values()[i], 17) << '\n';
    }
  }
}

void CurvePlot::exportTo(const QString& path) {
  const QString type = QFileInfo(path).suffix().toLower();
  if (type == QLatin1String("csv")) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::Text)) failToWrite(path, file.errorString());
    QTextStream out(&file);
    paintCsv(out);
    out.flush();
    if (!file.commit()) failToWrite(path, file.errorString());
    return;
  }
  // The picture carries what the widget shows around the plot: title, axis titles and legend.
  const bool legend = plot_->legend->visible();
  plot_->plotLayout()->insertRow(0);
  auto* heading = new QCPTextElement(plot_, title_, QFont(font().family(), 11, QFont::DemiBold));
  heading->setTextColor(plot_->xAxis->labelColor());
  plot_->plotLayout()->addElement(0, 0, heading);
  plot_->legend->setVisible(true);
  bool done = false;
  if (type == QLatin1String("svg")) done = saveSvg(plot_, path, title_);
  if (type == QLatin1String("pdf")) done = plot_->savePdf(path);
  if (type == QLatin1String("png"))
    done = plot_->savePng(path, plot_->width(), plot_->height(), 2.0);
  plot_->legend->setVisible(legend);
  plot_->plotLayout()->remove(heading);  // deletes it
  plot_->plotLayout()->simplify();
  plot_->replot(QCustomPlot::rpQueuedReplot);
  if (!done) {
    failToWrite(
        path,
        tr("use a name that ends in .png, .svg, .pdf or .csv in a folder that can be written"));
  }
}

void CurvePlot::showReadout(const QPoint& position) {
  if (!plot_->axisRect()->rect().contains(position) || curves_.isEmpty()) {
    QToolTip::hideText();
    return;
  }
  const double x = plot_->xAxis->pixelToCoord(position.x());
  double nearest = 24;  // pixels; further away nothing is read out
  QString text;
  for (const Curve& curve : curves_) {
    const Series& series = *curve.series;
    if (series.size() == 0) continue;
    const auto xs = xOf(series);
    const double shift = shiftOf(series);
    auto index = std::size_t(std::lower_bound(xs.begin(), xs.end(), x + shift) - xs.begin());
    index = std::min(index, series.size() - 1);
    if (index > 0 && x + shift - xs[index - 1] < xs[index] - x - shift) --index;
    const auto y = series.smoothing() > 0 ? series.smoothed() : series.values();
    const double distance = std::abs(plot_->yAxis->coordToPixel(y[index]) - position.y());
    if (!(distance < nearest)) continue;
    nearest = distance;
    text = tr("%1\nstep %2: %3")
               .arg(curve.label, countText(qint64(series.steps()[index])),
                    numberText(series.values()[index], 6));
  }
  QToolTip::showText(plot_->mapToGlobal(position + QPoint(12, 8)), text, plot_);
}

}  // namespace strata::ui
