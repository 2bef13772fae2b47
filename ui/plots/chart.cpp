#include "ui/plots/chart.h"

#include <qcustomplot.h>

#include <QEvent>
#include <QLabel>
#include <QPaintEvent>
#include <QPainter>

#include "ui/plots/picture_export.h"
#include "ui/plots/plot_style.h"

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

void PaintedChart::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  painter.setClipRect(event->rect());  // large charts draw what is visible
  paintTo(painter, size());
}

void PaintedChart::writePicture(const QString& path) {
  exportPicture(path, size().expandedTo(minimumSizeHint()),
                [this](QPainter& painter, const QSizeF& size) { paintTo(painter, size); });
}

PlotChart::PlotChart(QWidget* parent)
    : Chart(parent), plot_(new QCustomPlot(this)), titleLabel_(new QLabel(this)) {
  titleLabel_->setProperty("heading", true);
}

void PlotChart::setTitle(const QString& title) {
  titleLabel_->setText(title);
  setAccessibleName(title);
}

QString PlotChart::title() const {
  return titleLabel_->text();
}

void PlotChart::writePicture(const QString& path) {
  exportPlot(plot_, path, title());
}

}  // namespace strata::ui
