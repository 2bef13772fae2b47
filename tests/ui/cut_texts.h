#pragma once
#include <qcustomplot.h>

#include <QAbstractButton>
#include <QLabel>
#include <QToolButton>

#include "ui/plots/chart.h"
#include "ui/widgets/elided_label.h"

// What a window has too little room for.
namespace strata::ui {

// "QLabel page:train/launchPanel/launchPart"
inline QString pathOf(const QWidget* widget) {
  QStringList path;
  for (const QWidget* at = widget; at && !at->isWindow(); at = at->parentWidget()) {
    if (!at->objectName().isEmpty() && !at->objectName().startsWith("qt_"))
      path.prepend(at->objectName());
  }
  return QString("%1 %2").arg(widget->metaObject()->className(), path.join('/'));
}

// A button or label on one line is as wide as its text, unless it shows an ellipsis.
inline int widthNeeded(const QWidget* widget) {
  if (const auto* label = qobject_cast<const QLabel*>(widget)) {
    const bool plain = !label->wordWrap() && !label->text().isEmpty() && label->pixmap().isNull();
    if (!plain || label->text().endsWith("…") || qobject_cast<const ElidedLabel*>(label)) return 0;
    return label->sizeHint().width();
  }
  const auto* button = qobject_cast<const QAbstractButton*>(widget);
  if (!button || button->text().isEmpty() || button->text().endsWith("…")) return 0;
  const auto* tool = qobject_cast<const QToolButton*>(button);
  const bool icon = tool && tool->toolButtonStyle() == Qt::ToolButtonIconOnly;
  return icon && !tool->icon().isNull() ? 0 : button->sizeHint().width();
}

// Texts of an axis that leave the plot, and labels of ticks that run into each other.
inline QStringList cutTextsOf(const QCPAxis* axis, const QCustomPlot* plot) {
  QStringList cut;
  const bool across = axis->orientation() == Qt::Horizontal;
  const QRect rect = axis->axisRect()->rect();
  const int end = across ? plot->width() : plot->height();
  const auto widthOf = [](const QFont& font, const QString& text) {
    return QFontMetrics(font).boundingRect(QRect(), Qt::TextDontClip, text).width();
  };
  const double middle = across ? rect.center().x() : rect.center().y();
  const double half = widthOf(axis->labelFont(), axis->label()) / 2.0;
  if (middle - half < -1 || middle + half > end + 1)
    cut << QString("title “%1”").arg(axis->label());
  double last = -1;
  const auto labels = axis->tickVectorLabels();
  for (int i = 0; across && i < std::min(labels.size(), axis->tickVector().size()); ++i) {
    if (!axis->range().contains(axis->tickVector()[i]) || labels[i].isEmpty()) continue;
    const double at = axis->coordToPixel(axis->tickVector()[i]);
    const double width = widthOf(axis->tickLabelFont(), labels[i]);
    if (at - width / 2 < last || at + width / 2 > end + 1)
      cut << QString("tick “%1”").arg(labels[i]);
    last = at + width / 2;
  }
  return cut;
}

// Of all widgets in sight.
inline QStringList cutTexts(const QWidget* window) {
  QStringList cut;
  for (const QWidget* widget : window->findChildren<QWidget*>()) {
    if (!widget->isVisible()) continue;
    if (const int needed = widthNeeded(widget); needed > widget->width() + 1)
      cut << QString("%1: %2 of %3").arg(pathOf(widget)).arg(widget->width()).arg(needed);
    const auto* chart = qobject_cast<const PlotChart*>(widget);
    if (!chart || chart->width() == 0) continue;
    for (const QCPAxis* axis : chart->plot()->axisRect()->axes()) {
      if (!axis->visible()) continue;
      for (const QString& each : cutTextsOf(axis, chart->plot()))
        cut << pathOf(chart) + ": " + each;
    }
  }
  return cut;
}

}  // namespace strata::ui
