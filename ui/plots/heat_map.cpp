#include "ui/plots/heat_map.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QTextStream>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/plots/picture_export.h"

namespace strata::ui {

void HeatMapView::contentChanged() {
  updateGeometry();
  update();
}

void HeatMapView::setMaps(QStringList columns, QVector<HeatMap> maps) {
  content_.columns = std::move(columns);
  content_.maps = std::move(maps);
  marks_ = {};
  contentChanged();
}

void HeatMapView::setAxisTitles(const QString& rows, const QString& columns) {
  content_.rowTitle = rows;
  content_.columnTitle = columns;
  update();
}

void HeatMapView::setBlocks(QVector<ColumnBlock> blocks) {
  content_.blocks = std::move(blocks);
  contentChanged();
}

void HeatMapView::setScale(double maximum) {
  content_.scale = maximum > 0 ? maximum : 1;
  update();
}

void HeatMapView::setLinked(int row, const QVector<int>& columns) {
  if (row == marks_.linkedRow && columns == marks_.linkedColumns) return;
  marks_.linkedRow = row;
  marks_.linkedColumns = columns;
  update();
}

void HeatMapView::setLargestCell(int width, int height) {
  content_.largestCell = QSizeF(width, height);
  contentChanged();
}

QRectF HeatMapView::cellRect(int map, int row, int column) const {
  return layoutNow().cellRect({map, row, column});
}

QString HeatMapView::readout(int map, int row, int column) const {
  const HeatMap& shown = content_.maps[map];
  QStringList parts;
  if (!shown.title.isEmpty()) parts << shown.title;
  parts << shown.rows[row] << content_.columns[column];
  return tr("%1: %2").arg(parts.join(QStringLiteral(" · ")),
                          QString::number(double(content_.value({map, row, column})), 'f', 3));
}

void HeatMapView::paintTo(QPainter& painter, const QSizeF& size) const {
  paintHeatMaps(painter, {content_, font(), size}, marks_);
}

void HeatMapView::hover(const HeatMapCell& cell) {
  if (cell == marks_.hovered) return;
  marks_.hovered = cell;
  update();
  emit hovered(cell.map, cell.row, cell.column);
}

void HeatMapView::mouseMoveEvent(QMouseEvent* event) {
  hover(layoutNow().cellAt(event->position()));
}

void HeatMapView::leaveEvent(QEvent*) {
  hover({});
}

void HeatMapView::keyPressEvent(QKeyEvent* event) {
  const QPoint step = event->key() == Qt::Key_Left    ? QPoint(-1, 0)
                      : event->key() == Qt::Key_Right ? QPoint(1, 0)
                      : event->key() == Qt::Key_Up    ? QPoint(0, -1)
                      : event->key() == Qt::Key_Down  ? QPoint(0, 1)
                                                      : QPoint();
  const auto& maps = content_.maps;
  if (step.isNull() || maps.isEmpty() || content_.columns.isEmpty())
    return QWidget::keyPressEvent(event);
  HeatMapCell cell = marks_.hovered;
  if (cell.map < 0) return hover({0, 0, 0});
  cell.column = std::clamp(cell.column + step.x(), 0, int(content_.columns.size()) - 1);
  cell.row += step.y();
  if (cell.row < 0 && cell.map > 0) cell.row = int(maps[--cell.map].rows.size()) - 1;
  if (cell.row >= maps[cell.map].rows.size() && cell.map + 1 < maps.size()) {
    ++cell.map;
    cell.row = 0;
  }
  cell.row = std::clamp(cell.row, 0, int(maps[cell.map].rows.size()) - 1);
  hover(cell);
}

bool HeatMapView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const HeatMapCell cell = layoutNow().cellAt(help->pos());
  const QString text = cell.map < 0 ? QString() : readout(cell.map, cell.row, cell.column);
  QToolTip::showText(help->globalPos(), text, this);  // an empty text hides it
  return true;
}

QSize HeatMapView::sizeHint() const {
  return HeatMapLayout::sizeFor(content_, font(), content_.largestCell);
}

QSize HeatMapView::minimumSizeHint() const {
  return HeatMapLayout::sizeFor(content_, font(), HeatMapLayout::kSmallestCell);
}

void HeatMapView::writeValues(QTextStream& out) const {
  out << "map,row_number,row,column_number,column,value\n";
  for (int map = 0; map < content_.maps.size(); ++map) {
    const auto& [title, rows, values] = content_.maps[map];
    for (int row = 0; row < rows.size(); ++row) {
      for (int column = 0; column < content_.columns.size(); ++column) {
        const float value = content_.value({map, row, column});
        if (std::isnan(value)) continue;
        out << csvLine({title, QString::number(row), rows[row], QString::number(column),
                        content_.columns[column], QString::number(double(value), 'g', 9)});
      }
    }
  }
}

}  // namespace strata::ui
