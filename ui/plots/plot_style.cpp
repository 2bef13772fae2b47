#include "ui/plots/plot_style.h"

#include <qcustomplot.h>

#include "ui/style/theme.h"

namespace strata::ui {
namespace {

// Ticks that stay short: 250k, 1.5M, 0.002, 3e-7.
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

}  // namespace

void stylePlot(QCustomPlot* plot) {
  const Theme& t = theme();
  QFont font = plot->font();
  font.setPointSizeF(qMax(7.0, font.pointSizeF() - 1));
  plot->setBackground(QBrush(t.surface));
  plot->axisRect()->setBackground(QBrush(t.surface));
  for (QCPAxis* axis : plot->axisRect()->axes()) styleAxis(axis, t, font);
  plot->legend->setBrush(QColor(t.surface.red(), t.surface.green(), t.surface.blue(), 215));
  plot->legend->setBorderPen(QPen(t.border));
  plot->legend->setTextColor(t.text);
  plot->legend->setFont(font);
  plot->legend->setIconSize(18, 8);
  plot->legend->setRowSpacing(0);
}

void setLogarithmic(QCPAxis* axis, bool logarithmic) {
  axis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  if (logarithmic) {
    axis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
    axis->setNumberFormat(QStringLiteral("gb"));
    axis->setNumberPrecision(3);
  } else {
    axis->setTicker(QSharedPointer<ShortTicker>::create());
    axis->setNumberFormat(QStringLiteral("g"));
    axis->setNumberPrecision(6);
  }
}

}  // namespace strata::ui
