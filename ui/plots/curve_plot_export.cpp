#include <qcustomplot.h>

#include <QFileInfo>
#include <QTextStream>
#include <QToolTip>

#include "ui/data/text.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/picture_export.h"
#include "ui/plots/plot_style.h"

namespace strata::ui {

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
    exportText(path, [this](QTextStream& out) { paintCsv(out); });
    return;
  }
  exportPlot(plot_, path, title_);
}

void CurvePlot::showReadout(const QPoint& position) {
  if (!plot_->axisRect()->rect().contains(position) || curves_.isEmpty()) {
    QToolTip::hideText();
    return;
  }
  const double x = plot_->xAxis->pixelToCoord(position.x());
  double nearest = 24;  // pixels; points further away are not read out
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
