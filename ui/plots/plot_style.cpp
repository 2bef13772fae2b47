#include "ui/plots/plot_style.h"

#include <qcustomplot.h>

#include <QHash>
#include <QIcon>
#include <QPixmap>

#include "ui/data/text.h"
#include "ui/plots/picture_export.h"
#include "ui/style/colour_map.h"
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

// What the last part of a series' name measures, with its unit.
QString measureOf(const QString& name) {
  static const QHash<QString, const char*> titles{
      {QStringLiteral("nll"), QT_TRANSLATE_NOOP("strata", "NLL (nats per word)")},
      {QStringLiteral("loss"), QT_TRANSLATE_NOOP("strata", "loss (nats per word)")},
      {QStringLiteral("perplexity"), QT_TRANSLATE_NOOP("strata", "perplexity")},
      {QStringLiteral("token-error"), QT_TRANSLATE_NOOP("strata", "share of wrong words")},
      {QStringLiteral("padding"), QT_TRANSLATE_NOOP("strata", "share of padding")},
      {QStringLiteral("clipped"), QT_TRANSLATE_NOOP("strata", "share of updates clipped")},
      {QStringLiteral("tokens_per_second"), QT_TRANSLATE_NOOP("strata", "words per second")},
      {QStringLiteral("epoch"), QT_TRANSLATE_NOOP("strata", "epoch")},
      {QStringLiteral("tokens"), QT_TRANSLATE_NOOP("strata", "target words")},
      {QStringLiteral("resident_mib"), QT_TRANSLATE_NOOP("strata", "memory (MiB)")},
      {QStringLiteral("device_mib"), QT_TRANSLATE_NOOP("strata", "device memory (MiB)")},
      {QStringLiteral("multi-bleu"), QT_TRANSLATE_NOOP("strata", "multi-bleu (BLEU points)")},
      {QStringLiteral("bleu"), QT_TRANSLATE_NOOP("strata", "BLEU (points)")},
      {QStringLiteral("chrf"), QT_TRANSLATE_NOOP("strata", "chrF (points)")},
      {QStringLiteral("ter"), QT_TRANSLATE_NOOP("strata", "TER (points)")}};
  const auto found = titles.find(name);
  return found == titles.end() ? QString() : translated(*found);
}

const QCPScatterStyle::ScatterShape kShapes[LineStyle::kMarkers] = {
    QCPScatterStyle::ssNone,    QCPScatterStyle::ssCircle,   QCPScatterStyle::ssSquare,
    QCPScatterStyle::ssDiamond, QCPScatterStyle::ssTriangle, QCPScatterStyle::ssCross};

}  // namespace

QCPColorGradient mapGradient() {
  constexpr int kColourStops = 33;
  QMap<double, QColor> stops;
  for (int i = 0; i < kColourStops; ++i) {
    const double at = i / double(kColourStops - 1);
    stops.insert(at, mapColour(at));
  }
  QCPColorGradient gradient;
  gradient.setColorStops(stops);
  gradient.setNanHandling(QCPColorGradient::nhTransparent);
  return gradient;
}

QCPRange cellCentres(double first, double last, int count) {
  if (count < 2) return {first, last};
  const double half = (last - first) / count / 2;
  return {first + half, last - half};
}

QFont smallFont(QFont font) {
  font.setPointSizeF(qMax(7.0, font.pointSizeF() - 1));
  return font;
}

LineStyle lineStyle(int index) {
  static constexpr Qt::PenStyle kPens[LineStyle::kDashes] = {
      Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine, Qt::DashDotDotLine};
  const int round = qMax(0, index) / int(theme().series.size());
  return {seriesColour(qMax(0, index)), kPens[round % LineStyle::kDashes],
          LineStyle::Marker(round % LineStyle::kMarkers)};
}

QCPScatterStyle LineStyle::scatter(double size) const {
  return {kShapes[int(marker)], QPen(colour, 1.3), QBrush(theme().surface), size};
}

void drawLineSample(QCPPainter& painter, const QRectF& area, const LineStyle& style) {
  QPen pen = style.pen(2);
  pen.setCapStyle(Qt::FlatCap);
  painter.setAntialiasing(true);
  painter.setPen(pen);
  const double y = area.center().y();
  painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
  if (style.marker == LineStyle::Marker::kNone) return;
  const QCPScatterStyle scatter = style.scatter(6);
  scatter.applyTo(&painter, style.pen(1.3));
  scatter.drawShape(&painter, area.center());
}

QIcon lineIcon(int line) {
  QPixmap picture(32, 32);
  picture.setDevicePixelRatio(2);
  picture.fill(Qt::transparent);
  QCPPainter painter(&picture);
  drawLineSample(painter, QRectF(1, 4, 14, 8), lineStyle(line));
  painter.end();
  return QIcon(picture);
}

QIcon emptyLineIcon() {
  QPixmap picture(32, 32);
  picture.setDevicePixelRatio(2);
  picture.fill(Qt::transparent);
  return QIcon(picture);
}

QString axisTitleOf(const QString& series, AxisUnit unit) {
  const QString last = series.section(QLatin1Char('/'), -1),
                first = series.section(QLatin1Char('/'), 0, 0);
  if (unit == AxisUnit::kUnknown) return QString(last).replace(QLatin1Char('_'), QLatin1Char(' '));
  const QString measure = measureOf(last);
  if (!measure.isEmpty()) return measure;
  if (first == QLatin1String("lr")) return translated("learning rate");
  if (first == QLatin1String("grad_norm")) return translated("gradient norm");
  if (first == QLatin1String("update_ratio")) return translated("update / weight (norms)");
  return QString(last).replace(QLatin1Char('_'), QLatin1Char(' '));
}

void styleAxes(QCPAxisRect* rect, const QFont& font) {
  for (QCPAxis* axis : rect->axes()) styleAxis(axis, theme(), smallFont(font));
}

void styleScale(QCPColorScale* scale, const QFont& font) {
  styleAxis(scale->axis(), theme(), smallFont(font));
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
  plot->legend->setFont(smallFont(plot->font()));
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

void exportPlot(QCustomPlot* plot, const QString& path, const PlotPicture& picture) {
  plot->plotLayout()->insertRow(0);
  auto* heading =
      new QCPTextElement(plot, picture.title, QFont(plot->font().family(), 11, QFont::DemiBold));
  heading->setTextColor(theme().text);
  plot->plotLayout()->addElement(0, 0, heading);
  const bool legend = plot->legend && plot->legend->visible();
  if (plot->legend) plot->legend->setVisible(plot->legend->itemCount() > 0);
  const auto restore = qScopeGuard([&] {
    if (plot->legend) plot->legend->setVisible(legend);
    plot->plotLayout()->remove(heading);  // deletes it
    plot->plotLayout()->simplify();
    plot->replot(QCustomPlot::rpQueuedReplot);
  });
  exportPicture(path, picture.size, [&](QPainter& painter, const QSizeF&) {
    auto& plotPainter = static_cast<QCPPainter&>(painter);
    plotPainter.setMode(QCPPainter::pmVectorized);
    plot->toPainter(&plotPainter, picture.size.width(), picture.size.height());
  });
}

}  // namespace strata::ui
