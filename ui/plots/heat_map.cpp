#include "ui/plots/heat_map.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QSet>
#include <QTextStream>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/data/background.h"
#include "ui/data/text.h"
#include "ui/plots/picture_export.h"
#include "ui/style/plain_text.h"
#include "ui/style/theme.h"

namespace strata::ui {

HeatMapView::HeatMapView(QWidget* parent) : PaintedChart(parent) {
  content_.scaleTitle = tr("weight");
}

void HeatMapView::contentChanged() {
  content_.labelsChanged();
  updateGeometry();
  update();
}

void HeatMapView::setMaps(QStringList columns, QVector<HeatMap> maps) {
  content_.columns = std::move(columns);
  freeLater(std::exchange(content_.maps, std::move(maps)));
  marks_ = {};
  hovered_ = cursor_ = {};
  say({});
  contentChanged();
}

void HeatMapView::setAxisTitles(const QString& rows, const QString& columns) {
  content_.rowTitle = rows;
  content_.columnTitle = columns;
  contentChanged();
}

void HeatMapView::setBlocks(QVector<ColumnBlock> blocks) {
  content_.blocks = std::move(blocks);
  contentChanged();
}

void HeatMapView::setScale(double maximum) {
  content_.scale = maximum > 0 ? maximum : 1;
  update();
}

void HeatMapView::setScaleTitle(const QString& title, Values values) {
  content_.scaleTitle = title;
  content_.ranks = values == Values::kRanks;
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

void HeatMapView::setSmallestCell(int width, int height) {
  content_.smallestCell = QSizeF(width, height);
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
  const HeatMapCell cell{map, row, column};
  const QString text = content_.text(cell), value = content_.number(double(content_.value(cell)));
  return tr("%1: %2").arg(parts.join(QStringLiteral(" · ")),
                          text.isEmpty() ? value : tr("%1 (“%2”)").arg(value, text));
}

void HeatMapView::paintTo(QPainter& painter, const QSizeF& size) const {
  paintHeatMaps(painter, {content_, font(), size}, marks_);
}

void HeatMapView::hover(const HeatMapCell& cell) {
  if (cell == hovered_) return;
  hovered_ = cell;
  update();
  emit hovered(cell.map, cell.row, cell.column);
}

void HeatMapView::mouseMoveEvent(QMouseEvent* event) {
  hover(layoutNow().cellAt(event->position()));
}

void HeatMapView::leaveEvent(QEvent*) {
  hover({});
}

void HeatMapView::mouseReleaseEvent(QMouseEvent* event) {
  const HeatMapCell cell = layoutNow().cellAt(event->position());
  if (event->button() != Qt::LeftButton || cell.map < 0) return;
  cursor_ = cell;
  update();
  emit chosen(cell.map, cell.row, cell.column);
}

// The cell that a key leads to.
HeatMapCell HeatMapView::stepped(HeatMapCell cell, int key) const {
  const auto& maps = content_.maps;
  const int columns = int(content_.columns.size());
  if (key == Qt::Key_Home) cell.column = 0;
  if (key == Qt::Key_End) cell.column = columns - 1;
  cell.column += (key == Qt::Key_Right) - (key == Qt::Key_Left);
  cell.row += (key == Qt::Key_Down) - (key == Qt::Key_Up);
  cell.column = std::clamp(cell.column, 0, columns - 1);
  if (cell.row < 0 && cell.map > 0) cell.row = int(maps[--cell.map].rows.size()) - 1;
  if (cell.row >= maps[cell.map].rows.size() && cell.map + 1 < maps.size()) {
    ++cell.map;
    cell.row = 0;
  }
  cell.row = std::clamp(cell.row, 0, int(maps[cell.map].rows.size()) - 1);
  return cell;
}

void HeatMapView::moveCursor(const HeatMapCell& cell) {
  cursor_ = cell;
  hover(cell);
  update();
  say(readout(cell.map, cell.row, cell.column));
  for (QWidget* above = parentWidget(); above != nullptr; above = above->parentWidget()) {
    auto* scroll = qobject_cast<QScrollArea*>(above);
    if (scroll == nullptr) continue;
    const QPoint at = mapTo(scroll->widget(), layoutNow().cellRect(cell).center().toPoint());
    scroll->ensureVisible(at.x(), at.y());
  }
}

void HeatMapView::keyPressEvent(QKeyEvent* event) {
  static const QSet<int> kKeys{Qt::Key_Left, Qt::Key_Right, Qt::Key_Up,     Qt::Key_Down,
                               Qt::Key_Home, Qt::Key_End,   Qt::Key_Return, Qt::Key_Enter};
  const int key = event->key();
  const auto& maps = content_.maps;
  if (!kKeys.contains(key) || maps.isEmpty() || content_.columns.isEmpty())
    return QWidget::keyPressEvent(event);
  const HeatMapCell from = content_.has(hovered_) ? hovered_ : cursor_;
  const bool corner = (key == Qt::Key_Home || key == Qt::Key_End) &&
                      event->modifiers().testFlag(Qt::ControlModifier);
  if (corner && key == Qt::Key_End) {
    const int map = int(maps.size()) - 1;
    return moveCursor({map, int(maps[map].rows.size()) - 1, int(content_.columns.size()) - 1});
  }
  if (corner || !content_.has(from)) return moveCursor({0, 0, 0});
  if (key != Qt::Key_Return && key != Qt::Key_Enter) return moveCursor(stepped(from, key));
  emit chosen(from.map, from.row, from.column);
}

// Around the cell under the mouse, and around the keyboard's: light around dark, so that it shows
// on every colour of the map, in both themes.
void HeatMapView::paintOverlay(QPainter& painter) const {
  painter.setBrush(Qt::NoBrush);
  if (content_.has(hovered_)) {
    painter.setPen(QPen(theme().accent, 2));
    painter.drawRect(layoutNow().cellRect(hovered_));
  }
  if (!hasFocus() || !content_.has(cursor_)) return;
  const QRectF cell = layoutNow().cellRect(cursor_);
  painter.setPen(QPen(Qt::white, 2));
  painter.drawRect(cell.adjusted(-3, -3, 2, 2));
  painter.setPen(QPen(Qt::black, 2));
  painter.drawRect(cell.adjusted(-1, -1, 0, 0));
}

bool HeatMapView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const HeatMapCell cell = layoutNow().cellAt(help->pos());
  const QString text = cell.map < 0 ? QString() : readout(cell.map, cell.row, cell.column);
  showTip(help->globalPos(), text, this);  // an empty text hides it
  return true;
}

QSize HeatMapView::sizeHint() const {
  return HeatMapLayout::sizeFor(content_, font(), content_.largestCell);
}

QSize HeatMapView::minimumSizeHint() const {
  return HeatMapLayout::sizeFor(content_, font(), content_.smallestCell);
}

void HeatMapView::writeValues(QTextStream& out) const {
  const bool texts =
      std::ranges::any_of(content_.maps, [](const HeatMap& map) { return !map.texts.isEmpty(); });
  out << "map,row_number,row,column_number,column,value" << (texts ? ",text" : "") << "\n";
  for (int map = 0; map < content_.maps.size(); ++map) {
    const QString& title = content_.maps[map].title;
    const QStringList& rows = content_.maps[map].rows;
    for (int row = 0; row < rows.size(); ++row) {
      for (int column = 0; column < content_.columns.size(); ++column) {
        const float value = content_.value({map, row, column});
        if (std::isnan(value)) continue;
        QStringList fields{title,
                           QString::number(row),
                           rows[row],
                           QString::number(column),
                           content_.columns[column],
                           QString::number(double(value), 'g', 9)};
        if (texts) fields << content_.text({map, row, column});
        out << csvLine(fields);
      }
    }
  }
}

}  // namespace strata::ui
