#include "ui/plots/plot_style.h"

#include <qcustomplot.h>

#include <QFileInfo>
#include <QIcon>
#include <QPainter>
#include <QSvgGenerator>

#include "core/base/error.h"
#include "ui/data/text.h"
#include "ui/style/theme.h"

namespace strata::ui {
namespace {

// Short tick labels: 250k, 1.5M, 0.002, 3e-7.
class ShortTicker : public QCPAxisTicker {
 public:
  ShortTicker() { setTickCount(5); }

 protected:
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override {
    const double size = qAbs(tick);
    if (size < 1e-12) return QStringLiteral("0");
    if (size >= 1e9) return QCPAxisTicker::getTickLabel(tick, locale, format, precision);
    if (size >= 1e6) return QString::number(tick / 1e6, 'g', 6) + QLatin1Char('M');
    if (size >= 1e4) return QString::number(tick / 1e3, 'g', 6) + QLatin1Char('k');
    return QString::number(tick, 'g', 6);
  }
};

QFont smaller(QFont font) {
  font.setPointSizeF(qMax(7.0, font.pointSizeF() - 1));
  return font;
}

void styleAxis(QCPAxis* axis, const Theme& t, const QFont& font) {
  axis->setBasePen(QPen(t.border));
  axis->setTickPen(QPen(t.border));
  axis->setSubTickPen(Qt::NoPen);
  axis->setTickLabelColor(t.muted);
  axis->setLabelColor(t.muted);
  axis->setTickLabelFont(font);
  axis->setLabelFont(font);
  axis->setTickLength(0, 4);
  axis->setTickLabelPadding(4);
  axis->grid()->setPen(QPen(t.grid, 1));
  axis->grid()->setZeroLinePen(QPen(t.grid, 1));
  axis->grid()->setSubGridVisible(false);
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

void styleAxes(QCPAxisRect* rect, const QFont& font) {
  for (QCPAxis* axis : rect->axes()) styleAxis(axis, theme(), smaller(font));
}

void styleScale(QCPColorScale* scale, const QFont& font) {
  styleAxis(scale->axis(), theme(), smaller(font));
  for (QCPAxis* axis : scale->axis()->axisRect()->axes()) axis->setBasePen(QPen(theme().border));
}

void stylePlot(QCustomPlot* plot) {
  const Theme& t = theme();
  plot->setBackground(QBrush(t.surface));
  plot->axisRect()->setBackground(QBrush(t.surface));
  styleAxes(plot->axisRect(), plot->font());
  plot->legend->setBrush(QColor(t.surface.red(), t.surface.green(), t.surface.blue(), 215));
  plot->legend->setBorderPen(QPen(t.border));
  plot->legend->setTextColor(t.text);
  plot->legend->setFont(smaller(plot->font()));
  plot->legend->setIconSize(18, 8);
  plot->legend->setRowSpacing(0);
}

void setLogarithmic(QCPAxis* axis, bool logarithmic) {
  axis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  axis->setNumberFormat(logarithmic ? QStringLiteral("gb") : QStringLiteral("g"));
  axis->setNumberPrecision(logarithmic ? 3 : 6);
  if (logarithmic)
    axis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
  else
    axis->setTicker(QSharedPointer<ShortTicker>::create());
}

void exportPlot(QCustomPlot* plot, const QString& path, const QString& title) {
  const QString type = QFileInfo(path).suffix().toLower();
  const bool legend = plot->legend && plot->legend->visible();
  plot->plotLayout()->insertRow(0);
  auto* heading =
      new QCPTextElement(plot, title, QFont(plot->font().family(), 11, QFont::DemiBold));
  heading->setTextColor(theme().text);
  plot->plotLayout()->addElement(0, 0, heading);
  if (plot->legend) plot->legend->setVisible(true);
  bool done = false;
  if (type == QLatin1String("svg")) done = saveSvg(plot, path, title);
  if (type == QLatin1String("pdf")) done = plot->savePdf(path);
  if (type == QLatin1String("png")) done = plot->savePng(path, plot->width(), plot->height(), 2.0);
  if (plot->legend) plot->legend->setVisible(legend);
  plot->plotLayout()->remove(heading);  // deletes it
  plot->plotLayout()->simplify();
  plot->replot(QCustomPlot::rpQueuedReplot);
  if (!done) {
    throw Error(
        "{}: cannot be written: use a name that ends in .png, .svg, .pdf or .csv in a folder that "
        "can be written",
        toStd(path));
  }
}

QIcon lineIcon(int line) {
  QPixmap picture(32, 32);
  picture.setDevicePixelRatio(2);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(seriesColour(line), 3, Qt::SolidLine, Qt::RoundCap));
  painter.drawLine(QPointF(2, 8), QPointF(14, 8));
  return QIcon(picture);
}

QIcon emptyLineIcon() {
  QPixmap picture(32, 32);
  picture.setDevicePixelRatio(2);
  picture.fill(Qt::transparent);
  return QIcon(picture);
}

}  // namespace strata::ui
