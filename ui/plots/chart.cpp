#include "ui/plots/chart.h"

#include <QEvent>
#include <QPainter>

#include "ui/plots/picture_export.h"

namespace strata::ui {

void Chart::exportTo(const QString& path) {
  if (!path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive)) return writePicture(path);
  exportText(path, [this](QTextStream& out) { writeValues(out); });
}

void Chart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) restyle();
}

PaintedChart::PaintedChart(QWidget* parent) : Chart(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void PaintedChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintTo(painter, size());
}

void PaintedChart::writePicture(const QString& path) {
  exportPicture(path, size().expandedTo(minimumSizeHint()),
                [this](QPainter& painter, const QSizeF& size) { paintTo(painter, size); });
}

}  // namespace strata::ui
